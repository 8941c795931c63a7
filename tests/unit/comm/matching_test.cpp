// SPDX-License-Identifier: Apache-2.0
// The matching queues of a rank, and the order of messages that overtake each other on their way.
#include "comm/messages/matching.hpp"

#include <deque>
#include <string>
#include <vector>

#include "comm/messages/messages.hpp"
#include "support/catch.hpp"

namespace matching_test {

using namespace tsunagi;
using comm::Envelope;
using Numbers = std::vector<std::uint32_t>;

namespace {

Envelope envelope(int source, int tag, std::uint32_t sequence = 0) {
  Envelope e;
  e.source = source;
  e.tag = tag;
  e.sequence = sequence;
  return e;
}

/// Brings what it is told, in that order, at once.
struct Scripted final : comm::Transport {
  std::deque<Envelope> script;
  Bytes eager_limit() const override { return 1_KiB; }
  void post(Fiber&, int, int, const Envelope&, const comm::Buffer*, const comm::Request*) override {}
  std::optional<comm::Arrival> next(Fiber& f, int) override {
    if (script.empty()) return std::nullopt;
    const Envelope e = script.front();
    script.pop_front();
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

}  // namespace

TEST_CASE("an entry of a matching queue has the smallest number that was free") {
  comm::RequestPool requests;
  comm::Matching m;
  for (const int tag : {0, 1, 2}) m.post({{comm::any_source, tag, 0}, {}, requests.make({})});
  CHECK(m.match(envelope(1, 2)));
  CHECK(m.visited() == Numbers{0, 1, 2});
  CHECK(m.match(envelope(1, 0)));
  m.post({{comm::any_source, 5, 0}, {}, requests.make({})});
  CHECK(m.match(envelope(1, 5)));
  CHECK(m.visited() == Numbers{1, 0});
}

TEST_CASE("messages that overtook others are matched in the order in which they were sent") {
  Scripted transport;
  comm::Processor processor;
  comm::Accounts accounts;
  comm::Messages messages(transport, processor, 3, accounts);
  Timeless f;
  for (const std::uint32_t sequence : {2u, 1u, 0u, 4u, 3u})
    transport.script.push_back(envelope(1, static_cast<int>(sequence), sequence));
  std::vector<comm::Request> all;
  for (int i = 0; i < 5; ++i) all.push_back(messages.irecv(f, 0, {comm::any_source, comm::any_tag, 0}, {}));
  messages.wait_all(f, 0, all);
  for (int i = 0; i < 5; ++i) CHECK(all[static_cast<std::size_t>(i)].status().tag == i);
}

}  // namespace matching_test
