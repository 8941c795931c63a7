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

TEST_CASE("who was told to retry first has the next room") {
  CHECK(in_child([&] {
          PcixBench b(3);
          b.bridge.split_requests = 1;
          b.mem.read_latency = 2_us;
          b.build();
          b.at(0_ns, [&] { b.card(0).read(0, PcixBench::memory, 64_B); });
          b.at(200_ns, [&] { b.card(2).read(2, PcixBench::memory, 64_B); });
          b.at(400_ns, [&] { b.card(1).read(1, PcixBench::memory, 64_B); });
          b.at(600_ns, [&] { b.card(0).write(PcixBench::memory + 64, 8_B); });  // now it would be card 1's turn
          b.run();
          b.expect_all_home();
          return b.card(2).came().at(2).when < b.card(1).came().at(1).when ? "first come" : "in turn";
        }) == "first come");
}

TEST_CASE("who is told to retry takes back its request for two clocks") {
  std::int64_t least = 1000;
  for (int late = 0; late < 40; ++late) {
    const std::int64_t gap = std::stoll(in_child([&] {
      // A burst's room gets free a little after the next one was refused.
      PcixBench b(1);
      b.bridge.posted_buffer = 4_KiB;
      b.bridge.write_size = 64_B;
      b.imb.bandwidth = Rate::bytes_per_second(4'000'000'000 - 90'000'000 * late);
      b.build();
      b.at(0_ns, [&] {
        for (unsigned i = 0; i < 3; ++i) b.card(0).write(PcixBench::memory + 4096 * i, 4_KiB);
      });
      b.run();
      std::int64_t smallest = 1000;
      for (const net::StageEvent& retry : b.history().stages())
        for (const net::StageEvent& again : b.history().stages())
          if (again.item == retry.item && again.begin >= retry.end && std::string(retry.name) == "told to retry" &&
              (std::string(again.name) == "address and response" || std::string(again.name) == "told to retry"))
            smallest = std::min(smallest, (again.begin - retry.end).fs() / (8_ns).fs());
      return std::to_string(smallest);
    }));
    least = std::min(least, gap);
  }
  CHECK(least == 2);
}

TEST_CASE("a bridge gathers data until a completion is worth it, and asks the host for so much at a time") {
  const auto transactions = [](Bytes start, Bytes most, Bytes request) {
    return in_child([&] {
      PcixBench b(1);
      b.imb.bandwidth = Rate::bytes_per_second(100'000'000);  // a tenth of the bus's
      b.bridge.completion_start = start;
      b.bridge.completion_size = most;
      b.bridge.request_size = request;
      b.build();
      b.at(0_ns, [&] { b.card(0).read(0, PcixBench::memory, 1_KiB); });
      b.run();
      b.expect_all_home();
      return fmt::format("{} of {}", b.forward(2).counters().packets + b.backward(2).counters().packets,
                         b.the_bus().use(0).transactions);
    });
  };
  const auto of = [](int reads, int completions) { return fmt::format("{} of {}", reads + 1024 / 256, completions); };
  CHECK(transactions(128_B, 4_KiB, 4_KiB) == of(1, 4));  // the host answers by 256 B
  CHECK(transactions(512_B, 4_KiB, 4_KiB) == of(1, 2));
  CHECK(transactions(1_KiB, 4_KiB, 4_KiB) == of(1, 1));
  CHECK(transactions(128_B, 128_B, 4_KiB) == of(1, 8));
  CHECK(transactions(1_KiB, 4_KiB, 256_B) == of(4, 1));
}

TEST_CASE("a hub link carries a header for each line, and turns around") {
  const auto there = [](Bytes header, Bytes n) {
    return std::stoll(in_child([&] {
      PcixBench b(1);
      b.hub = pcix::HubLinkConfig{};
      b.hub->transfers = Frequency(500'000'000);  // 2 ns for 2 B
      b.hub->header = header;
      b.bridge.write_size = 4_KiB;
      b.dram.bandwidth = Rate::bytes_per_second(1'000'000'000'000'000);
      b.mem.record = true;
      b.build();
      b.at(0_ns, [&] { b.card(0).write(PcixBench::memory, n); });
      b.run();
      b.expect_all_home();
      return std::to_string(b.machine().get<host::Memory>("memory").extents().back().when.fs());
    }));
  };
  const auto added = [&](Bytes n) { return (there(16_B, n) - there(0_B, n) + 500'000) / 1'000'000; };
  CHECK(added(64_B) == 16);  // 8 transfers of 2 ns
  CHECK(added(65_B) == 2 * 16);
  CHECK(added(4_KiB) == 64 * 16);
}

}  // namespace pcix_bus_test
