// SPDX-License-Identifier: Apache-2.0
// Posted writes and what must not pass them, where a root complex takes longer for the writes (Base
// Specification 2.4.1).
#include "support/bench.hpp"
#include "support/child.hpp"
#include "support/order.hpp"
#include "support/random/random_machine.hpp"

namespace root_complex_order_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
constexpr std::uint64_t window(int card) { return (64 + static_cast<std::uint64_t>(card)) * GiB; }
constexpr Time flight = 1_ns;
constexpr Time posted = 300_ns;
constexpr Time reading = 150_ns;
constexpr Time peer = 80_ns;

Time on_wire(Bytes n) { return 250_ps * n.count(); }
constexpr Bytes write_size{256 + 24};
constexpr Bytes request_size{24};
constexpr Bytes completion_size{64 + 20};

host::RootComplexConfig slow_writes() {
  host::RootComplexConfig rc;
  rc.posted_latency = posted;
  rc.read_latency = reading;
  rc.peer.latency = peer;
  return rc;
}

host::OnChipConfig bus() {
  host::OnChipConfig c;
  c.bandwidth = Rate::infinite();
  c.flight = flight;
  return c;
}

/// Cards in slots, and a memory that is a probe, too.
void build(Bench& b, host::RootComplexConfig rc, int cards) {
  net::PortSpec memory = port("bus");
  memory.protocol = "on_chip";
  b.device("memory", memory);
  for (int i = 0; i < cards; ++i) {
    rc.slots.push_back({"slot" + std::to_string(i), Bytes(static_cast<std::int64_t>(window(i))), 1_GiB});
    b.device("card" + std::to_string(i), port("link"));
  }
  b.device("rc", rc);
  b.wire("memory.bus", "rc.memory", bus());
  for (int i = 0; i < cards; ++i)
    b.wire("card" + std::to_string(i) + ".link", "rc.slot" + std::to_string(i), quiet(gen2_x8()));
  b.build();
}

}  // namespace

TEST_CASE("a card's read of memory stays behind its writes to memory") {
  Bench b;
  build(b, slow_writes(), 1);
  b.at(0_ns, [&] {
    b.probe("card0").write(8 * GiB, 256_B);
    b.probe("card0").read(8 * GiB, 64_B);
  });
  b.run();
  const Time written = on_wire(write_size) + flight + posted;
  REQUIRE(on_wire(write_size + request_size) + flight + reading < written);
  const auto& seen = b.probe("memory").arrivals();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].tlp_class == pcie::posted);
  CHECK(seen[1].tlp_class == pcie::non_posted);
  b.probe("memory").expect_at(0, written + flight);
  b.probe("memory").expect_at(1, written + flight);
}

TEST_CASE("a card's read of another card stays behind its writes to that card") {
  Bench b;
  build(b, slow_writes(), 2);
  b.at(0_ns, [&] {
    b.probe("card0").write(window(1), 256_B);
    b.probe("card0").read(window(1), 64_B);
  });
  b.run();
  const Time written = on_wire(write_size) + flight + posted;
  b.probe("card1").expect_at(0, written + on_wire(write_size) + flight);
  b.probe("card1").expect_at(1, written + on_wire(write_size) + on_wire(request_size) + flight);
}

TEST_CASE("a write to elsewhere holds no read up") {
  Bench b;
  build(b, slow_writes(), 2);
  b.at(0_ns, [&] {
    b.probe("card0").write(window(1), 256_B);
    b.probe("card0").read(8 * GiB, 64_B);
  });
  b.run();
  b.probe("memory").expect_first_at(on_wire(write_size) + on_wire(request_size) + flight + reading + flight);
}

TEST_CASE("another card's writes hold no read up") {
  Bench b;
  build(b, slow_writes(), 2);
  b.at(0_ns, [&] {
    b.probe("card1").write(8 * GiB, 256_B);
    b.probe("card0").read(8 * GiB, 64_B);
  });
  b.run();
  b.probe("memory").expect_first_at(on_wire(request_size) + flight + reading + flight);
}

TEST_CASE("a card's completion for another card stays behind its writes to that card") {
  Bench b;
  build(b, slow_writes(), 2);
  b.at(0_ns, [&] { b.probe("card0").read(window(1), 64_B); });
  b.at(1_us, [&] {
    REQUIRE(b.probe("card1").arrivals().size() == 1);
    b.probe("card1").write(window(0), 256_B);
    b.probe("card1").answer(b.probe("card1").arrivals()[0], 64_B);
  });
  b.run();
  const Time written = 1_us + on_wire(write_size) + flight + posted;
  REQUIRE(1_us + on_wire(write_size + completion_size) + flight + peer < written);
  b.probe("card0").expect_at(0, written + on_wire(write_size) + flight);
  b.probe("card0").expect_at(1, written + on_wire(write_size) + on_wire(completion_size) + flight);
}

TEST_CASE("a read that waits for a place need not stay behind writes that came after it") {
  Bench b;
  host::RootComplexConfig rc = slow_writes();
  rc.peer.reads = 1;
  rc.peer.read_recovery = 0_ns;
  build(b, rc, 2);
  b.at(0_ns, [&] {
    b.probe("card0").read(window(1), 64_B);
    b.probe("card0").read(window(1) + 64, 64_B);
  });
  const Time answered = 1_us;
  const Time back = answered + on_wire(completion_size) + flight;  // the place is free: the second read leaves
  b.at(answered, [&] { b.probe("card1").answer(b.probe("card1").arrivals()[0], 64_B); });
  b.at(back - on_wire(write_size) - flight - 10_ns, [&] { b.probe("card0").write(window(1), 256_B); });
  b.at(3_us, [&] { b.probe("card1").answer(b.probe("card1").arrivals()[1], 64_B); });
  b.run();
  CHECK(b.probe("card1").arrivals()[1].tlp_class == pcie::non_posted);
  b.probe("card1").expect_at(1, back + peer + on_wire(request_size) + flight);
}

TEST_CASE("among random cards nothing passes a posted write that came before it") {
  int reads_behind = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const std::string text = in_child([seed] {
      Dice dice(seed);
      const auto latency = [&] { return Time::from_fs(dice.number(0, 400'000'000)); };
      host::RootComplexConfig rc;
      rc.posted_latency = latency();
      rc.read_latency = latency();
      rc.completion_latency = latency();
      rc.peer.latency = latency();
      rc.peer.reads = static_cast<int>(dice.number(1, 8));
      rc.peer.read_recovery = latency();
      rc.buffers.posted_headers = dice.number(1, 16);
      rc.buffers.non_posted_headers = dice.number(1, 16);
      const int cards = static_cast<int>(dice.number(2, 4));
      Bench b;
      build(b, rc, cards);
      for (int i = 0; i < cards; ++i) {
        Probe& card = b.probe("card" + std::to_string(i));
        b.program("writer", [&, i, plan = Dice(seed * 100 + static_cast<std::uint64_t>(i))](Fiber& f) mutable {
          for (int k = 0; k < 40; ++k) {
            f.wait_for(Time::from_fs(plan.number(0, plan.one_in(4) ? 500'000'000 : 20'000'000)));
            const auto to = plan.number(0, cards);  // the last one: the memory
            const std::uint64_t address = to == i || to == cards ? 8 * GiB : window(static_cast<int>(to));
            if (plan.one_in(2))
              card.write(address, 4_B * plan.number(1, 64));
            else
              card.read(address, 64_B);
          }
        });
        b.program("reader", [&card](Fiber& f) {  // answers what it is asked
          std::size_t seen = 0;
          for (int k = 0; k < 4000; ++k, f.wait_for(10_ns))
            for (; seen < card.arrivals().size(); ++seen)
              if (card.arrivals()[seen].tlp_class == pcie::non_posted) card.answer(card.arrivals()[seen], 64_B);
        });
      }
      b.program("memory", [&b](Fiber& f) {
        std::size_t seen = 0;
        Probe& memory = b.probe("memory");
        for (int k = 0; k < 4000; ++k, f.wait_for(10_ns))
          for (; seen < memory.arrivals().size(); ++seen)
            if (memory.arrivals()[seen].tlp_class == pcie::non_posted) memory.answer(memory.arrivals()[seen], 64_B);
      });
      if (!b.sim().run(1_s)) return std::string("no end");
      int behind = 0;
      for (const net::StageEvent& e : b.history().stages())
        behind += std::string_view(e.name) == "behind earlier posted writes" ? 1 : 0;
      const std::string wrong = wrong_order(b.history());
      return wrong.empty() ? "=" + std::to_string(behind) : wrong;
    });
    INFO("seed " << seed);
    REQUIRE(text[0] == '=');
    reads_behind += std::stoi(text.substr(1));
  }
  CHECK(reads_behind > 100);  // else nothing was in danger
}

}  // namespace root_complex_order_test
