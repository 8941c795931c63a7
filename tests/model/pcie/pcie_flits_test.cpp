// SPDX-License-Identifier: Apache-2.0
// Flit mode: what TLPs, credits and acknowledgements take of a link of the sixth generation, by closed forms. A flit of
// 256 B has 236 B of TLPs and, behind them, what is told to the other end.
#include <fmt/format.h>

#include <algorithm>

#include "config/config.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"

namespace pcie_flits_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 1_ns;
constexpr std::int64_t tlps = 236;
constexpr std::int64_t whole = 272;                // bytes of a write of 256 B above 4 GiB
constexpr Time delay = Time::from_fs(14'375'000);  // 115 symbols of 125 ps

pcie::LinkConfig gen6(const std::string& more = "", int lanes = 16) {
  return config::read<pcie::LinkConfig>(
      config::parse(fmt::format("{{\"generation\": 6, \"lanes\": {}{}}}", lanes, more), "w.json"), {});
}
pcie::LinkConfig bare(int lanes = 16) { return quiet(gen6("", lanes)); }

/// 256 B at 64 GT/s: 2 ns on 16 lanes.
Time flit(int lanes = 16) { return 2_ns * (16 / lanes); }

/// When the flit is there that has the last of the first `bytes` of TLPs.
Time there(std::int64_t bytes, int lanes = 16) { return flit(lanes) * ((bytes + tlps - 1) / tlps) + flight; }

void wire_two(Bench& b, const pcie::LinkConfig& link, const net::PortSpec& rx = port("in")) {
  b.device("a", port("out"));
  b.device("b", rx);
  b.wire("a.out", "b.in", link);
  b.build();
}

void write_at_once(Bench& b, int n, Bytes size = 256_B) {
  b.at(0_ns, [&b, n, size] {
    for (int i = 0; i < n; ++i) b.probe("a").write(far, size);
  });
  b.run();
  REQUIRE(b.probe("b").arrivals().size() == static_cast<std::size_t>(n));
  b.expect_all_home();
}

/// A write of 4 B, 20 B on the link, at `t`.
void expect_small_write(Time t, Time expected) {
  const std::string text = in_child([t] {
    Bench b;
    wire_two(b, bare());
    b.at(t, [&b] { b.probe("a").write(far, 4_B); });
    b.run();
    b.probe("b").expect_first_at(b.probe("b").arrivals()[0].head);
    b.expect_all_home();
    return std::to_string(b.probe("b").arrivals()[0].head.fs());
  });
  CHECK(text == std::to_string((expected + flight).fs()));
}

}  // namespace

TEST_CASE("flits: a write is there when the flit is that ends it") {
  for (const int lanes : {1, 2, 4, 8, 16}) {
    const std::string text = in_child([lanes] {
      Bench b;
      wire_two(b, bare(lanes));
      write_at_once(b, 1);
      b.probe("b").expect_first_at(there(whole, lanes));
      return std::string("ok");
    });
    CHECK(text == "ok");
  }
}

TEST_CASE("flits: who would cut through waits for the flit that ends a write, too") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.store_and_forward = false;
  wire_two(b, bare(), rx);
  write_at_once(b, 1);
  CHECK(b.probe("b").arrivals()[0].head == there(whole));
  CHECK(b.probe("b").arrivals()[0].tail == there(whole));
}

TEST_CASE("flits: bytes that trickle in leave when the last of them can follow") {
  // 20 B take 156.25 ps within a flit: all there at 1.85 ns, they cannot begin at byte 216, which leaves at 1.6875 ns.
  for (const auto& [last, expected] : {std::pair(1'843'750, flit()), std::pair(1'850'000, flit() * 2)}) {
    const std::string text = in_child([last = last] {
      Bench b;
      wire_two(b, bare());
      b.at(0_ns, [&b, last] { b.probe("a").write(far, 4_B, 0, 0, net::Span{0_ns, Time::from_fs(last)}); });
      b.run();
      b.expect_all_home();
      return std::to_string(b.probe("b").arrivals()[0].head.fs());
    });
    CHECK(text == std::to_string((expected + flight).fs()));
  }
}

TEST_CASE("flits: payloads of 512 B go over as many flits as they take") {
  Bench b;
  pcie::LinkConfig link = bare();
  link.max_payload_size = 512_B;
  wire_two(b, link);
  write_at_once(b, 4, 512_B);
  for (std::int64_t i = 0; i < 4; ++i)
    CHECK(b.probe("b").arrivals()[static_cast<std::size_t>(i)].head == there((i + 1) * (512 + 16)));
}

TEST_CASE("flits: a short write takes what is left of the flit under way, or begins it and ends in the next") {
  expect_small_write(0_ns, flit());
  expect_small_write(1_ns, flit());
  // 20 B from byte 216 of 236 on, which leaves at 216/256 of a flit.
  const Time last = Time::from_fs(2'000'000 * 216 / 256);
  expect_small_write(last, flit());
  expect_small_write(last + 1_fs, flit() * 2);
  expect_small_write(2_ns - 1_fs, flit() * 2);
  expect_small_write(2_ns, flit() * 2);
}

TEST_CASE("flits: writes back to back fill them, whatever their size") {
  for (const Bytes size : {4_B, 64_B, 128_B, 256_B}) {
    const std::string text = in_child([size] {
      constexpr int n = 3000;
      Bench b;
      wire_two(b, bare());
      write_at_once(b, n, size);
      const std::int64_t each = 16 + size.count();
      const auto& seen = b.probe("b").arrivals();
      for (std::int64_t i = 0; i < n; ++i) REQUIRE(seen[static_cast<std::size_t>(i)].head == there((i + 1) * each));
      // 128 B: 128 GB/s x 236/256 x 128/144.
      const double peak = 128e9 * 236 / 256 * static_cast<double>(size.count()) / static_cast<double>(each);
      const double seconds = static_cast<double>((seen.back().head - flight).fs()) * 1e-15;
      const double rate = static_cast<double>(size.count()) * n / seconds;
      CHECK(rate <= peak);
      CHECK(rate > peak * (1 - 1 / (seconds / 2e-9)));  // the last flit need not be full
      CHECK(b.forward().counters().framing == 0_B);
      return std::string("ok");
    });
    CHECK(text == "ok");
  }
}

TEST_CASE("flits: ordered sets lie between them at fixed times") {
  Bench b;
  pcie::LinkConfig link = bare();
  link.skip_ordered_sets = true;
  wire_two(b, link);
  constexpr int n = 2000;
  write_at_once(b, n);
  // 40 symbols of 125 ps each 740 flits.
  const std::int64_t flits = (n * whole + tlps - 1) / tlps;
  CHECK(flits > 3 * 740);
  CHECK(b.probe("b").arrivals().back().head == flit() * flits + 5_ns * ((flits - 1) / 740) + flight);
}

TEST_CASE("flits: an update goes with the flit under way and takes nothing from TLPs") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{4, flow::Credits::infinite}};
  pcie::LinkConfig link = bare();
  link.credit_updates = true;
  wire_two(b, link, rx);
  write_at_once(b, 5);
  const auto& seen = b.probe("b").arrivals();
  for (std::int64_t i = 0; i < 4; ++i) CHECK(seen[static_cast<std::size_t>(i)].head == there((i + 1) * whole));
  // The fourth, there at 11 ns, uses up the headers: told by the flit that ends at 12, heard at 13, in the middle of
  // one whose byte 128 is the first of the fifth write.
  CHECK(seen[3].head == 11_ns);
  CHECK(seen[4].head == flit() * 6 + flit() * ((128 + whole + tlps - 1) / tlps) + flight);
  CHECK(b.backward().counters().dllps == 2);  // the fifth's space, at the limit
  CHECK(b.backward().counters().packets == 0);
}

TEST_CASE("flits: one carries one update, the next class's goes with the next") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{1, flow::Credits::infinite}, {1, flow::Credits::infinite}};
  pcie::LinkConfig link = bare();
  link.credit_updates = true;
  wire_two(b, link, rx);
  b.at(0_ns, [&b] {
    b.probe("a").write(far, 4_B);
    b.probe("a").read(far, 8_B);
    b.probe("a").write(far, 4_B);
    b.probe("a").read(far, 8_B);
  });
  b.run();
  b.expect_all_home();
  // Both are there at 3 ns and told at once: by the flits that end at 4 and at 6, heard at 5 and at 7.
  std::vector<Time> seen;
  for (const Arrival& a : b.probe("b").arrivals()) seen.push_back(a.head);
  CHECK(seen == std::vector<Time>{3_ns, 3_ns, 7_ns, 9_ns});
}

TEST_CASE("flits: each acknowledges what has come, so that the replay buffer is free a delay later") {
  Bench b;
  pcie::LinkConfig link = bare();
  link.acks = true;
  link.replay_buffer = 600_B;  // two writes
  wire_two(b, link);
  write_at_once(b, 3);
  const auto& seen = b.probe("b").arrivals();
  CHECK(seen[1].head == there(2 * whole));
  // The first is there at 5 ns; what has come is told 14.375 ns later by the flit that ends at 20, heard at 21.
  CHECK(seen[0].head + delay < 20_ns - Time::from_fs(156'250));
  CHECK(seen[2].head == 20_ns + flit() * ((128 + whole + tlps - 1) / tlps) + flight);
}

TEST_CASE("flits: one has room for an acknowledgement beside an update") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{1, flow::Credits::infinite}};
  pcie::LinkConfig link = bare();
  link.acks = link.credit_updates = true;
  link.internal_delay = 0;
  wire_two(b, link, rx);
  write_at_once(b, 2, 4_B);
  CHECK(b.probe("b").arrivals()[0].head == 3_ns);  // both are due then, and heard at 5 ns
  CHECK(b.probe("b").arrivals()[1].head == 7_ns);
}

TEST_CASE("flits: of a write only what lies in a wrong one and behind it comes again") {
  Bench b;
  wire_two(b, gen6(", \"bit_error_rate\": 0.0005, \"skip_ordered_sets\": false, \"flight\": \"1 ns\""));
  constexpr int n = 3000;
  net::Channel& there_way = b.machine().wires()[0]->forward();
  there_way.watch({0_ns, 1_s});
  write_at_once(b, n);
  // A whole write takes two or three flits in part, 2.3 to 2.5 ns; of one that comes again half is gone on average.
  const auto replays = static_cast<double>(there_way.counters().replays);
  CHECK(replays > 500);
  const double carried = static_cast<double>(there_way.carried().fs()) * 1e-6;
  CHECK(carried < 2.4 * n + 2.0 * replays);
  CHECK(carried > 2.2 * n + 0.9 * replays);
}

TEST_CASE("flits: those that arrive wrong come again, in order, and nothing is lost") {
  Bench b;
  pcie::LinkConfig link = gen6(", \"flight\": \"1 ns\", \"bit_error_rate\": 0.0001");
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{32, 512}};
  wire_two(b, link, rx);
  constexpr int n = 5000;
  b.at(0_ns, [&b] {
    for (int i = 0; i < n; ++i) b.probe("a").write(far + 256u * static_cast<unsigned>(i), 256_B);
  });
  b.run();
  b.expect_all_home();
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == n);
  for (std::size_t i = 0; i < n; ++i) REQUIRE(seen[i].address == far + 256 * i);
  const double flits = static_cast<double>(n * whole) / tlps;
  const double expected = flits * pcie::flit_error_rate(0.0001);
  CHECK(expected > 20);
  CHECK(static_cast<double>(b.forward().counters().replays) > expected / 2);
  CHECK(static_cast<double>(b.forward().counters().replays) < expected * 2);
}

TEST_CASE("flits: a retimer delays both directions") {
  Bench b;
  pcie::LinkConfig link = bare();
  link.retimers = 2;
  link.retimer_latency = 12_ns;
  link.credit_updates = true;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{1, flow::Credits::infinite}};
  wire_two(b, link, rx);
  write_at_once(b, 2, 4_B);
  const auto& seen = b.probe("b").arrivals();
  CHECK(seen[0].head == flit() + flight + 24_ns);
  // There at 27 ns, told by the flit that ends at 28, heard at 53, when the flit that ends at 54 has room for 20 B
  // more.
  CHECK(seen[1].head == 54_ns + flight + 24_ns);
}

}  // namespace pcie_flits_test
