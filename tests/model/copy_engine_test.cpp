// SPDX-License-Identifier: Apache-2.0
// Copy engines of two GPUs at one root complex, driven by a core through push buffers in host memory. Quiet Gen2 x8
// links, no time on the buses but their flight; the engines' clock has cycles of 2 ns.
#include <algorithm>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace copy_engine_test {

using namespace tsunagi;
using namespace tsunagi::test;
using gpu::Aperture;
using gpu::CopyCommand;
using gpu::Registers;

namespace {

constexpr Time cycle = 2_ns;
constexpr int fetch_cycles = 10;
constexpr int start_cycles = 25;
constexpr int release_cycles = 15;
constexpr Time port_latency = 70_ns;
constexpr Time translation = 50_ns;
constexpr Time reading_gpu = 100_ns;
constexpr Time writing_gpu = 30_ns;
constexpr Time posted = 100_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time reading_memory = 50_ns;
constexpr Time peer = 150_ns;
constexpr Time flight = 1_ns;  // of every wire
constexpr Time rung = 3_us;    // when the doorbell is stored
constexpr std::uint64_t ring = far + 0x10000;
constexpr std::uint64_t commands = far + 0x11000;
constexpr std::uint64_t semaphore = far + 0x12000;
constexpr std::uint64_t buffer = far + 0x100000;

Time on_wire(Bytes n) { return 250_ps * n.count(); }
Time edge(Time t) { return cycle * ((t + cycle - 1_fs) / cycle); }

struct CopyBench : Bench {
  gpu::GpuConfig config;
  std::uint64_t shift = 0;  // of the commands

  CopyBench() {
    config.memory_size = 1_GiB;
    config.port_latency = port_latency;
    config.translation_latency = translation;
    config.read_latency = reading_gpu;
    config.write_latency = writing_gpu;
    config.record = true;
    config.copy_engines.clock = Frequency(500'000'000);
    config.copy_engines.fetch_cycles = fetch_cycles;
    config.copy_engines.start_cycles = start_cycles;
    config.copy_engines.release_cycles = release_cycles;
  }

  void build(int max_train = 1) {
    host::CoreConfig core;
    core.clock = Frequency(2'500'000'000);
    core.write_combining_buffers = 64;
    host::MemoryConfig memory;
    memory.read_latency = reading_memory;
    memory.record = true;
    host::RootComplexConfig rc;
    rc.posted_latency = posted;
    rc.read_latency = reading;
    rc.completion_latency = completing;
    rc.peer.latency = peer;
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = flight;
    for (int i = 0; i < 2; ++i) {
      const std::string n = std::to_string(i);
      gpu::GpuConfig c = config;
      c.bar_base = 256_GiB + 1_GiB * i;
      rc.slots.push_back({"slot" + n, c.bar_base, c.bar_size + c.register_size});
      device("gpu" + n, c);
    }
    device("core", core);
    device("rc", rc);
    device("memory", memory);
    wire("core.bus", "rc.core0", bus);
    wire("rc.memory", "memory.bus", bus);
    wire("rc.slot0", "gpu0.pcie", quiet(gen2_x8()));
    wire("rc.slot1", "gpu1.pcie", quiet(gen2_x8()));
    Bench::build(max_train);
  }

  gpu::Gpu& gpu(int i) { return machine().get<gpu::Gpu>("gpu" + std::to_string(i)); }
  host::Memory& memory() { return machine().get<host::Memory>("memory"); }
  host::Core& core() { return machine().get<host::Core>("core"); }

  /// Writes commands and ring of an engine, each on a page of its own, and rings for all of them at `rung`.
  void run_commands(int of_gpu, int engine, std::vector<CopyCommand> all) {
    prepare_commands(of_gpu, engine, std::move(all), true);
  }
  /// The same without the doorbell, if not `run`.
  void prepare_commands(int of_gpu, int engine, std::vector<CopyCommand> all, bool run = false) {
    program("driver", [this, of_gpu, engine, all = std::move(all), run](comm::Fiber& f) {
      const std::uint64_t page = 0x4000 * static_cast<std::uint64_t>(2 * of_gpu + engine);
      const auto set = [&](std::uint64_t reg, std::uint64_t value) {
        core().store(f, gpu(of_gpu).register_address(Registers::of_engine(engine) + reg), 8_B, value, 0);
      };
      for (std::size_t c = 0; c < all.size(); ++c) {
        const gpu::CommandWords words = encode(all[c]);
        const std::uint64_t at = commands + page + shift + 64 * c;
        for (std::size_t i = 0; i < words.size(); ++i) core().store(f, at + 8 * i, 8_B, words[i], 0);
        core().store(f, ring + page + 8 * c, 8_B, encode(gpu::RingEntry{at, CopyCommand::size}), 0);
      }
      set(Registers::ring, ring + page);
      set(Registers::entries, 16);
      f.wait_until(rung);
      if (run) set(Registers::put, all.size());
    });
  }

  /// When the 4 B that end at `end` of host memory got to say `value`.
  Time said(std::uint64_t end, std::uint64_t value) {
    CHECK(memory().word_ending_at(end, 4_B).value == value);
    return memory().word_ending_at(end, 4_B).since;
  }
};

CopyCommand copy(Aperture from, std::uint64_t source, Aperture to, std::uint64_t destination, Bytes n) {
  CopyCommand c;
  c.from = from;
  c.source = source;
  c.to = to;
  c.destination = destination;
  c.length = n;
  c.semaphore = semaphore;
  c.payload = 7;
  return c;
}

/// From a read request that is ready at the engine until its only completion is there.
Time round_trip(Bytes n) {
  return port_latency + on_wire(24_B) + flight + reading + flight + reading_memory + flight + completing +
         on_wire(n + 20_B) + flight + port_latency;
}
/// When the first command can begin.
Time begins() {
  const Time doorbell = rung + 400_ps + 80_ns + flight + posted + on_wire(32_B) + flight + port_latency;
  const Time entry = edge(doorbell) + cycle * fetch_cycles + round_trip(8_B);
  const Time command = edge(entry) + cycle * fetch_cycles + round_trip(64_B);
  return edge(command) + cycle * start_cycles;
}
/// From a write that is ready at the engine until it is in host memory.
Time to_memory(Bytes n) { return port_latency + on_wire(n + 24_B) + flight + posted + flight; }
/// When the semaphore says so, behind the last byte.
Time released(Time last) { return edge(last) + cycle * release_cycles + to_memory(4_B); }

std::vector<host::Extent> from(const std::vector<host::Extent>& all, std::uint64_t address, Bytes n) {
  std::vector<host::Extent> out;
  for (const host::Extent& e : all)
    if (e.address - address < static_cast<std::uint64_t>(n.count())) out.push_back(e);
  return out;
}

/// Every byte once, each from the byte of the source that it belongs to.
void expect_copied(std::vector<host::Extent> extents, std::uint64_t destination, std::uint64_t source, Bytes n) {
  std::sort(extents.begin(), extents.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  std::uint64_t at = 0;
  for (const host::Extent& e : extents) {
    CHECK(e.address == destination + at);
    CHECK(e.origin_offset == source + at);
    at += static_cast<std::uint64_t>(e.length.count());
  }
  CHECK(at == static_cast<std::uint64_t>(n.count()));
}

}  // namespace

TEST_CASE("a copy engine fetches a command, copies to host memory, and releases the semaphore") {
  CopyBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0x5000, Aperture::host, buffer, 64_B)});
  b.run();
  const Time data = begins() + cycle * 2 + reading_gpu;  // 32 B a cycle
  const auto seen = from(b.memory().extents(), buffer, 1_MiB);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].when == data + to_memory(64_B));
  expect_copied(seen, buffer, 0x5000, 64_B);
  CHECK(b.said(semaphore + 4, 7) == released(data));
  b.expect_all_home();
}

namespace {

/// What a buffer says goes to one GPU, from there to the other, and back to host memory.
void check_round(int max_train) {
  CopyBench b;
  b.build(max_train);
  constexpr Bytes n = 40'001_B;
  std::vector<std::uint8_t> said(static_cast<std::size_t>(n.count()));
  b.program("buffer", [&](comm::Fiber& f) {
    for (std::size_t i = 7; i < said.size(); i += 5000 + i / 3) {
      std::vector<std::uint8_t> piece(std::min<std::size_t>(1 + i % 4500, said.size() - i));
      for (std::size_t k = 0; k < piece.size(); ++k) said[i + k] = piece[k] = static_cast<std::uint8_t>(i + k * 7);
      b.core().store(f, buffer + i, {piece.data(), piece.size()});
    }
  });
  const std::uint64_t window = b.gpu(1).pin(0_B, 1_MiB);
  CopyCommand there = copy(Aperture::host, buffer, Aperture::local, 0x7003, n);
  there.semaphore += 8;
  CopyCommand across = copy(Aperture::local, 0x7003, Aperture::peer, window + 0x1001, n);
  across.semaphore += 16;
  across.flush = true;
  b.run_commands(0, 0, {there, across});
  b.program("back", [&](comm::Fiber& f) {
    const auto is_there = [](std::uint64_t seven) { return seven == 7; };
    b.core().poll(f, b.memory(), semaphore + 20, 4_B, is_there);
    b.core().store(f, b.gpu(1).register_address(Registers::put), 8_B, 1, 0);
  });
  b.prepare_commands(1, 0, {copy(Aperture::local, 0x1001, Aperture::host, buffer + 0x10'0005, n)});
  b.run();
  CHECK(b.gpu(0).bytes(0x7003, n) == said);
  CHECK(b.gpu(1).bytes(0x1001, n) == said);
  CHECK(b.memory().bytes(buffer + 0x10'0005, n) == said);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("copies carry what bytes say") { check_round(1); }
TEST_CASE("copies carry what bytes say, in trains") { check_round(64); }

TEST_CASE("a copy engine reads host memory, and releases the semaphore when the data can be seen") {
  CopyBench b;
  b.build();
  b.run_commands(0, 1, {copy(Aperture::host, buffer, Aperture::local, 0x7000, 256_B)});
  b.run();
  const Time seen = begins() + round_trip(256_B) + writing_gpu;
  REQUIRE(b.gpu(0).extents().size() == 1);
  CHECK(b.gpu(0).extents()[0].when == seen);
  expect_copied(b.gpu(0).extents(), 0x7000, buffer, 256_B);
  CHECK(b.said(semaphore + 4, 7) == released(seen));
  b.expect_all_home();
}

TEST_CASE("a copy to a peer is written to its window, a flush holds the semaphore until it is there") {
  CopyBench b;
  b.build();
  CopyCommand c = copy(Aperture::local, 0x5000, Aperture::peer, b.gpu(1).pin(Bytes(0x9000), 64_B), 64_B);
  c.flush = true;
  b.run_commands(0, 0, {c});
  b.run();
  const Time data = begins() + cycle * 2 + reading_gpu;
  REQUIRE(b.gpu(1).extents().size() == 1);
  CHECK(b.gpu(1).extents()[0].when == data + port_latency + on_wire(88_B) + flight + posted + on_wire(88_B) + flight +
                                          port_latency + translation + writing_gpu);
  expect_copied(b.gpu(1).extents(), 0x9000, 0x5000, 64_B);
  const Time flushed = edge(data) + cycle * release_cycles + port_latency + on_wire(24_B) + flight + peer +
                       on_wire(24_B) + flight + port_latency + translation + reading_gpu + port_latency +
                       on_wire(24_B) + flight + peer + on_wire(24_B) + flight + port_latency;
  CHECK(b.said(semaphore + 4, 7) == released(flushed));
  CHECK(b.said(semaphore + 4, 7) > b.gpu(1).extents()[0].when);
  b.expect_all_home();
}

TEST_CASE("without a flush the semaphore does not wait for a peer") {
  CopyBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0x5000, Aperture::peer, b.gpu(1).pin(Bytes(0x9000), 64_B), 64_B)});
  b.run();
  CHECK(b.said(semaphore + 4, 7) == released(begins() + cycle * 2 + reading_gpu));
  CHECK(b.said(semaphore + 4, 7) < b.gpu(1).extents().at(0).when);
}

TEST_CASE("a command may come in two completions, wherever they part") {
  for (const std::uint64_t shift : {192 + 4, 192 + 32, 192 + 44, 192 + 60}) {
    CAPTURE(shift);
    CHECK(in_child([&] {
            CopyBench b;
            b.shift = shift;
            b.build();
            b.run_commands(0, 0, {copy(Aperture::local, 0x12345, Aperture::host, buffer + 0x678, 100_B)});
            b.run();
            const auto& e = b.memory().extents();
            const auto data =
                std::find_if(e.begin(), e.end(), [](const host::Extent& x) { return x.address >= buffer; });
            return data == e.end()
                       ? std::string("nothing")
                       : std::to_string(data->address - buffer) + " " + std::to_string(data->length.count()) + " " +
                             std::to_string(data->origin_offset) + " " +
                             std::to_string(b.memory().word_ending_at(semaphore + 4, 4_B).value);
          }) == std::to_string(0x678) + " 100 " + std::to_string(0x12345) + " 7");
  }
}

TEST_CASE("copies to host memory fill the link") {
  CopyBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::host, buffer, 256_KiB)});
  b.run();
  const auto seen = from(b.memory().extents(), buffer, 1_MiB);
  REQUIRE(seen.size() == 1024);
  CHECK(seen.back().when - seen.front().when == on_wire(280_B) * 1023);
  expect_copied(seen, buffer, 0, 256_KiB);
  b.expect_all_home();
}

TEST_CASE("copies from host memory fill the link") {
  CopyBench b;
  b.build();
  b.run_commands(0, 1, {copy(Aperture::host, buffer, Aperture::local, 0, 256_KiB)});
  b.run();
  const auto& seen = b.gpu(0).extents();
  REQUIRE(seen.size() == 1024);
  // Eight requests of 4 KiB under way are more than a round trip needs.
  CHECK(seen.back().when - seen.front().when == on_wire(276_B) * 1023);
  expect_copied(seen, 0, buffer, 256_KiB);
  b.expect_all_home();
}

TEST_CASE("with one tag a copy from host memory takes a round trip a request") {
  CopyBench b;
  b.config.copy_engines.tags = 1;
  b.config.copy_engines.max_read_request = 256_B;
  b.build();
  b.run_commands(0, 1, {copy(Aperture::host, buffer, Aperture::local, 0, 1_KiB)});
  b.run();
  const auto& seen = b.gpu(0).extents();
  REQUIRE(seen.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) CHECK(seen[i].when - seen[i - 1].when == edge(round_trip(256_B)));
  b.expect_all_home();
}

TEST_CASE("what an engine has read and not sent is bounded by its buffer") {
  CopyBench b;
  b.config.copy_engines.buffer = 4_KiB;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::host, buffer, 8_KiB)});
  b.run();
  const auto seen = from(b.memory().extents(), buffer, 1_MiB);
  REQUIRE(seen.size() == 32);
  // The first 16 writes leave one after the other. The 17th is read when the first is out: on an edge behind.
  const Time first = begins() + cycle * 8 + reading_gpu;
  CHECK(seen[15].when == first + to_memory(256_B) + on_wire(280_B) * 15);
  const Time out = first + port_latency + on_wire(280_B);
  const Time again = edge(out) + cycle * 8 + reading_gpu + to_memory(256_B);
  CHECK(seen[16].when == std::max(again, seen[15].when + on_wire(280_B)));
  b.expect_all_home();
}

TEST_CASE("commands run one after the other, the next is fetched meanwhile") {
  CopyBench b;
  b.build();
  std::vector<CopyCommand> all;
  for (std::uint32_t i = 0; i < 5; ++i) {
    all.push_back(copy(Aperture::local, 0x10000 * i, Aperture::host, buffer + 0x10000 * i, 16_KiB));
    all.back().semaphore = semaphore + 8 * i;
  }
  b.run_commands(0, 0, all);
  b.run();
  Time before;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto seen = from(b.memory().extents(), buffer + 0x10000 * i, 64_KiB);
    expect_copied(seen, buffer + 0x10000 * i, 0x10000 * i, 16_KiB);
    const Time done = b.said(semaphore + 8 * i + 4, 7);
    CHECK(done > seen.back().when);
    // Neither fetch nor decoding shows: a copy and what is between two of them.
    if (i == 1) CHECK(done - before < on_wire(280_B) * 64 + reading_gpu + 100_ns);
    before = done;
  }
  b.expect_all_home();
}

TEST_CASE("engines of two GPUs at the same time, in trains") {
  CopyBench b;
  b.build(64);
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::host, buffer, 64_KiB)});
  CopyCommand in = copy(Aperture::host, buffer + 0x100000, Aperture::local, 0x200000, 64_KiB);
  in.semaphore = semaphore + 8;
  b.run_commands(1, 1, {in});
  b.run();
  expect_copied(from(b.memory().extents(), buffer, 1_MiB), buffer, 0, 64_KiB);
  expect_copied(b.gpu(1).extents(), 0x200000, buffer + 0x100000, 64_KiB);
  // They share nothing but the core that rings and host memory, which has no bandwidth here.
  const Time data = begins() + cycle * 8 * 256 + reading_gpu;
  CHECK(b.said(semaphore + 4, 7) >= released(data));
  CHECK(b.said(semaphore + 12, 7) > b.gpu(1).extents().back().when);
  b.expect_all_home();
}

TEST_CASE("an engine without a ring") {
  CopyBench b;
  b.build();
  b.program("driver", [&](comm::Fiber& f) {
    b.core().store(f, b.gpu(0).register_address(Registers::of_engine(1) + Registers::put), 8_B, 1, 0);
  });
  CHECK(b.failure() == "gpu0: copy engine 1: entry 1 of a ring of 0 is rung");
}

TEST_CASE("a register of no engine") {
  CopyBench b;
  b.build();
  b.program("driver", [&](comm::Fiber& f) { b.core().store(f, b.gpu(0).register_address(0x2000), 8_B, 1, 0); });
  CHECK(b.failure() == "gpu0: no register at offset 0x2000");
}

TEST_CASE("a copy beyond the end of the GPU's memory") {
  CopyBench b;
  b.build();
  const auto last = static_cast<std::uint64_t>(b.config.memory_size.count()) - 64;
  b.run_commands(0, 0,
                 {copy(Aperture::local, last, Aperture::host, buffer, 64_B),
                  copy(Aperture::local, last, Aperture::host, buffer, 65_B)});
  CHECK(b.failure() == "gpu0: a copy of 65 B at 0x3fffffc0 of a memory of 1 GiB");
}

TEST_CASE("a push buffer with no command in it") {
  CopyBench b;
  b.build();
  b.program("driver", [&](comm::Fiber& f) {
    const auto set = [&](std::uint64_t reg, std::uint64_t value) {
      b.core().store(f, b.gpu(0).register_address(reg), 8_B, value, 0);
    };
    b.core().store(f, ring, 8_B, encode(gpu::RingEntry{commands, 64_B}), 0);
    set(Registers::ring, ring);
    set(Registers::entries, 16);
    set(Registers::put, 1);
  });
  CHECK(b.failure() == "gpu0: copy engine 0: a copy has 1 to 2^32 - 1 bytes");
}

}  // namespace copy_engine_test
