// SPDX-License-Identifier: Apache-2.0
// What the upper half of two-sided messages asks of a library for a message beyond the eager limit.
#include <deque>
#include <string>
#include <vector>

#include "comm/messages/messages.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace comm_messages_test {

using namespace tsunagi;
using comm::Buffer;
using comm::Envelope;
using Kind = Envelope::Kind;
using Names = std::vector<std::string>;

namespace {

/// A library that writes down what it is asked for, and brings what it is told to.
struct Told final : comm::Transport {
  Names calls;
  std::vector<Envelope> posted;
  std::deque<Envelope> coming;
  Bytes eager_limit() const override { return 1_KiB; }
  void post(Fiber&, int, int, const Envelope& e, const Buffer*, const comm::Request*) override {
    constexpr const char* names[] = {"eager", "ready to send", "clear to send", "finished", "fetched"};
    calls.emplace_back(names[static_cast<int>(e.kind)]);
    posted.push_back(e);
  }
  std::uint64_t offer(Fiber&, int, const Buffer& b) override {
    calls.emplace_back("offer");
    return 1000 + static_cast<std::uint64_t>(b.offset.count());
  }
  bool fetches = false;
  bool fetch(Fiber&, int, const Envelope& e, const Buffer& b) override {
    calls.push_back("fetch " + std::to_string(b.size.count()) + " from " + std::to_string(e.target));
    if (fetches) coming.push_back(e);
    if (fetches) coming.back().kind = Kind::finished;
    return fetches;
  }
  std::uint64_t expose(Fiber&, int, const Envelope&, const Buffer& b) override {
    calls.emplace_back("expose");
    return 2000 + static_cast<std::uint64_t>(b.offset.count());
  }
  void put(Fiber& f, int, int, const Buffer&, std::uint64_t target, const Envelope& last,
           const comm::Request& request) override {
    calls.push_back("put to " + std::to_string(target));
    posted.push_back(last);
    request.reach(comm::Milestone::completed, f.now());
  }
  std::optional<comm::Arrival> next(Fiber& f, int) override {
    if (coming.empty()) return std::nullopt;
    const Envelope e = coming.front();
    coming.pop_front();
    return comm::Arrival{e, 0, f.now()};
  }
  void wait(Fiber&, int, const std::vector<Event*>&, Time) override {
    throw std::logic_error("nothing comes any more");
  }
};

struct Timeless final : Fiber {
  std::string_view name() const override { return "rank"; }
  Time now() const override { return {}; }
  void wait_until(Time) override {}
  void suspend() override {}
  void suspend_until(Time) override {}
  void wake() override {}
};

/// Two ranks, of which the tests play one.
struct Bench {
  Told transport;
  comm::Processor processor;
  comm::Accounts accounts;
  comm::Messages messages{transport, processor, 2, accounts};
  Timeless fiber;
};

}  // namespace

TEST_CASE("messages: a sender offers its buffer before it says that it is ready to send") {
  Bench b;
  const comm::Request r = b.messages.isend(b.fiber, 0, 1, 0, 7, {64_B, 4_KiB, {}, {}});
  REQUIRE(b.transport.calls == Names{"offer", "ready to send"});
  CHECK(b.transport.posted.back().target == 1064);
  Envelope clear = b.transport.posted.back();
  clear.kind = Kind::clear_to_send;
  clear.target = 5;
  b.transport.coming.push_back(clear);
  b.messages.wait_all(b.fiber, 0, {r});
  CHECK(b.transport.calls == Names{"offer", "ready to send", "put to 5"});
  CHECK(b.transport.posted.back().kind == Kind::finished);
}

TEST_CASE("messages: a receiver that fetches tells the sender when the bytes are there, and asks it for nothing") {
  Bench b;
  b.transport.fetches = true;
  Envelope ready;
  ready.kind = Kind::ready_to_send;
  ready.tag = 7;
  ready.size = 4_KiB;
  ready.send = 3;
  ready.target = 1064;
  b.transport.coming.push_back(ready);
  const comm::Request r = b.messages.irecv(b.fiber, 1, {0, 7, 0}, {0_B, 8_KiB, {}, {}});
  b.messages.wait_all(b.fiber, 1, {r});
  CHECK(b.transport.calls == Names{"fetch 4096 from 1064", "fetched"});
  CHECK(b.transport.posted.back().send == 3);
  CHECK(r.status().size == 4_KiB);
}

TEST_CASE("messages: a sender whose bytes were fetched is done when it hears of it") {
  Bench b;
  const comm::Request r = b.messages.isend(b.fiber, 0, 1, 0, 7, {64_B, 4_KiB, {}, {}});
  CHECK_FALSE(b.messages.test(b.fiber, 0, r));
  Envelope fetched = b.transport.posted.back();
  fetched.kind = Kind::fetched;
  b.transport.coming.push_back(fetched);
  b.messages.wait_all(b.fiber, 0, {r});
  CHECK(b.transport.calls == Names{"offer", "ready to send"});
}

TEST_CASE("messages: what nobody fetches is asked for") {
  Bench b;
  Envelope ready;
  ready.kind = Kind::ready_to_send;
  ready.size = 4_KiB;
  b.transport.coming.push_back(ready);
  const comm::Request r = b.messages.irecv(b.fiber, 1, {0, 0, 0}, {32_B, 8_KiB, {}, {}});
  CHECK_FALSE(b.messages.test(b.fiber, 1, r));
  CHECK(b.transport.calls == Names{"fetch 4096 from 0", "expose", "clear to send"});
  CHECK(b.transport.posted.back().target == 2032);
}

TEST_CASE("messages: an eager message is offered to nobody") {
  Bench b;
  b.messages.isend(b.fiber, 0, 1, 0, 7, {0_B, 1_KiB, {}, {}});
  CHECK(b.transport.calls == Names{"eager"});
}

}  // namespace comm_messages_test
