// SPDX-License-Identifier: Apache-2.0
// What bytes of one memory say, others say after DMA: byte for byte, however the bytes are cut into requests,
// completions, writes and trains. Two nodes with a GPU each; node 0 puts.
#include <algorithm>
#include <random>
#include <vector>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace contents_test {

using namespace tsunagi;
using namespace tsunagi::test;
using peach2::Descriptor;
using peach2::Region;
using peach2::Registers;

namespace {

constexpr std::uint64_t source = far + 0x10'0000;
constexpr std::uint64_t target = far + 0x200'0000;
constexpr std::uint64_t status = far + 0x400'0000;
constexpr std::uint64_t in_gpu = 0x8000;
constexpr std::uint64_t in_chip = 0x3000;
constexpr Bytes area = 24_KiB;  // of sources

struct Shape {
  int max_train;
  Bytes mps;
  Bytes completions;
  Bytes mrrs;
};

class Nodes : public Bench {
 public:
  explicit Nodes(const Shape& s) : dice_(static_cast<unsigned>(s.mps.count() + s.completions.count() + s.max_train)) {
    pcie::LinkConfig link = quiet(gen2_x8());
    link.max_payload_size = s.mps;
    for (int i = 0; i < 2; ++i) {
      const std::string n = "node" + std::to_string(i) + ".";
      host::RootComplexConfig rc;
      rc.completion_size = s.completions;
      rc.slots = {{"slot0", 512_GiB, 512_GiB}, {"slot1", 256_GiB, 256_MiB + 16_MiB}};
      peach2::Peach2Config chip;
      chip.node = i;
      chip.dma.max_read_request = s.mrrs;
      chip.gpu0_base = 256_GiB;
      chip.routes = {{i == 0 ? peach2::east : peach2::west, 1 - i, 1 - i}};
      device(n + "core", host::CoreConfig{});
      device(n + "rc", rc);
      device(n + "memory", host::MemoryConfig{});
      device(n + "gpu", gpu::GpuConfig{});
      device(n + "peach2", chip);
      wire(n + "core.bus", n + "rc.core0", host::OnChipConfig{});
      wire(n + "rc.memory", n + "memory.bus", host::OnChipConfig{});
      wire(n + "rc.slot0", n + "peach2.n", link);
      wire(n + "rc.slot1", n + "gpu.pcie", link);
    }
    wire("node0.peach2.e", "node1.peach2.w", link);
    build(s.max_train);
    for (int i = 0; i < 2; ++i) pinned_ = gpu(i).pin(0_B, 1_MiB);
  }

  host::Core& core() { return machine().get<host::Core>("node0.core"); }
  host::Memory& memory(int i) { return machine().get<host::Memory>("node" + std::to_string(i) + ".memory"); }
  gpu::Gpu& gpu(int i) { return machine().get<gpu::Gpu>("node" + std::to_string(i) + ".gpu"); }
  std::uint64_t pinned(std::uint64_t offset) const { return pinned_ + offset; }
  std::uint64_t window(int node, Region r, std::uint64_t offset) {
    return machine().get<peach2::Peach2>("node0.peach2").map().address(node, r, offset).value();
  }
  std::uint64_t packets(std::uint64_t offset) {
    return window(0, Region::chip, peach2::ChipRegion::packet_memory + offset);
  }

  /// Stores pieces of random bytes between `at` and its area's end, with gaps between them; what is there then.
  std::vector<std::uint8_t> fill(Fiber& f, std::uint64_t at) {
    std::vector<std::uint8_t> all(static_cast<std::size_t>(area.count()));
    for (std::size_t i = dice_() % 100; i < all.size();) {
      std::vector<std::uint8_t> piece(
          std::min<std::size_t>(1 + dice_() % (dice_() % 3 == 0 ? 3000 : 40), all.size() - i));
      for (std::uint8_t& b : piece) b = static_cast<std::uint8_t>(dice_());
      core().store(f, at + i, {piece.data(), piece.size()});
      std::copy(piece.begin(), piece.end(), all.begin() + static_cast<std::ptrdiff_t>(i));
      i += piece.size() + dice_() % (dice_() % 4 == 0 ? 6000 : 100);
    }
    return all;
  }
  /// Runs descriptors one after the other, and waits for the status.
  void put(Fiber& f, const std::vector<Descriptor>& all) {
    const auto set = [&](std::uint64_t reg, std::uint64_t value) {
      core().store(f, window(0, Region::chip, reg), 8_B, value, 0);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint64_t at = Registers::of_descriptor(0, static_cast<int>(i));
      const Descriptor& d = all[i];
      set(at + Registers::source, d.source);
      set(at + Registers::destination, d.destination);
      set(at + Registers::length, unsigned_of(d.length));
      set(at + Registers::stride, unsigned_of(d.burst) | unsigned_of(d.gap) << 32);
      set(at + Registers::flags, (d.source_strided ? Registers::source_strided : 0) |
                                     (d.destination_strided ? Registers::destination_strided : 0));
    }
    set(Registers::of_channel(0) + Registers::status, window(0, Region::host, status));
    set(Registers::of_channel(0) + Registers::control, all.size());
    core().poll(f, memory(0), status + 8, ++rung_);
    f.wait_for(20_us);  // what goes to the other node is there, too
  }

 private:
  std::mt19937 dice_;
  std::uint64_t pinned_ = 0;
  std::uint64_t rung_ = 0;
};

/// What lies at a destination if that is where `d` wrote what `from` (which begins at `base`) says, as far as `to`
/// reaches.
std::vector<std::uint8_t> moved(const Descriptor& d, std::uint64_t base, const std::vector<std::uint8_t>& from,
                                Bytes to) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(to.count()));
  for (Bytes i; i < d.length; i += 1_B) out[d.to().address_of(i) - d.destination] = from[d.from().address_of(i) - base];
  return out;
}

/// Puts of all kinds from `base`, which `from` says, to places one after the other from `to` on; `look` reads those.
template <class Look>
void check_puts(Nodes& b, Fiber& f, std::uint64_t base, const std::vector<std::uint8_t>& from, std::uint64_t to,
                Look look) {
  constexpr Bytes apart = 64_KiB;
  constexpr Bytes seen_there = 32_KiB;
  std::vector<Descriptor> all{
      {base, 0, 16_KiB, {}, {}, false, false},                // whole pages
      {base + 4, 0, 9000_B, {}, {}, false, false},            // not aligned
      {base + 1016, 0, 32_B, {}, {}, false, false},           //
      {base + 64, 0, 64_B * 48, 64_B, 192_B, true, false},    // bursts together
      {base + 60, 0, 100_B * 40, 100_B, 60_B, false, true},   // and apart
      {base + 128, 0, 44_B * 64, 44_B, 84_B, true, true},     //
      {base + 512, 0, 512_B * 20, 512_B, 508_B, true, true},  //
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].destination = to + unsigned_of(apart) * i + (i % 2 == 1 ? 12 * i : 0);
  b.put(f, all);
  for (const Descriptor& d : all) {
    CAPTURE(d.source - base, d.length, d.burst, d.gap);
    const std::vector<std::uint8_t> seen = look(d.destination - to, seen_there);
    CHECK(seen == moved(d, base, from, seen_there));
  }
}

void check_shape(const Shape& s) {
  Nodes b(s);
  b.program("puts", [&](Fiber& f) {
    const auto in_host = b.fill(f, source);
    const auto gpus = b.fill(f, b.pinned(in_gpu));
    f.wait_for(10_us);
    CHECK(b.memory(0).bytes(source, area) == in_host);
    CHECK(b.gpu(0).bytes(in_gpu, area) == gpus);
    const auto at_host = [&](int node) {
      return [&b, node](std::uint64_t at, Bytes n) { return b.memory(node).bytes(target + at, n); };
    };
    check_puts(b, f, source, in_host, b.window(1, Region::host, target), at_host(1));
    check_puts(b, f, source, in_host, b.window(0, Region::host, target), at_host(0));
    check_puts(b, f, source, in_host, b.window(1, Region::gpu0, 0x40000),
               [&](std::uint64_t at, Bytes n) { return b.gpu(1).bytes(0x40000 + at, n); });
    const std::uint64_t behind = target + 0x10'0000;
    check_puts(b, f, b.pinned(in_gpu), gpus, b.window(1, Region::host, behind),
               [&](std::uint64_t at, Bytes n) { return b.memory(1).bytes(behind + at, n); });
    // Into the chip's memory and out of it.
    b.put(f, {{source, b.packets(in_chip), area, {}, {}, false, false}});
    const std::uint64_t last = target + 0x20'0000;
    check_puts(b, f, b.packets(in_chip), in_host, b.window(1, Region::host, last),
               [&](std::uint64_t at, Bytes n) { return b.memory(1).bytes(last + at, n); });
  });
  b.run();
  b.expect_all_home();
}

}  // namespace

TEST_CASE("DMA moves what bytes say by single packets of 128 B") { check_shape({1, 128_B, 64_B, 512_B}); }
TEST_CASE("DMA moves what bytes say by single packets of 256 B") { check_shape({1, 256_B, 256_B, 4_KiB}); }
TEST_CASE("DMA moves what bytes say by trains of 128 B") { check_shape({64, 128_B, 128_B, 4_KiB}); }
TEST_CASE("DMA moves what bytes say by trains of 256 B") { check_shape({64, 256_B, 256_B, 4_KiB}); }
TEST_CASE("DMA moves what bytes say where completions are smaller than writes") {
  check_shape({64, 512_B, 64_B, 1_KiB});
}
TEST_CASE("DMA moves what bytes say by trains of seven") { check_shape({7, 512_B, 256_B, 2_KiB}); }

namespace {

/// What 2 KiB say that were written by DMA over what lay there, from where only two words and a byte say something.
std::string written_over(int max_train) {
  Nodes b({max_train, 256_B, 256_B, 4_KiB});
  std::vector<std::uint8_t> out;
  b.program("puts", [&](Fiber& f) {
    for (std::uint64_t at = 100; at < 2048; at += 100) b.core().store(f, target + at, 8_B, at, 0);
    b.core().store(f, source + 40, 8_B, 1, 0);
    b.core().store(f, source + 1001, 1_B, 2, 0);
    b.core().store(f, source + 1040, 8_B, 3, 0);
    f.wait_for(10_us);
    b.put(f, {{source, b.window(0, Region::host, target), 2_KiB, {}, {}, false, false}});
    out = b.memory(0).bytes(target, 2_KiB);
  });
  b.run();
  b.expect_all_home();
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("DMA leaves what lay where its source says nothing, in trains as by single packets") {
  for (const int max_train : {1, 64}) {
    const std::string there = in_child([&] { return written_over(max_train); });
    const auto word = [&](std::size_t at) {
      return flow::read_word(reinterpret_cast<const std::uint8_t*>(there.data()) + at, 8);
    };
    REQUIRE(there.size() == 2048);
    for (std::size_t at = 100; at < 2048; at += 100) {
      CAPTURE(max_train, at);
      CHECK(word(at) == (at == 1000 ? 0x02e8 : at));
    }
    CHECK(word(40) == 1);
    CHECK(word(1040) == 3);
  }
}

}  // namespace contents_test
