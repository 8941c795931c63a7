// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "explain/path.hpp"
#include "support/bench.hpp"

namespace gpu_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time port_latency = 70_ns;
constexpr Time translation = 50_ns;
constexpr Time reading = 100_ns;
constexpr Time writing = 30_ns;
constexpr Time flight = 1_ns;

gpu::GpuConfig some_gpu() {
  gpu::GpuConfig c;
  c.memory_size = 1_GiB;
  c.bar_base = 256_GiB;
  c.port_latency = port_latency;
  c.translation_latency = translation;
  c.read_latency = reading;
  c.write_latency = writing;
  c.record = true;
  return c;
}

/// Bytes on a Gen2 x8 link: 0.25 ns each.
Time on_wire(Bytes n) { return 250_ps * n.count(); }

/// A probe in the root complex's place.
void build(Bench& b, gpu::GpuConfig c = some_gpu()) {
  b.device("bus", port("link"));
  b.device("gpu", c);
  b.wire("bus.link", "gpu.pcie", quiet(gen2_x8()));
  b.build();
}

/// A core, and a card in another slot, that see the GPU's memory. Returns the address at which its first bytes are
/// shown.
std::uint64_t build_host(Bench& b) {
  host::CoreConfig core;
  core.clock = Frequency(2'500'000'000);
  core.load_to_bus = 150_ns;
  core.uncached_load = 0_ns;
  host::RootComplexConfig rc;
  rc.posted_latency = 100_ns;
  rc.slots = {{"slot0", 256_GiB, 256_MiB + 16_MiB}, {"slot1", 512_GiB, 1_MiB}};
  host::OnChipConfig bus;
  bus.bandwidth = Rate::infinite();
  bus.flight = 1_ns;
  b.device("core", core);
  b.device("rc", rc);
  b.device("memory", host::MemoryConfig{});
  b.device("gpu", some_gpu());
  b.device("card", port("link"));
  b.wire("core.bus", "rc.core0", bus);
  b.wire("rc.memory", "memory.bus", bus);
  b.wire("rc.slot0", "gpu.pcie", quiet(gen2_x8()));
  b.wire("rc.slot1", "card.link", quiet(gen2_x8()));
  b.build();
  return b.machine().get<gpu::Gpu>("gpu").pin(0_B, 64_KiB);
}

host::Core& core_of(Bench& b) { return b.machine().get<host::Core>("core"); }

/// From a load's issue until it has been read, and until its eight bytes are back in one completion. A request is 24 B
/// on the link, an answer 20 + 8 B.
const Time read_at = 150_ns + 1_ns + 100_ns + on_wire(24_B) + flight + port_latency + translation + writing;
const Time whole_load = read_at + (reading - writing) + port_latency + on_wire(28_B) + flight + 100_ns + 1_ns;
/// The same of a load whose first `n` bytes (0 .. 8) come in a completion of their own: a header more, and data in
/// whole words of 4 B (Base Specification 2.2.2).
Time load_in_two(Bytes n) {
  const auto in_words = [](Bytes b) { return 4_B * units_of(b, 4_B); };
  if (n == 0_B || n == 8_B) return whole_load;
  return whole_load + on_wire(20_B + in_words(n) + in_words(8_B - n) - 8_B);
}
/// From a card's write of eight bytes until a load finds it.
const Time visible_after =
    on_wire(32_B) + flight + 100_ns + on_wire(32_B) + flight + port_latency + translation + writing;

gpu::Gpu& gpu_of(Bench& b) { return b.machine().get<gpu::Gpu>("gpu"); }

/// What the way back from `item` at `to` passes.
std::vector<std::string> way_back(const explain::History& h, std::uint64_t item, Time from, Time to) {
  std::vector<std::string> out;
  for (const explain::Segment& s : explain::walk(h, item, from, to).segments) out.push_back(s.device + ": " + s.what);
  return out;
}

}  // namespace

TEST_CASE("a GPU's memory takes writes where it is pinned, and shows when") {
  Bench b;
  build(b);
  const std::uint64_t at = gpu_of(b).pin(512_MiB + 4_KiB, 4_KiB);
  CHECK(at == (std::uint64_t{256} << 30) + 4096);
  b.probe("bus").says(9);
  b.at(0_ns, [&] { b.probe("bus").write(at, 256_B); });
  b.run();
  const Time visible = on_wire(280_B) + flight + port_latency + translation + writing;
  const std::uint64_t end = (512u << 20) + 4096 + 256;
  CHECK(gpu_of(b).word_ending_at(end).value == 9);
  CHECK(gpu_of(b).word_ending_at(end).since == visible);
  REQUIRE(gpu_of(b).extents().size() == 1);
  CHECK(gpu_of(b).extents()[0].address == end - 256);
  CHECK(gpu_of(b).extents()[0].length == 256_B);
  b.expect_all_home();
}

TEST_CASE("a GPU answers a read of a line through its window") {
  Bench b;
  build(b);
  const std::uint64_t at = gpu_of(b).pin(0_B, 64_KiB);
  b.at(0_ns, [&] { b.probe("bus").read(at + 64, 64_B); });
  b.run();
  b.probe("bus").expect_first_at(on_wire(24_B) + flight + port_latency + translation + reading + port_latency +
                                 on_wire(84_B) + flight);
  CHECK(b.probe("bus").arrivals()[0].payload == 64_B);
  b.expect_all_home();
}

TEST_CASE("a GPU answers large reads in completions of max payload that end at multiples of it") {
  Bench b;
  build(b);
  const std::uint64_t at = gpu_of(b).pin(0_B, 64_KiB);
  b.at(0_ns, [&] { b.probe("bus").read(at + 0x40, 512_B); });
  b.run();
  const auto& seen = b.probe("bus").arrivals();
  REQUIRE(seen.size() == 3);
  Time t = on_wire(24_B) + flight + port_latency + translation + reading + port_latency + flight;
  const Bytes expected[] = {192_B, 256_B, 64_B};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(seen[i].payload == expected[i]);
    t += on_wire(expected[i] + 20_B);
    CHECK(seen[i].head == t);
  }
  b.expect_all_home();
}

TEST_CASE("a read of a GPU finds what was written just before it") {
  Bench b;
  build(b);
  const std::uint64_t at = gpu_of(b).pin(0_B, 64_KiB);
  b.probe("bus").says(5);
  b.at(0_ns, [&] {
    b.probe("bus").write(at, 8_B);
    b.probe("bus").read(at, 8_B);
  });
  b.run();
  REQUIRE(b.probe("bus").arrivals().size() == 1);
  CHECK(b.probe("bus").arrivals()[0].value == 5);
}

TEST_CASE("pages that are not pinned do not answer") {
  Bench b;
  build(b);
  gpu_of(b).pin(0_B, 64_KiB);
  b.at(0_ns, [&] { b.probe("bus").write((std::uint64_t{256} << 30) + 65536, 8_B); });
  CHECK(b.failure() == "gpu: no memory is pinned at address 0x4000010000 of its BAR window");
}

TEST_CASE("a BAR window that is full is told with the GPU's name") {
  Bench b;
  build(b);
  gpu_of(b).pin(0_B, 256_MiB);
  CHECK_THROWS_AS(gpu_of(b).pin(512_MiB, 8_B), config::ConfigError);
  CHECK_THROWS_WITH(gpu_of(b).pin(512_MiB, 8_B), Catch::Contains("gpu: the BAR window of 256 MiB is full"));
}

TEST_CASE("a core polls a GPU's memory, the way back from what it saw leads to the write") {
  Bench b;
  const std::uint64_t at = build_host(b);
  b.probe("card").says(3);
  b.at(900_ns, [&] { b.probe("card").write(at, 8_B); });
  Time seen;
  b.program("poll", [&](Fiber& f) {
    core_of(b).poll_uncached(f, at + 8, 3);
    seen = f.now();
  });
  b.run();
  b.expect_all_home();
  const Time again = whole_load + 4_ns;
  const Time visible = 900_ns + visible_after;
  REQUIRE(visible > again + read_at);
  REQUIRE(visible < 2 * again + read_at);
  CHECK(seen == 2 * again + whole_load);
  std::uint64_t last = 0;
  for (const net::Hop& h : b.history().hops())
    if (h.arrived.tail == seen) last = h.item;
  const auto way = way_back(b.history(), last, 900_ns, seen);
  CHECK(std::count(way.begin(), way.end(), "core: polling loop") == 1);
  REQUIRE(!way.empty());
  CHECK(way.front() == "card.link > rc.slot1: serialise");
  CHECK(std::count_if(way.begin(), way.end(), [](const std::string& s) { return s.find("unexplained") == 0; }) == 0);
}

TEST_CASE("a load across a boundary of completions takes one completion more, and says the same bytes") {
  Bench b;
  const std::uint64_t at = build_host(b);
  std::vector<std::uint8_t> bytes(16);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(0x80 + i);
  b.at(0_ns, [&] { b.probe("card").write_bytes(at + 248, bytes); });
  b.program("load", [&](Fiber& f) {
    f.wait_until(1_us);
    for (std::size_t i = 0; i <= 8; ++i) {
      const Time begin = f.now();
      CHECK(core_of(b).load(f, at + 248 + i, 8_B) == flow::read_word(&bytes[i], 8));
      CHECK(f.now() - begin == load_in_two(8_B - Bytes(static_cast<std::int64_t>(i))));
    }
    CHECK(core_of(b).load(f, at + 254, 3_B) == flow::read_word(&bytes[6], 3));
    CHECK(core_of(b).load_bytes(f, at + 248, 16_B) == bytes);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("a poll of a word across a boundary of completions ends with the load that finds the write") {
  Bench b;
  const std::uint64_t at = build_host(b);
  b.probe("card").says(0x0102030405060708);
  b.at(900_ns, [&] { b.probe("card").write(at + 253, 8_B); });
  Time seen;
  b.program("poll", [&](Fiber& f) {
    core_of(b).poll_uncached(f, at + 261, 0x0102030405060708);
    seen = f.now();
  });
  b.run();
  b.expect_all_home();
  const Time load = load_in_two(3_B);
  const Time again = load + 4_ns;
  REQUIRE(900_ns + visible_after > again + read_at);
  REQUIRE(900_ns + visible_after < 2 * again + read_at);
  CHECK(seen == 2 * again + load);
  const auto way = way_back(b.history(), b.history().hops().back().item, 900_ns, seen);
  CHECK(std::count(way.begin(), way.end(), "core: polling loop") == 1);
  REQUIRE(!way.empty());
  CHECK(way.front() == "card.link > rc.slot1: serialise");
}

TEST_CASE("a GPU whose window is not its slot's is refused") {
  Bench b;
  host::RootComplexConfig rc;
  rc.slots = {{"slot0", 256_GiB, 256_MiB}};
  b.device("rc", rc);
  b.device("memory", host::MemoryConfig{});
  b.device("gpu", some_gpu());
  b.wire("rc.memory", "memory.bus", host::OnChipConfig{});
  b.wire("rc.slot0", "gpu.pcie", gen2_x8());
  CHECK_THROWS_WITH(b.build(), Catch::Contains("gpu: its window and registers are 272 MiB from 256 GiB, but slot0 of "
                                               "rc shows 256 MiB from 256 GiB"));
}

TEST_CASE("a write takes a GPU's posted credits until its address is translated") {
  Bench b;
  gpu::GpuConfig c = some_gpu();
  c.buffers.posted_headers = 1;
  build(b, c);
  const std::uint64_t at = gpu_of(b).pin(0_B, 64_KiB);
  b.at(0_ns, [&] {
    b.probe("bus").write(at, 256_B);
    b.probe("bus").write(at + 256, 256_B);
  });
  b.run();
  const Time credit = on_wire(280_B) + flight + port_latency + translation + flight;
  CHECK(gpu_of(b).extents().at(1).when - gpu_of(b).extents().at(0).when == credit);
  b.expect_all_home();
}

}  // namespace gpu_test
