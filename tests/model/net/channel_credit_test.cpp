// SPDX-License-Identifier: Apache-2.0
// Flow control: nothing is sent without a credit, and a credit is back when its loop is over.
#include <fmt/format.h>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace channel_credit_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 1_ns;
constexpr Time wire_time = 70_ns;  // a 256-byte write at Gen2 x8
constexpr Time dllp = 2_ns;
constexpr Time update_delay = Time::from_fs(158 * 2'000'000);  // UpdateFC latency limit of Gen2 x8
constexpr std::int32_t inf = flow::Credits::infinite;

net::PortSpec receiver(flow::Credits posted, flow::Credits non_posted = {inf, inf},
                       flow::Credits completion = {inf, inf}) {
  net::PortSpec p = port("in");
  p.rx.buffers = {posted, non_posted, completion};
  return p;
}

pcie::LinkConfig link_with_updates() {
  pcie::LinkConfig c = quiet(gen2_x8());
  c.credit_updates = true;
  return c;
}

/// "a" offers `n` writes of 256 B at 0 to "b", which holds each for `hold`.
void stream(Bench& b, const net::PortSpec& rx, const pcie::LinkConfig& link, int n, Time hold = 0_ns) {
  b.device("a", port("out"));
  b.device("b", ProbeConfig{{rx}, hold, false});
  b.wire("a.out", "b.in", link);
  b.build();
  b.at(0_ns, [&b, n] {
    for (int i = 0; i < n; ++i) b.probe("a").write(far, 256_B);
  });
  b.run();
  REQUIRE(b.probe("b").arrivals().size() == static_cast<std::size_t>(n));
  b.expect_all_home();
}

/// Packet i arrives in round i/credits, a loop after the round before.
void expect_rounds(Bench& b, int credits, Time loop) {
  const auto& seen = b.probe("b").arrivals();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto c = static_cast<std::size_t>(credits);
    REQUIRE(seen[i].head ==
            loop * static_cast<std::int64_t>(i / c) + wire_time * static_cast<std::int64_t>(i % c + 1) + flight);
  }
}

std::vector<pcie::TlpClass> order(Bench& b) {
  std::vector<pcie::TlpClass> out;
  for (const Arrival& a : b.probe("b").arrivals()) out.push_back(a.tlp_class);
  return out;
}

}  // namespace

TEST_CASE("header credits bound the rate to credits a loop") {
  Bench b;
  stream(b, receiver({4, inf}), link_with_updates(), 41);
  // The fourth packet uses up the last header, so that its release is told at once, with the three before.
  expect_rounds(b, 4, wire_time * 4 + flight + dllp + flight);
  CHECK(b.forward().counters().credit_wait > 0_ns);
}

TEST_CASE("data credits bound it the same way") {
  Bench b;
  stream(b, receiver({inf, 3 * 16}), link_with_updates(), 31);
  expect_rounds(b, 3, wire_time * 3 + flight + dllp + flight);
}

TEST_CASE("space for less than the largest packet is told at once when more gets free") {
  Bench b;
  // After the second packet 20 units are left, one packet; after the third 4, fewer than 16.
  stream(b, receiver({inf, 3 * 16 + 4}), link_with_updates(), 31);
  expect_rounds(b, 3, wire_time * 3 + flight + dllp + flight);
}

TEST_CASE("while there is more, what gets free is told at the limit, all at once") {
  for (const flow::Credits left : {flow::Credits{4, inf}, flow::Credits{inf, 4 * 16}}) {
    const std::string text = in_child([left] {
      Bench b;
      stream(b, receiver(left), link_with_updates(), 3);
      std::string seen;
      for (const net::OverheadEvent* e : b.history().overheads_on(1)) seen += std::to_string(e->wire.head.fs()) + " ";
      return seen;
    });
    CHECK(text == std::to_string((wire_time + flight + update_delay).fs()) + " ");
  }
}

TEST_CASE("what was free before the last unit was used up waits for the limit, or for the next release") {
  Bench b;
  // Two headers. The first packet's is free at 71 ns, one is left then; the second packet is there at 141 ns and keeps
  // its own: at that time none is left, but nothing gets free.
  net::PortSpec rx = receiver({2, inf});
  b.device("a", port("out"));
  b.device("b", ProbeConfig{{rx}, 0_ns, false, {0_ns, 1_us}});
  b.wire("a.out", "b.in", link_with_updates());
  b.build();
  b.at(0_ns, [&] {
    for (int i = 0; i < 3; ++i) b.probe("a").write(far, 256_B);
  });
  b.run();
  b.probe("b").expect_at(2, wire_time + flight + update_delay + dllp + flight + wire_time + flight);
}

TEST_CASE("a receiver that holds its buffer longer stretches the loop by that") {
  Bench b;
  stream(b, receiver({1, 16}), link_with_updates(), 20, 500_ns);
  expect_rounds(b, 1, wire_time + flight + 500_ns + dllp + flight);
}

TEST_CASE("without UpdateFC packets a credit flies home alone") {
  Bench b;
  stream(b, receiver({1, inf}), quiet(gen2_x8()), 20, 30_ns);
  expect_rounds(b, 1, wire_time + flight + 30_ns + flight);
}

TEST_CASE("processing of a DLLP lengthens the loop") {
  Bench b;
  pcie::LinkConfig link = link_with_updates();
  link.dllp_processing = 25_ns;
  stream(b, receiver({2, inf}), link, 20);
  expect_rounds(b, 2, wire_time * 2 + flight + dllp + flight + 25_ns);
}

TEST_CASE("enough credits for the loop do not cost anything") {
  Bench b;
  // An update at its limit is back after 390 ns, 6 packets; a second round of updates has to be under way meanwhile.
  stream(b, receiver({12, inf}), link_with_updates(), 200);
  CHECK(b.probe("b").arrivals().back().head == wire_time * 200 + flight);
  CHECK(b.forward().counters().credit_wait == 0_ns);
}

TEST_CASE("an UpdateFC goes out in a gap before a packet that is still in the pipeline") {
  Bench b;
  net::PortSpec rx = receiver({1, inf});
  rx.tx.pipeline = {std::nullopt, 0, 1_us};
  b.device("a", port("out"));
  b.device("b", rx);
  b.wire("a.out", "b.in", link_with_updates());
  b.build();
  b.at(0_ns, [&] {
    b.probe("b").write(far, 256_B);  // on the wire from 1000 ns on
    for (int i = 0; i < 2; ++i) b.probe("a").write(far, 256_B);
  });
  b.run();
  b.probe("b").expect_at(1, wire_time + flight + dllp + flight + wire_time + flight);
  b.expect_all_home();
}

TEST_CASE("an UpdateFC waits for the packet that occupies its direction") {
  Bench b;
  b.device("a", port("out"));
  b.device("b", receiver({1, inf}));
  b.wire("a.out", "b.in", link_with_updates());
  b.build();
  const Time due = wire_time + flight;  // at once: it was the only header
  b.at(0_ns, [&] {
    for (int i = 0; i < 2; ++i) b.probe("a").write(far, 256_B);
  });
  b.at(due - 10_ns, [&] { b.probe("b").write(far, 256_B); });
  b.run();
  b.probe("b").expect_at(1, due - 10_ns + wire_time + dllp + flight + wire_time + flight);
}

TEST_CASE("a buffer that does not hold the largest packet is told when it is wired") {
  Bench b;
  b.device("a", port("out"));
  b.device("b", receiver({inf, 15}));
  b.wire("a.out", "b.in", gen2_x8());
  CHECK_THROWS_WITH(b.build(),
                    Catch::Contains("the posted buffer of b.in does not hold one packet of 256 B, as a.out may send"));
}

TEST_CASE("a write passes a read that lacks a credit") {
  Bench b;
  b.device("a", port("out"));
  b.device("b", ProbeConfig{{receiver({inf, inf}, {1, 1})}, 1_us, false});
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&] {
    b.probe("a").read(far);
    b.probe("a").read(far);
    b.probe("a").write(far, 64_B);
    b.probe("a").complete(far, 64_B);
  });
  b.run();
  using namespace pcie;
  CHECK(order(b) == std::vector<TlpClass>{non_posted, posted, completion, non_posted});
  b.expect_all_home();
}

TEST_CASE("neither reads nor completions pass a write that lacks a credit") {
  Bench b;
  b.device("a", port("out"));
  b.device("b", ProbeConfig{{receiver({1, inf})}, 1_us, false});
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&] {
    b.probe("a").write(far, 64_B);
    b.probe("a").write(far, 64_B);
    b.probe("a").read(far);
    b.probe("a").complete(far, 64_B);
  });
  b.run();
  using namespace pcie;
  CHECK(order(b) == std::vector<TlpClass>{posted, posted, non_posted, completion});
}

TEST_CASE("a read does not wait behind another source's writes") {
  Bench b;
  b.device("a", port("out", 2));
  b.device("b", ProbeConfig{{receiver({1, inf})}, 1_us, false});
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&] {
    b.probe("a").write(far, 64_B, 0);
    b.probe("a").write(far, 64_B, 0);
    b.probe("a").read(far, 8_B, 1);
  });
  b.run();
  CHECK(b.probe("b").arrivals().back().tlp_class == pcie::posted);
}

TEST_CASE("two sources share a wire packet by packet") {
  Bench b;
  b.device("a", port("out", 2));
  b.device("b", port("in"));
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&] {
    for (int i = 0; i < 100; ++i) b.probe("a").write(far, 256_B, 0);
    for (int i = 0; i < 100; ++i) b.probe("a").write(far + 1, 256_B, 1);
  });
  b.run();
  int ahead = 0;
  for (const Arrival& a : b.probe("b").arrivals()) {
    ahead += a.address == far ? 1 : -1;
    REQUIRE(std::abs(ahead) <= 1);
  }
  CHECK(ahead == 0);
}

namespace {

/// Hears of credits alone.
class CreditListener final : public net::Listener {
 public:
  void stage(const net::StageEvent&) override {}
  void hop(const net::Hop&) override {}
  void overhead(const net::OverheadEvent&) override {}
  void credits(const net::CreditEvent& e) override { heard.push_back(e); }
  std::vector<net::CreditEvent> heard;
};

}  // namespace

TEST_CASE("observers hear of credits that are taken and given back, of bounded buffers only") {
  for (const flow::Credits buffer : {flow::Credits{4, 64}, flow::Credits{inf, inf}}) {
    const std::string text = in_child([&] {
      Bench b;
      CreditListener listener;
      b.device("a", port("out"));
      b.device("b", ProbeConfig{{receiver(buffer)}, 0_ns, false});
      b.wire("a.out", "b.in", quiet(gen2_x8()));
      b.build();
      b.machine().listen(listener);
      b.at(0_ns, [&b] { b.probe("a").write(far, 256_B); });
      b.run();
      b.expect_all_home();  // what nobody waited for is looked at now
      std::string out;
      for (const net::CreditEvent& e : listener.heard)
        out += fmt::format("{} {} {}/{}, ", e.when.fs(), e.flow_class, e.left.headers, e.left.data);
      return out;
    });
    const Time home = wire_time + flight + flight;
    CHECK(text == (buffer.headers == inf ? "" : fmt::format("0 0 3/48, {} 0 4/64, ", home.fs())));
  }
}

TEST_CASE("a packet that is larger than its sender has said, and than the whole buffer, waits for what there is not") {
  net::PortSpec small = port("out");
  small.sends = {128_B, 128_B, 128_B};
  Bench b;
  b.device("a", small);
  b.device("b", receiver({1, 8}));
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&b] { b.probe("a").write(far, 256_B); });
  b.run();
  CHECK(b.probe("b").arrivals().empty());
  CHECK(b.machine().blocked() ==
        std::vector<std::string>{"a.out - b.in waits for more posted credits than there are of b.in"});
}

}  // namespace channel_credit_test
