// SPDX-License-Identifier: Apache-2.0
// Chaining DMA against closed forms, to the femtosecond.
#include <algorithm>

#include "explain/path.hpp"
#include "model/peach2/peach2_bench.hpp"
#include "support/child.hpp"
#include "units/parse.hpp"

namespace peach2_chain_test {

using namespace tsunagi;
using namespace tsunagi::test;
using peach2::Descriptor;

namespace {

std::vector<Descriptor> many(int n, Bytes each) {
  std::vector<Descriptor> all;
  for (int i = 0; i < n; ++i) {
    const auto offset = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(each.count());
    all.push_back({far + 0x20'0000 + offset, Peach2Bench::remote(0x1000 + offset), each, {}, {}, false, false});
  }
  return all;
}

/// Each thing is done when the machine is idle again.
constexpr Time prepared = 100_us;
constexpr Time again = 200_us;

/// On a link: a completion with a descriptor.
constexpr Bytes fetched = Descriptor::size + 20_B;

std::vector<Arrival> since(const Probe& p, Time t) {
  std::vector<Arrival> out;
  for (const Arrival& a : p.arrivals())
    if (a.told >= t) out.push_back(a);
  return out;
}

}  // namespace

TEST_CASE("register mode: two steps, the read, two steps, the write") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] { b.set_descriptor(0, many(1, 32_B)[0]); });
  b.at(prepared, [&] { b.ring_registers(1); });
  b.run();
  b.probe("at_e").expect_first_at(b.doorbell(prepared) + b.step() * 2 + b.round_trip(32_B) + b.written(32_B));
  b.expect_all_home();
}

TEST_CASE("a chained descriptor comes its fetch later") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] {
    b.write_chain(many(1, 32_B));
    b.set_descriptor(0, many(1, 32_B)[0]);
  });
  b.at(prepared, [&] { b.ring_chain(Peach2Bench::table(0)); });
  b.at(again, [&] { b.ring_registers(1); });
  b.run();
  // A doorbell is decoded. Fetch built, there and back, loaded; request built.
  const Time fetch = b.step() + b.round_trip(Descriptor::size) + b.load();
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.size() == 2);
  b.probe("at_e").expect_at(0,
                            b.doorbell(prepared) + b.step() + fetch + b.step() + b.round_trip(32_B) + b.written(32_B));
  CHECK(seen[0].head - prepared == seen[1].head - again + fetch);
  CHECK(seen[0].address == Peach2Bench::remote(0x1000));
  b.expect_all_home();
}

TEST_CASE("a chain in the chip is fetched in cycles") {
  Peach2Bench b;
  b.build();
  const std::uint64_t first = Peach2Bench::own(peach2::ChipRegion::of_descriptor(7));
  b.at(0_ns, [&] { b.write_descriptor(first, {many(1, 32_B)[0], 0}); });
  b.at(prepared, [&] { b.ring_chain(first); });
  b.run();
  // A cycle, the memory and two beats of 16 B: no packet is built.
  const Time fetch = cycle * (1 + b.chip.memory.internal_cycles + 2) + b.load();
  b.probe("at_e").expect_first_at(b.doorbell(prepared) + b.step() + fetch + b.step() + b.round_trip(32_B) +
                                  b.written(32_B));
  b.expect_all_home();
}

TEST_CASE("the write side loads a descriptor when the last write of the one before has left") {
  for (const auto& [size, cycles] : {std::pair{64_B, 16}, {64_B, 2}, {256_B, 40}, {256_B, 3}}) {
    INFO(size.count() << " B, " << cycles << " cycles");
    const std::string text = in_child([&, size = size, cycles = cycles] {
      Peach2Bench b;
      b.chip.dma.tags = 16;
      b.chip.dma.descriptor_cycles = cycles;
      b.build();
      const int n = peach2::Registers::descriptors;
      b.at(0_ns, [&] {
        const auto all = many(n, size);
        for (int i = 0; i < n; ++i) b.set_descriptor(i, all[static_cast<std::size_t>(i)]);
      });
      b.at(prepared, [&] { b.ring_registers(n); });
      b.run();
      const auto& seen = b.probe("at_e").arrivals();
      if (seen.size() != 16) return std::string("packets are missing");
      // A header of one beat and the data leave at a beat a cycle; the completions come faster than that.
      const Time period = cycle * (1 + size / 16_B) + b.load();
      const Time first = b.doorbell(prepared) + b.step() * 2 + b.round_trip(size) + b.written(size);
      for (int i = 0; i < n; ++i)
        if (const Time at = seen[static_cast<std::size_t>(i)].head; at != first + period * i)
          return std::to_string(i) + ": " + to_string(at) + ", not " + to_string(first + period * i);
      return std::string();
    });
    CHECK(text == "");
  }
}

TEST_CASE("small descriptors in host memory come at the rate of their fetches") {
  Peach2Bench b;
  b.build();
  constexpr int n = 40;
  b.at(0_ns, [&] { b.write_chain(many(n, 32_B)); });
  b.at(prepared, [&] { b.ring_chain(Peach2Bench::table(0)); });
  b.run();
  // A descriptor says where the next one is: that is fetched while this one is loaded and does its own reading.
  const Time fetch = b.step() + b.round_trip(Descriptor::size);
  const Time first =
      b.doorbell(prepared) + b.step() + fetch + b.load() + b.step() + b.round_trip(32_B) + b.written(32_B);
  REQUIRE(b.probe("at_e").arrivals().size() == n);
  for (int i = 0; i < n; ++i) b.probe("at_e").expect_at(static_cast<std::size_t>(i), first + fetch * i);
}

namespace {

/// A chain of 40 small descriptors in the chip: the first and the last write at E are as expected.
void expect_chip_chain(int descriptor_cycles, std::int64_t period) {
  Peach2Bench b;
  b.chip.dma.tags = 32;
  b.chip.dma.descriptor_cycles = descriptor_cycles;
  b.build();
  constexpr int n = 40;
  const auto place = [](int i) { return Peach2Bench::own(peach2::ChipRegion::of_descriptor(i)); };
  b.at(0_ns, [&] {
    const auto all = many(n, 32_B);
    for (int i = 0; i < n; ++i)
      b.write_descriptor(place(i), {all[static_cast<std::size_t>(i)], i + 1 < n ? place(i + 1) : 0});
  });
  b.at(prepared, [&] { b.ring_chain(place(0)); });
  b.run();
  const Time fetch = cycle * (1 + b.chip.memory.internal_cycles + 2);
  CHECK(fetch == cycle * 7);
  const Time first =
      b.doorbell(prepared) + b.step() + fetch + b.load() + b.step() + b.round_trip(32_B) + b.written(32_B);
  REQUIRE(b.probe("at_e").arrivals().size() == n);
  b.probe("at_e").expect_at(0, first);
  b.probe("at_e").expect_at(n - 1, first + cycle * period * (n - 1));
}

}  // namespace

TEST_CASE("small descriptors in the chip come a memory access apart") { expect_chip_chain(0, 7); }

TEST_CASE("small descriptors in the chip come no faster than the write side takes them") { expect_chip_chain(20, 23); }

TEST_CASE("behind large descriptors the fetches are hidden") {
  for (const int prefetch : {1, 2, 8}) {
    INFO("prefetch " << prefetch);
    const std::string text = in_child([&] {
      Peach2Bench b;
      b.chip.dma.prefetch = prefetch;
      b.build();
      const auto all = many(12, 8_KiB);
      b.at(0_ns, [&] {
        b.write_chain(all);
        for (std::size_t i = 0; i < all.size(); ++i) b.set_descriptor(static_cast<int>(i), all[i]);
      });
      b.at(prepared, [&] { b.ring_chain(Peach2Bench::table(0)); });
      b.at(again, [&] { b.ring_registers(static_cast<int>(all.size())); });
      b.run();
      const auto by_registers = since(b.probe("at_e"), again);
      const auto& chained = b.probe("at_e").arrivals();
      if (chained.size() != 2 * by_registers.size()) return std::string("packets are missing");
      const Time late = (chained[by_registers.size() - 1].tail - prepared) - (by_registers.back().tail - again);
      // Only the first is waited for.
      const Time expected = b.step() + b.round_trip(Descriptor::size) + b.load();
      return late == expected ? "" : std::to_string(late.fs()) + " fs, not " + std::to_string(expected.fs());
    });
    CHECK(text == "");
  }
}

TEST_CASE("behind a large descriptor as many are fetched as have room, and no more before it is done") {
  for (const int prefetch : {1, 3}) {
    INFO("prefetch " << prefetch);
    const std::string text = in_child([&] {
      Peach2Bench b;
      b.chip.dma.prefetch = prefetch;
      b.build();
      auto all = many(8, 32_B);
      all[0].length = 256_KiB;
      b.at(0_ns, [&] { b.write_chain(all); });
      b.at(prepared, [&] { b.ring_chain(Peach2Bench::table(0)); });
      b.run();
      const auto& written = b.probe("at_e").arrivals();
      const Time half = written[written.size() / 2].head;
      const auto& stages = b.history().stages();
      const auto fetches = std::count_if(stages.begin(), stages.end(), [&](const net::StageEvent& e) {
        const std::string name = e.name;
        return (name == "DMA build fetch" || name == "DMA place for another descriptor") && e.end < half;
      });
      return fetches == 1 + prefetch ? "" : std::to_string(fetches) + " descriptors were fetched";
    });
    CHECK(text == "");
  }
}

TEST_CASE("the status comes behind the last write of a chain, once") {
  Peach2Bench b;
  b.chip.dma.step_cycles = 20;  // longer than the last data take to leave
  b.build();
  const std::uint64_t status = Peach2Bench::remote(0x8000'0000);
  b.at(0_ns, [&] {
    b.write_chain(many(3, 256_B));
    b.set_register(peach2::Registers::status, status);
  });
  b.at(prepared, [&] { b.ring_chain(Peach2Bench::table(0)); });
  b.at(again, [&] { b.ring_chain(Peach2Bench::table(1)); });
  b.run();
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.size() == 4 + 3);
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK((seen[i].address == status) == (i == 3 || i == 6));
  CHECK(seen[3].value == 1);
  CHECK(seen[6].value == 2);
  // A step to build it, behind the same way as the last data.
  CHECK(seen[3].tail - seen[2].tail == b.step() - Peach2Bench::on_link(256_B + 24_B) + Peach2Bench::on_link(32_B));
  b.expect_all_home();
}

TEST_CASE("the way back from a chained write leads through both fetches to the doorbell") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] { b.write_chain(many(2, 32_B)); });
  b.at(prepared, [&] { b.ring_chain(Peach2Bench::table(0)); });
  b.run();
  const Arrival& last = b.probe("at_e").arrivals().back();
  const explain::Path path = explain::walk(b.history(), last.id, prepared, last.tail);
  std::vector<std::string> steps;
  for (const explain::Segment& s : path.segments)
    if (s.what.rfind("DMA", 0) == 0) steps.push_back(s.what);
  CHECK(steps == std::vector<std::string>{"DMA build fetch", "DMA build fetch", "DMA load descriptor, build request",
                                          "DMA store, build write"});
  CHECK(std::none_of(path.segments.begin(), path.segments.end(),
                     [](const explain::Segment& s) { return s.kind == explain::Kind::unexplained; }));
}

}  // namespace peach2_chain_test
