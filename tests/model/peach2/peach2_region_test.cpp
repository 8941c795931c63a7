// SPDX-License-Identifier: Apache-2.0
// The chip's own region and the GPU regions of its node: who may write, who may read, how long it takes.
#include "model/peach2/peach2_bench.hpp"

namespace peach2_region_test {

using namespace tsunagi;
using namespace tsunagi::test;
using peach2::ChipRegion;
using peach2::Region;
using peach2::Registers;

namespace {

constexpr std::uint64_t own(std::uint64_t offset) { return (512 + 192) * GiB + offset; }
constexpr std::uint64_t packets(std::uint64_t offset) { return own(ChipRegion::packet_memory + offset); }
constexpr std::uint64_t msi = 0xfee0'0000;

peach2::Peach2Config chip() {
  peach2::Peach2Config c;
  c.hard_ip_cycles = 24;
  c.dma.step_cycles = 10;
  c.routes = {{peach2::east, 1, 1}};
  return c;
}

/// Node 0 of 2, a probe at every port.
void build(Bench& b, const peach2::Peach2Config& c = chip()) {
  b.device("chip", c);
  for (const std::string p : {"n", "e", "w", "s"}) {
    b.device("at_" + p, port("link"));
    b.wire("at_" + p + ".link", "chip." + p, quiet(gen2_x8()));
  }
  b.build();
}

void write(Bench& b, const std::string& by, std::uint64_t address, std::uint64_t value, Bytes n = 8_B) {
  b.probe(by).says(value);
  b.probe(by).write(address, n);
  b.probe(by).says({});
}

/// From a packet of `n` bytes on the wire at `t` to its place behind the routing stage.
Time inside(Time t, Bytes n) { return at_or_after(t + Rate::bytes_in(4, 1'000'000).time(n) + 1_ns) + cycle * (24 + 4); }

/// From data of `n` bytes at port N to the completion at the probe there: starts when its beats are sure to be in time.
Time completed(Time t, Bytes n) {
  const Time wire = Time::from_fs((n + 20_B).count() * 250'000);
  const Time beats = cycle * units_of(n + 12_B, 16_B);
  return t + cycle * 24 + at_or_after(std::max(wire, beats) - wire) + wire + 1_ns;
}

}  // namespace

TEST_CASE("the host reads registers") {
  Bench b;
  build(b);
  const std::uint64_t source = own(Registers::of_descriptor(2, 5) + Registers::source);
  b.at(0_ns, [&] { write(b, "at_w", source, 77); });
  b.at(1_us, [&] { b.probe("at_n").read(source); });
  b.run();
  const auto& seen = b.probe("at_n").arrivals();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].value == 77);
  CHECK(seen[0].payload == 8_B);
  CHECK(seen[0].tlp_class == pcie::completion);
  // Four cycles and a beat.
  b.probe("at_n").expect_at(0, completed(inside(1_us, 24_B) + cycle * 5, 8_B));
  b.expect_all_home();
}

TEST_CASE("a read that follows a write finds what it wrote") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    write(b, "at_n", own(ChipRegion::of_descriptor(1023) + 24), 5);
    b.probe("at_n").read(own(ChipRegion::of_descriptor(1023)), 32_B);
  });
  b.at(1_us, [&] {
    write(b, "at_n", own(ChipRegion::of_descriptor(1023) + 24), 0);
    b.probe("at_n").read(own(ChipRegion::of_descriptor(1023)), 32_B);
    write(b, "at_n", packets(0x1000), 9);
    b.probe("at_n").read(packets(0x1000));
  });
  b.run();
  const auto& seen = b.probe("at_n").arrivals();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].value == 5);
  CHECK(seen[1].value == 0);
  CHECK(seen[2].value == 9);
  b.expect_all_home();
}

TEST_CASE("packet memory answers large reads in completions of whole packets") {
  Bench b;
  build(b);
  b.at(1_us, [&] { b.probe("at_n").read(packets(0x80), 600_B); });
  b.run();
  const auto& seen = b.probe("at_n").arrivals();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].payload == 128_B);
  CHECK(seen[1].payload == 256_B);
  CHECK(seen[2].payload == 216_B);
  // 30 cycles and eight beats.
  b.probe("at_n").expect_at(0, completed(inside(1_us, 24_B) + cycle * 38, 128_B));
}

TEST_CASE("a DMA channel reads packet memory without PCIe") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    write(b, "at_w", own(Registers::source), packets(0));
    write(b, "at_w", own(Registers::destination), (512 + 256) * GiB);
    write(b, "at_w", own(Registers::length), 8192);
  });
  b.at(1_us, [&] { write(b, "at_w", own(Registers::control), 1); });
  b.run();
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.size() == 32);
  // Two steps to the request, 30 cycles and 16 beats to the data, two steps to the write.
  const Time first = inside(1_us, 32_B) + cycle * (20 + 46 + 20 + 24) + 70_ns + 1_ns;
  b.probe("at_e").expect_at(0, first);
  b.probe("at_e").expect_at(31, first + cycle * 18 * 31);
  CHECK(b.probe("at_n").arrivals().empty());
  b.expect_all_home();
}

TEST_CASE("what DMA writes to packet memory can be sent on from there") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] {
    b.set(Peach2Bench::host(0x5000), 42);
    b.set_descriptor(0, {0x5000, packets(0x300), 8_B, {}, {}, false, false});
    b.set_descriptor(1, {0x6000, packets(0x1000), 64_KiB, {}, {}, false, false});
  });
  b.at(50_us, [&] { b.ring_registers(2); });
  b.at(150_us, [&] {
    b.set_descriptor(0, {packets(0x300), Peach2Bench::remote(0), 8_B, {}, {}, false, false});
    b.ring_registers(1);
  });
  b.run();
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].value == 42);
  b.expect_all_home();
}

TEST_CASE("memories take turns: what comes from the other waits until all is back") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] {
    b.set_register(Registers::status, Peach2Bench::remote(0x9000));
    b.set_descriptor(0, {0x6000, Peach2Bench::remote(0x1000), 512_B, {}, {}, false, false});
    b.set_descriptor(1, {packets(0x1000), Peach2Bench::remote(0x2000), 512_B, {}, {}, false, false});
    b.set_descriptor(2, {0x7000, Peach2Bench::remote(0x3000), 512_B, {}, {}, false, false});
  });
  b.at(50_us, [&] { b.ring_registers(3); });
  b.run();
  std::vector<std::uint64_t> seen;
  for (const Arrival& a : b.probe("at_e").arrivals()) seen.push_back(a.address - Peach2Bench::remote(0));
  CHECK(seen == std::vector<std::uint64_t>{0x1000, 0x1100, 0x2000, 0x2100, 0x3000, 0x3100, 0x9000});
}

TEST_CASE("the GPU regions of a node are at the GPUs' addresses of its host") {
  Bench b;
  peach2::Peach2Config c = chip();
  c.gpu0_base = 300_GiB;
  c.gpu1_base = 400_GiB;
  build(b, c);
  b.at(0_ns, [&] {
    b.probe("at_w").write((512 + 64) * GiB + 0x1234, 64_B);
    b.probe("at_w").write((512 + 128) * GiB + 0x5678, 64_B);
  });
  b.run();
  const auto& seen = b.probe("at_n").arrivals();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].address == 300 * GiB + 0x1234);
  CHECK(seen[1].address == 400 * GiB + 0x5678);
}

TEST_CASE("an interrupt from another node comes a step later, behind the data") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { write(b, "at_n", own(Registers::interrupt_address), msi); });
  b.at(1_us, [&] { write(b, "at_e", own(Registers::interrupt), 3); });
  b.at(2_us, [&] {
    for (std::uint64_t i = 0; i < 3; ++i) b.probe("at_e").write(512 * GiB + 256 * i, 256_B);
    write(b, "at_e", own(Registers::interrupt), 4);
  });
  b.run();
  const auto& seen = b.probe("at_n").arrivals();
  // 3 DW of header and 8 B are 2 beats, so that the 28 B on the wire may not begin with the first; then at an edge.
  const Time interrupt_on_wire = cycle + 7_ns;
  REQUIRE(seen.size() == 5);
  CHECK(seen[0].address == msi);
  CHECK(seen[0].value == 3);
  CHECK(seen[0].payload == 8_B);
  b.probe("at_n").expect_at(0, inside(1_us, 32_B) + cycle * (10 + 24) + interrupt_on_wire + 1_ns);
  CHECK(seen[4].address == msi);
  CHECK(seen[4].value == 4);
  b.expect_all_home();
}

TEST_CASE("an interrupt of its own host") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    write(b, "at_n", own(Registers::interrupt_address), msi);
    write(b, "at_n", own(Registers::interrupt), 1);
    b.probe("at_n").read(own(Registers::interrupt));
  });
  b.run();
  REQUIRE(b.probe("at_n").arrivals().size() == 2);
  for (const Arrival& a : b.probe("at_n").arrivals()) CHECK(a.value == 1);
}

TEST_CASE("an interrupt without an address is told") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { write(b, "at_e", own(Registers::interrupt), 1); });
  CHECK(b.failure() == "chip: an interrupt, but its interrupt address is not set");
}

TEST_CASE("a read that comes from another node is refused") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_e").read(own(0)); });
  CHECK(b.failure() ==
        "chip: a read of address 0xb000000000 came by port E and was refused: PEACH2 only puts across nodes; remote "
        "reads go by proxy (interrupt register)");
}

TEST_CASE("a read of the own host through the window is refused") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_n").read(512 * GiB); });
  CHECK(b.failure() ==
        "chip: a read of address 0x8000000000 came by port N and was refused: only the chip's own region answers "
        "reads");
}

TEST_CASE("a read where nothing is, is refused") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_n").read(own(0x5'0000)); });
  CHECK(b.failure() ==
        "chip: a read of address 0xb000050000 came by port N and was refused: nothing in the chip's own region answers "
        "with 8 B at offset 0x50000");
}

TEST_CASE("a write where nothing is, is told") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_w").write(own(0x8000'0000 + ChipRegion::packet_memory), 64_B); });
  CHECK(b.failure() == "chip: nothing in the chip's own region takes 64 B at offset 0x80100000");
}

TEST_CASE("no register there") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { write(b, "at_n", own(0x9000), 1); });
  CHECK(b.failure() == "chip: no register at offset 0x9000");
}

TEST_CASE("no register there in a channel's block") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { write(b, "at_n", own(Registers::of_channel(1) + 0x28), 1); });
  CHECK(b.failure() == "chip: DMA channel 1: no register at offset 0x28");
}

TEST_CASE("registers take eight bytes at a time") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { write(b, "at_n", own(0), 1, 64_B); });
  CHECK(b.failure() == "chip: a write of 64 B to the register at offset 0x0; registers take 8 B");
}

TEST_CASE("descriptor memory takes up to a descriptor at a time") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { write(b, "at_n", own(ChipRegion::descriptor_memory), 1, 64_B); });
  CHECK(b.failure() ==
        "chip: a write of 64 B to descriptor memory at offset 0x10000; it takes 8, 16, 24 or 32 B at a time");
}

TEST_CASE("packet memory must fit the window") {
  Bench b;
  peach2::Peach2Config c = chip();
  c.window_base = c.window_size = 8_GiB;
  c.nodes = 16;
  b.device("chip", c);
  CHECK_THROWS_WITH(b.build(), Catch::Contains("chip: registers, descriptor memory and 2 GiB of packet memory need") &&
                                   Catch::Contains("but the chip's region of the window has 128 MiB"));
}

}  // namespace peach2_region_test
