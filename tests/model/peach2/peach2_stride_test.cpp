// SPDX-License-Identifier: Apache-2.0
// Block-stride transfers: each byte once, from the right place, at the rate of the link.
#include <map>

#include "model/peach2/peach2_bench.hpp"

namespace peach2_stride_test {

using namespace tsunagi;
using namespace tsunagi::test;
using peach2::Descriptor;

namespace {

constexpr Time prepared = 100_us;

/// Destination `to` in the own host's memory.
Descriptor block(std::uint64_t from, std::uint64_t to, Bytes length, Bytes burst, Bytes gap, bool source,
                 bool destination) {
  return {from, Peach2Bench::host(to), length, burst, gap, source, destination};
}

/// Every mixture of sides, bursts smaller and larger than a packet, a page, a read request; odd places.
std::vector<Descriptor> all_shapes() {
  std::vector<Descriptor> all;
  std::uint64_t to = 0x4000'0000;
  const auto add = [&](std::uint64_t from, std::uint64_t at, std::int64_t bursts, Bytes burst, Bytes gap) {
    for (const auto& [source, destination] : {std::pair{true, false}, {false, true}, {true, true}}) {
      all.push_back(block(from, to + at, burst * bursts, burst, gap, source, destination));
      to += 0x40'0000;
    }
  };
  add(0x0, 0x0, 37, 4_B, 60_B);
  add(0x3, 0x5, 20, 12_B, 8_B);
  add(0x1040, 0x80, 70, 64_B, 192_B);
  add(0xff0, 0xff8, 30, 256_B, 256_B);
  add(0x20, 0x30, 17, 260_B, 4_B);
  add(0x800, 0xfff, 9, 4_KiB, 4_KiB);
  add(0x10, 0x44, 5, 10'000_B, 100_B);
  add(0x0, 0x0, 3, 8_KiB, 0_B);
  return all;
}

/// Bytes of the memory that were written, and the source byte that each came from; empty if one was written twice.
std::map<std::uint64_t, std::uint64_t> written_bytes(const host::Memory& memory) {
  std::map<std::uint64_t, std::uint64_t> bytes;
  for (const host::Extent& e : memory.extents()) {
    if (e.address < 0x4000'0000 || e.address >= far) continue;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(e.length.count()); ++i)
      if (!bytes.emplace(e.address + i, e.origin_offset + i).second) return {};
  }
  return bytes;
}

void expect_moved(const std::map<std::uint64_t, std::uint64_t>& bytes, const std::vector<Descriptor>& all) {
  std::size_t expected = 0;
  for (const Descriptor& d : all) {
    peach2::Layout to = d.to();
    to.base -= Peach2Bench::host(0);
    int wrong = 0;
    for (Bytes o; o < d.length; o += 1_B) {
      const auto it = bytes.find(to.address_of(o));
      if (it == bytes.end() || it->second != d.from().address_of(o)) ++wrong;
    }
    INFO("burst " << d.burst.count() << " gap " << d.gap.count() << " " << d.source_strided << d.destination_strided);
    CHECK(wrong == 0);
    expected += static_cast<std::size_t>(d.length.count());
  }
  CHECK(bytes.size() == expected);
}

void move_all(int max_train, Bytes max_read_request) {
  Peach2Bench b;
  b.chip.dma.max_read_request = max_read_request;
  b.build(max_train);
  const auto all = all_shapes();
  b.at(0_ns, [&] { b.write_chain(all); });
  b.at(prepared, [&] { b.ring_chain(Peach2Bench::table(0)); });
  b.run();
  expect_moved(written_bytes(b.memory()), all);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("blocks of every shape land once, each byte from its place") { move_all(1, 4_KiB); }

TEST_CASE("blocks of every shape land once, each byte from its place, in trains") { move_all(64, 4_KiB); }

TEST_CASE("blocks of every shape land once, each byte from its place, by small reads") { move_all(64, 128_B); }

TEST_CASE("register mode strides as well") {
  Peach2Bench b;
  b.build();
  auto all = all_shapes();
  all.resize(16);
  b.at(0_ns, [&] {
    for (int i = 0; i < 16; ++i) b.set_descriptor(i, all[static_cast<std::size_t>(i)]);
  });
  b.at(prepared, [&] { b.ring_registers(16); });
  b.run();
  expect_moved(written_bytes(b.memory()), all);
}

TEST_CASE("bursts of the source are read one a cycle and written as fast as the link takes them") {
  Peach2Bench b;
  b.chip.dma.tags = 32;
  b.build();
  constexpr int n = 400;
  b.at(0_ns, [&] {
    b.set_descriptor(0, {far + 0x10'0000, Peach2Bench::remote(0x1000), 64_B * n, 64_B, 1_KiB, true, false});
  });
  b.at(prepared, [&] { b.ring_registers(1); });
  b.run();
  b.probe("at_e").expect_first_at(b.doorbell(prepared) + b.step() * 2 + b.round_trip(64_B) + b.written(64_B));
  // 88 B on the wire take 22 ns: six words of the hard IP.
  b.probe("at_e").expect_at(n - 1, b.probe("at_e").arrivals()[0].head + cycle * 6 * (n - 1));
}

TEST_CASE("bursts of the destination are cut out of full completions") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] {
    b.set_descriptor(0, {far + 0x10'0000, Peach2Bench::remote(0x1000), 4_KiB, 64_B, 1_KiB, false, true});
  });
  b.at(prepared, [&] { b.ring_registers(1); });
  b.run();
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.size() == 64);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i].address == Peach2Bench::remote(0x1000 + 1088 * i));
    CHECK(seen[i].payload == 64_B);
  }
  // The first as soon as its completion of 256 B is there.
  b.probe("at_e").expect_first_at(b.doorbell(prepared) + b.step() * 2 + b.round_trip(256_B) + b.written(64_B));
}

TEST_CASE("a stride that is none is refused with its descriptor") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] {
    b.set_descriptor(0, {0x1000, Peach2Bench::remote(0), 64_B, {}, {}, false, false});
    b.set_descriptor(1, {0x1000, Peach2Bench::remote(0), 64_B, {}, 64_B, true, false});
    b.ring_registers(2);
  });
  CHECK(b.failure() == "chip: DMA channel 0: descriptor 1: a gap of 64 B but no burst length");
}

TEST_CASE("a short transfer brings what the source's last word says") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] {
    b.set(Peach2Bench::host(0x5140), 4711);
    b.set_descriptor(0, {0x5140, Peach2Bench::remote(0x1000), 8_B, {}, {}, false, false});
    b.set_descriptor(1, {0x5140 - 24, Peach2Bench::remote(0x2000), 32_B, {}, {}, false, false});
    // Four bytes of data and the flag behind them; a page of the destination cuts between them.
    b.set_descriptor(2, {0x5140 - 4, Peach2Bench::remote(0x3ffc), 12_B, {}, {}, false, false});
  });
  b.at(prepared, [&] { b.ring_registers(3); });
  b.run();
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].value == 4711);
  CHECK(seen[1].value == 4711);
  CHECK(seen[2].value == 0);
  CHECK(seen[2].payload == 4_B);
  CHECK(seen[3].value == 4711);
}

}  // namespace peach2_stride_test
