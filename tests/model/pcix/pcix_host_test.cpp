// SPDX-License-Identifier: Apache-2.0
// What hosts of shipped parts give a card on PCI-X: read start and bandwidths.
#include <fmt/format.h>

#include "model/pcix/shipped_host.hpp"

namespace pcix_host_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr int transfers = 64;

/// MB/s of transfers of 4 KiB, in bursts of `byte_count`, of which `reads` are under way.
double streamed(Chipset chipset, bool reading, Bytes byte_count, int reads) {
  return std::stod(in_child([&] {
    PcixBench b(1);
    use_shipped(b, chipset);
    b.cards[0].bus.max_read = byte_count;
    b.cards[0].bus.max_write = byte_count;
    b.cards[0].bus.reads = reads;
    b.build();
    Time end;
    b.at(0_ns, [&] {
      for (int i = 0; i < transfers; ++i) {
        const std::uint64_t at = PcixBench::memory + 4096 * static_cast<std::uint64_t>(i);
        if (reading)
          b.card(0).read(static_cast<std::uint64_t>(i), at, 4_KiB);
        else
          b.card(0).write(at, 4_KiB);
      }
    });
    b.run();
    b.expect_all_home();
    if (reading) end = b.card(0).came().at(transfers - 1).when;
    if (!reading) end = b.sim().now();  // the last one is in memory
    return fmt::format("{}", 4096.0 * transfers / (static_cast<double>(end.fs()) * 1e-15) / 1e6);
  }));
}

}  // namespace

TEST_CASE("a host of 2003 starts its data about 60 clocks after a card's read") {
  // myri.com/scs/performance/PCIX_motherboards, of hosts in general. The hub link of the E7501 needs longer for 128 B.
  const std::pair<Chipset, std::int64_t> hosts[] = {{Chipset::gc_le, 58}, {Chipset::e7501, 70}};
  for (const auto& host : hosts) {
    const auto& chipset = host.first;  // lambdas of C++17 capture no structured binding
    const auto& clocks = host.second;
    CAPTURE(clocks);
    const std::int64_t at = std::stoll(in_child([&] {
      PcixBench b(1);
      use_shipped(b, chipset);
      b.build();
      b.at(0_ns, [&] { b.card(0).read(0, PcixBench::memory, 128_B); });
      b.run();
      return std::to_string(b.the_bus().clock().index_at_or_after(b.card(0).came().at(0).when));
    }));
    const std::int64_t data = 128 / 8;
    const std::int64_t asked = 1 + 2 + 3 + 1;  // an edge, arbitration, address to response, turnaround
    CHECK(at - data - asked == clocks);
  }
}

TEST_CASE("reads of 4 KiB, one at a time, have the rate that Myricom's cards measured on a ServerWorks GC, nearly") {
  // 856 and 1044 MB/s of 32 reads, and as many writes, of 4 KiB each; nothing here is fitted to them.
  CHECK(streamed(Chipset::gc_le, true, 4_KiB, 1) == Approx(856).epsilon(0.04));
  CHECK(streamed(Chipset::gc_le, false, 4_KiB, 1) == Approx(1044).epsilon(0.02));
}

TEST_CASE("a hub link with a header a line is what a card's reads and writes of an E7501 are bound by") {
  const double bound = 1066.7 * 64 / (64 + 16);
  for (const Bytes n : {512_B, 4_KiB}) {
    CHECK(streamed(Chipset::e7501, true, n, 4) < bound);
    CHECK(streamed(Chipset::e7501, true, n, 4) > 0.95 * bound);
    CHECK(streamed(Chipset::e7501, false, n, 4) < bound);
    CHECK(streamed(Chipset::e7501, false, n, 4) > 0.97 * bound);
  }
}

TEST_CASE("rates of shipped hosts by byte count and reads under way, for docs/pci-x.md", "[.rates]") {
  for (const Chipset chipset : {Chipset::gc_le, Chipset::e7501})
    for (const Bytes n : {512_B, 1_KiB, 2_KiB, 4_KiB}) {
      fmt::print("{} {} B: reads", chipset == Chipset::gc_le ? "GC-LE" : "E7501", n.count());
      for (const int reads : {1, 2, 4, 8}) fmt::print(" {}: {:.1f}", reads, streamed(chipset, true, n, reads));
      fmt::print(" writes {:.1f}\n", streamed(chipset, false, n, 1));
    }
}

}  // namespace pcix_host_test
