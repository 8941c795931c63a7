// SPDX-License-Identifier: Apache-2.0
// The write side of a DMA channel gathers what has come into writes of up to the largest payload.
#include <algorithm>

#include "explain/path.hpp"
#include "model/peach2/peach2_bench.hpp"
#include "support/child.hpp"

namespace peach2_gather_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time prepared = 100_us;
constexpr std::uint64_t source = far + 0x20'0000;

/// Reads of host memory come back in completions of 64 B.
struct GatherBench : Peach2Bench {
  GatherBench() { root.completion_size = 64_B; }
  void put(std::uint64_t from, std::uint64_t to, Bytes n) {
    at(0_ns, [=] { set_descriptor(0, {from, remote(to), n, {}, {}, false, false}); });
    at(prepared, [=] { ring_registers(1); });
    run();
  }
};

std::vector<Bytes> sizes(const Probe& p) {
  std::vector<Bytes> out;
  for (const Arrival& a : p.arrivals()) out.push_back(a.payload);
  return out;
}

/// Each byte once, one after the other.
void expect_whole(const Probe& p, std::uint64_t to, Bytes n) {
  Bytes done;
  for (const Arrival& a : p.arrivals()) {
    REQUIRE(a.address == Peach2Bench::remote(to) + static_cast<std::uint64_t>(done.count()));
    done += a.payload;
  }
  CHECK(done == n);
}

}  // namespace

TEST_CASE("small completions fill large writes where the link is the slower one") {
  GatherBench b;
  pcie::LinkConfig slow = b.link;
  slow.lanes = 1;
  b.chip.transmit_fifo = 0_B;
  b.east = slow;
  b.build();
  constexpr Bytes n = 2_KiB;
  b.put(source, 0x1000, n);
  expect_whole(b.probe("at_e"), 0x1000, n);
  // The first has nothing before it, the second enters the pipeline while the first is on the wire; the others wait.
  const auto seen = sizes(b.probe("at_e"));
  REQUIRE(seen.size() == 2 + 7 + 1);
  CHECK(seen[0] == 64_B);
  CHECK(seen[1] == 64_B);
  for (std::size_t i = 2; i < 9; ++i) CHECK(seen[i] == 256_B);
  CHECK(seen[9] == 128_B);
  const auto& arrivals = b.probe("at_e").arrivals();
  for (std::size_t i = 3; i < 9; ++i)
    CHECK(arrivals[i].head - arrivals[i - 1].head == pcie::link_rate(slow).time(280_B));
  b.expect_all_home();
}

TEST_CASE("completions of 64 B do not bound a put by the framing of writes of 64 B") {
  GatherBench b;
  b.chip.dma.tags = 8;
  b.chip.dma.buffer = 64_KiB;
  b.build();
  constexpr Bytes n = 256_KiB;
  b.put(source, 0x1000, n);
  expect_whole(b.probe("at_e"), 0x1000, n);
  const auto& seen = b.probe("at_e").arrivals();
  // They come at 84 B a 64, by the link of the host; as writes of their own they would need 6 cycles of 16 B each.
  const Time came = Peach2Bench::on_link(84_B) * (n / 64_B);
  const Time took = seen.back().head - seen.front().head;
  REQUIRE(cycle * 6 * (n / 64_B) > came + 5_us);
  CHECK(took < came + 200_ns);
  b.expect_all_home();
}

TEST_CASE("a completion that finds nothing before it is written as it is") {
  GatherBench b;
  b.build();
  b.put(source, 0x1000, 64_B);
  b.probe("at_e").expect_first_at(b.doorbell(prepared) + b.step() * 2 + b.round_trip(64_B) + b.written(64_B));
  CHECK(sizes(b.probe("at_e")) == std::vector<Bytes>{64_B});
}

TEST_CASE("what is gathered ends at 4 KiB") {
  GatherBench b;
  b.east.lanes = 1;
  b.chip.transmit_fifo = 0_B;
  b.build();
  b.put(source, 0x1fa0, 1_KiB);
  expect_whole(b.probe("at_e"), 0x1fa0, 1_KiB);
  Bytes until;
  for (const Bytes n : sizes(b.probe("at_e"))) {
    if (until == 0x60_B) break;
    until += n;
  }
  CHECK(until == 0x60_B);
}

TEST_CASE("of completions that come as a train those that fill a write do so, whatever becomes of the others") {
  // Each page begins in the middle of a completion. Writes and requests share the way to the host; the older is
  // first, and a write that had to wait for the one before it would be younger.
  const auto extents = [](int max_train) {
    return in_child([max_train] {
      Peach2Bench b;
      b.chip.datapath_width = 8_B;  // slower than completions come
      b.chip.dma.tags = 32;
      b.chip.dma.max_read_request = 1_KiB;
      b.build(max_train);
      b.at(0_ns, [&b] {
        b.set_descriptor(0, {source, Peach2Bench::host(far + 0x30'0080), 64_KiB, {}, {}, false, false});
        b.ring_registers(1);
      });
      b.run();
      b.expect_all_home();
      return extents_text(b.memory());
    });
  };
  const std::string one_by_one = extents(1);
  CHECK(one_by_one.size() > 1000);
  CHECK(one_by_one == extents(2));
  CHECK(one_by_one == extents(64));
}

TEST_CASE("what bytes say does not change which of them share a write") {
  GatherBench b;
  b.east.lanes = 1;
  b.chip.transmit_fifo = 0_B;
  b.build();
  b.at(0_ns, [&] {
    b.set(Peach2Bench::host(source + 56), 4711);
    b.set_descriptor(0, {source + 4096, Peach2Bench::remote(0x10000), 4_KiB, {}, {}, false, false});
    b.set_descriptor(1, {source + 40, Peach2Bench::remote(0x1000), 280_B, {}, {}, false, false});  // 24 B, then 64 each
  });
  b.at(prepared, [&] { b.ring_registers(2); });
  b.run();
  // All of the second has come while the first was written.
  const auto seen = sizes(b.probe("at_e"));
  REQUIRE(seen.size() > 2);
  CHECK(seen[seen.size() - 2] == 256_B);
  CHECK(seen.back() == 24_B);
  const Arrival& gathered = b.probe("at_e").arrivals()[seen.size() - 2];
  REQUIRE(gathered.bytes.size() == 8);
  CHECK(flow::read_word(gathered.bytes.data(), 8) == 4711);
}

TEST_CASE("a write that waited until its descriptor was loaded says so") {
  GatherBench b;
  b.east.lanes = 1;
  b.chip.transmit_fifo = 0_B;
  b.build();
  b.at(0_ns, [&] {
    b.set_descriptor(0, {source, Peach2Bench::remote(0x1000), 2_KiB, {}, {}, false, false});
    b.set_descriptor(1, {source + 2048, Peach2Bench::remote(0x10000), 64_B, {}, {}, false, false});
  });
  b.at(prepared, [&] { b.ring_registers(2); });
  b.run();
  // The data of the second have come while the first was written: its write is built when its descriptor is loaded.
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.back().address == Peach2Bench::remote(0x10000));
  const explain::Path path = explain::walk(b.history(), seen.back().id, prepared, seen.back().tail);
  const auto loaded = std::find_if(path.segments.begin(), path.segments.end(),
                                   [](const explain::Segment& s) { return s.what == "DMA load descriptor"; });
  REQUIRE(loaded != path.segments.end());
  CHECK(loaded->end - loaded->begin == b.load());
  b.expect_all_home();
}

}  // namespace peach2_gather_test
