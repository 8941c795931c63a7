// SPDX-License-Identifier: Apache-2.0
// When a PCI-X bus moves what, by hand; who gets it, who is told to retry.
#include <fmt/format.h>

#include "model/pcix/pcix_bench.hpp"

namespace pcix_bus_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::int64_t registered = 1;   // a request is seen at the edge behind it
constexpr std::int64_t arbitration = 2;  // at an idle bus
constexpr std::int64_t front = 3;        // address, attributes, response
constexpr std::int64_t turnaround = 1;

constexpr Time clocks(std::int64_t n) { return 8_ns * n; }

/// When all of card 0's write of `n` bytes at time 0 has passed the bus: when a memory that takes no time has it, less
/// the way there, which takes next to none.
Time written(std::uint64_t address, Bytes n, const std::function<void(PcixBench&)>& change = {}) {
  return Time::from_fs(std::stoll(in_child([&] {
    PcixBench b(1);
    b.imb.flight = 1_fs;
    b.imb.bandwidth = b.dram.bandwidth = Rate::bytes_per_second(1'000'000'000'000'000);
    b.mem.record = true;
    if (change) change(b);
    b.build();
    b.at(0_ns, [&] { b.card(0).write(address, n); });
    b.run();
    b.expect_all_home();
    return std::to_string(b.machine().get<host::Memory>("memory").extents().back().when.fs());
  })));
}

}  // namespace

TEST_CASE("a write has crossed the bus when its address, its attributes, the response and its words have") {
  const auto near = [](Time t, Time expected) { return t >= expected && t - expected < 1_ps; };
  CHECK(near(written(PcixBench::memory, 8_B), clocks(registered + arbitration + front + 1)));
  CHECK(near(written(PcixBench::memory, 512_B), clocks(registered + arbitration + front + 64)));
  CHECK(near(written(PcixBench::memory + 4, 8_B), clocks(registered + arbitration + front + 2)));
  CHECK(near(written(PcixBench::memory, 512_B, [](PcixBench& b) { b.bus.width = 32; }),
             clocks(registered + arbitration + front + 128)));
  CHECK(near(written(PcixBench::memory, 512_B, [](PcixBench& b) { b.bus.decode = 3; }),
             clocks(registered + arbitration + front + 2 + 64)));
  // Two bursts: the second is asked for while the first has the bus.
  CHECK(near(written(PcixBench::memory, 1_KiB, [](PcixBench& b) { b.cards[0].bus.max_write = 512_B; }),
             clocks(registered + arbitration + 2 * (front + 64) + turnaround)));
}

TEST_CASE("a read is a request, and a completion of its own") {
  const std::string came = in_child([&] {
    PcixBench b(1);
    b.imb.flight = 1_fs;
    b.imb.bandwidth = b.dram.bandwidth = Rate::bytes_per_second(1'000'000'000'000'000);
    b.mem.read_latency = 100_ns;
    b.build();
    b.at(0_ns, [&] { b.card(0).read(3, PcixBench::memory, 128_B); });
    b.run();
    b.expect_all_home();
    CHECK(b.the_bus().use(1).transactions == 1);
    CHECK(b.the_bus().use(0).transactions == 1);
    CHECK(b.the_bus().use(0).data == 128_B);
    CHECK(b.the_bus().use(0).held == clocks(front + 16 + turnaround));
    CHECK(b.the_bus().use(1).held == clocks(front + turnaround));
    return std::to_string(b.card(0).came().at(3).when.fs());
  });
  // 6 clocks until the request is at the bridge, at 148 ns the data, which the bus sees from the next edge on.
  const Time asked = clocks(registered + arbitration + front);
  const std::int64_t edge = (asked + 100_ns).fs() / (8_ns).fs() + 1;
  CHECK(came == std::to_string(clocks(edge + arbitration + front + 16).fs()));
}

TEST_CASE("two masters share the bus fairly") {
  const std::string said = in_child([&] {
    PcixBench b(2);
    b.build();
    b.at(0_ns, [&] {
      for (int i = 0; i < 40; ++i)
        for (int c = 0; c < 2; ++c) b.card(c).write(PcixBench::memory + 512 * static_cast<unsigned>(i), 512_B);
    });
    std::string out;
    b.at(clocks(40 * 68), [&] {
      const auto difference = b.the_bus().use(1).transactions - b.the_bus().use(2).transactions;
      out = difference >= -1 && difference <= 1 && b.the_bus().use(1).transactions > 15 ? "fair" : "unfair";
    });
    b.run();
    b.expect_all_home();
    return out;
  });
  CHECK(said == "fair");
}

TEST_CASE("a bridge has as many reads under way as it can, and tells the others to retry") {
  for (const int limit : {1, 2, 4}) {
    CAPTURE(limit);
    CHECK(in_child([&] {
            PcixBench b(1);
            b.bridge.split_requests = limit;
            b.mem.read_latency = 2_us;
            b.build();
            b.at(0_ns, [&] {
              for (unsigned i = 0; i < 4; ++i) b.card(0).read(i, PcixBench::memory + 512 * i, 512_B);
            });
            std::string out;
            b.at(1500_ns,
                 [&] { out = fmt::format("{} {}", b.the_bus().use(1).transactions, b.the_bus().use(1).retries > 0); });
            b.run();
            b.expect_all_home();
            return out + " " + std::to_string(b.card(0).came().size());
          }) == fmt::format("{} {} 4", limit, limit < 4));
  }
}

TEST_CASE("a card has as many split transactions under way as it is told") {
  CHECK(in_child([&] {
          PcixBench b(1);
          b.bridge.split_requests = 8;
          b.cards[0].bus.reads = 3;
          b.mem.read_latency = 2_us;
          b.build();
          b.at(0_ns, [&] {
            for (unsigned i = 0; i < 8; ++i) b.card(0).read(i, PcixBench::memory + 512 * i, 512_B);
          });
          std::string out;
          b.at(1500_ns, [&] { out = std::to_string(b.the_bus().use(1).transactions); });
          b.run();
          b.expect_all_home();
          return out + " " + std::to_string(b.the_bus().use(1).retries);
        }) == "3 0");
}

TEST_CASE("writes that the bridge has no room for are told to retry, and come in the end, once") {
  CHECK(in_child([&] {
          PcixBench b(2);
          b.imb.bandwidth = Rate::bytes_per_second(200'000'000);  // the bus brings five times that
          b.mem.record = true;
          b.build();
          b.at(0_ns, [&] {
            for (unsigned i = 0; i < 16; ++i)
              for (int c = 0; c < 2; ++c)
                b.card(c).write(PcixBench::memory + 65536 * static_cast<unsigned>(c) + 4096 * i, 4_KiB);
          });
          b.run();
          b.expect_all_home();
          Bytes all;
          for (const host::Extent& e : b.machine().get<host::Memory>("memory").extents()) all += e.length;
          return fmt::format("{} {}", all.count(), b.the_bus().use(1).retries > 0 && b.the_bus().use(2).retries > 0);
        }) == fmt::format("{} true", 32 * 4096));
}

TEST_CASE("a core's store comes to the card's registers over the bus") {
  CHECK(in_child([&] {
          PcixBench b(1);
          b.build();
          b.program("driver", [&](Fiber& f) {
            b.machine().get<host::Core>("core").store(f, PcixBench::window(0) + 64, 8_B, 0x1234, 0);
          });
          b.run();
          b.expect_all_home();
          const auto& s = b.card(0).stores();
          return s.size() == 1 ? fmt::format("{:x} {:x}", s[0].address - PcixBench::window(0), s[0].value) : "none";
        }) == "40 1234");
}

}  // namespace pcix_bus_test
