// SPDX-License-Identifier: Apache-2.0
// An exerciser's DMA as the library offers it: which memory's lines it warms, and which bytes it reaches.
#include "models/libraries/exerciser/exerciser_dma.hpp"

#include "models/libraries/exerciser/exerciser_library.hpp"
#include "support/bench.hpp"

namespace exerciser_dma_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::DmaMemory;
using comm::DmaOperation;
using comm::WarmedBy;

namespace {

constexpr Time ring = 1_ns;
constexpr Time qpi = 20_ns;
constexpr Time flight = 1_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time remote = 10_ns;
constexpr Time hit = 50_ns;
constexpr Time dram = 65_ns;
constexpr Time port_latency = 70_ns;

Time on_wire(Bytes n) { return 250_ps * n.count(); }

/// A 64 B read of a line that is in the cache, from its start to its end; an engine without cycles.
Time hit_of(DmaMemory m) {
  const Time near =
      2 * port_latency + on_wire(24_B) + 2 * flight + reading + 2 * ring + hit + completing + on_wire(84_B);
  return m == DmaMemory::local ? near : near + 2 * (qpi + remote);
}

/// Two sockets, whose buffers begin at 4 GiB if they have 8 GiB; caches of 16 sets, of which devices have two ways.
struct DmaBench : Bench {
  explicit DmaBench(Bytes near = 8_GiB) {
    bench::ExerciserConfig card;
    card.port_latency = port_latency;
    card.engine.workers = 1;
    device("exerciser", card);
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = ring;
    for (int s = 0; s < 2; ++s) {
      const std::string n = s == 0 ? "" : "1";
      host::MemoryConfig memory;
      memory.base = 64_GiB * s;
      memory.size = s == 0 ? near : 8_GiB;
      memory.read_latency = hit;
      memory.record = true;
      memory.llc.size = 20_KiB;
      memory.llc.dram_latency = dram;
      host::RootComplexConfig rc;
      rc.memory_base = memory.base;
      rc.memory_size = memory.size;
      rc.read_latency = reading;
      rc.completion_latency = completing;
      rc.remote_latency = remote;
      rc.remotes = {{"qpi", 64_GiB * (1 - s), 8_GiB}};
      if (s == 0) rc.slots = {{"slot0", 512_GiB, 4_KiB}};
      if (s == 1) rc.remotes.push_back({"qpi", 512_GiB, 4_KiB});
      device("memory" + n, memory);
      device("rc" + n, rc);
      wire("rc" + n + ".memory", "memory" + n + ".bus", bus);
    }
    wire("exerciser.link", "rc.slot0", quiet(gen2_x8()));
    bus.flight = qpi;
    wire("rc.qpi", "rc1.qpi", bus);
    build();
    libraries::ExerciserLibraryConfig c;
    c.remote_memory = "memory1";
    library = std::make_unique<libraries::ExerciserPair>(c, machine());
  }
  comm::Dma& dma() { return *library->facet<comm::Dma>(); }
  void use(std::function<void(Fiber&)> f) {
    program("firmware", std::move(f));
    run();
    CHECK(sim().unfinished().empty());
    expect_all_home();
  }
  Time takes(Fiber& f, const DmaOperation& o) {
    const Time begin = f.now();
    dma().start(f, o).wait(f, comm::Milestone::completed);
    return f.now() - begin;
  }
  /// A letter each of the `n` lines from `first` on: h, its read is a hit; d, it comes from DRAM.
  std::string lines(Fiber& f, DmaMemory m, Bytes first, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) {
      const Time t = takes(f, {DmaOperation::Kind::read, m, 0, first + 64_B * i, 64_B});
      out += t == hit_of(m) ? "h" : t == hit_of(m) + dram ? "d" : "?";
    }
    return out;
  }
  std::unique_ptr<libraries::ExerciserPair> library;
};

std::string times(int n, const char* letter) {
  std::string out;
  for (int i = 0; i < n; ++i) out += letter;
  return out;
}

DmaMemory other(DmaMemory m) { return m == DmaMemory::local ? DmaMemory::remote : DmaMemory::local; }

/// 2 KiB at offset 4 KiB, as much as a device warms.
void expect_warm(DmaMemory m, WarmedBy by) {
  DmaBench b;
  b.use([&](Fiber& f) {
    b.dma().make_cold();
    b.dma().warm(m, 4_KiB, 2_KiB, by);
    CHECK(b.lines(f, m, 3_KiB, 64) == times(16, "d") + times(32, "h") + times(16, "d"));
    CHECK(b.lines(f, other(m), 3_KiB, 64) == times(64, "d"));
  });
}

}  // namespace

TEST_CASE("dma: what the host has warmed is in the cache, and nothing else") {
  expect_warm(DmaMemory::local, WarmedBy::host);
}
TEST_CASE("dma: what the card has warmed is in the cache, and nothing else") {
  expect_warm(DmaMemory::local, WarmedBy::device);
}
TEST_CASE("dma: what the other socket's host has warmed is in its cache") {
  expect_warm(DmaMemory::remote, WarmedBy::host);
}
TEST_CASE("dma: a remote window is warmed in the other socket's cache") {
  expect_warm(DmaMemory::remote, WarmedBy::device);
}

TEST_CASE("dma: more than a device's share leaves its last lines warm, the host's all") {
  DmaBench b;
  b.use([&](Fiber& f) {
    b.dma().make_cold();
    b.dma().warm(DmaMemory::local, 0_B, 4_KiB, WarmedBy::device);
    CHECK(b.lines(f, DmaMemory::local, 0_B, 64) == times(32, "d") + times(32, "h"));
    b.dma().make_cold();
    b.dma().warm(DmaMemory::local, 0_B, 4_KiB, WarmedBy::host);
    CHECK(b.lines(f, DmaMemory::local, 0_B, 64) == times(64, "h"));
  });
}

TEST_CASE("dma: lines that are warmed in part are warm") {
  DmaBench b;
  b.use([&](Fiber& f) {
    b.dma().make_cold();
    b.dma().warm(DmaMemory::local, 96_B, 64_B, WarmedBy::host);
    CHECK(b.lines(f, DmaMemory::local, 0_B, 4) == "dhhd");
  });
}

TEST_CASE("dma: the caches of both sockets become cold") {
  DmaBench b;
  b.use([&](Fiber& f) {
    for (const DmaMemory m : {DmaMemory::local, DmaMemory::remote}) b.dma().warm(m, 0_B, 256_B, WarmedBy::host);
    b.dma().make_cold();
    for (const DmaMemory m : {DmaMemory::local, DmaMemory::remote}) CHECK(b.lines(f, m, 0_B, 4) == "dddd");
  });
}

TEST_CASE("dma: writes go to the buffer's bytes in the memory that is meant") {
  DmaBench b;
  b.use([&](Fiber& f) {
    b.takes(f, {DmaOperation::Kind::write, DmaMemory::local, 0, 4_KiB, 64_B});
    b.takes(f, {DmaOperation::Kind::write, DmaMemory::remote, 0, 8_KiB, 128_B});
  });
  const auto& near = b.machine().get<host::Memory>("memory").extents();
  const auto& far = b.machine().get<host::Memory>("memory1").extents();
  REQUIRE(near.size() == 1);
  REQUIRE(far.size() == 1);
  CHECK(near[0].address == unsigned_of(4_GiB + 4_KiB));
  CHECK(near[0].length == 64_B);
  CHECK(far[0].address == unsigned_of(68_GiB + 8_KiB));
  CHECK(far[0].length == 128_B);
}

TEST_CASE("dma: bounds are of the memory that is meant") {
  DmaBench b(4_GiB);  // whose addresses have shorter headers
  const auto out = [&](DmaOperation::Kind kind, DmaMemory m) { return b.dma().load({kind, m, 0, 0_B, 64_B}).out; };
  CHECK(out(DmaOperation::Kind::write, DmaMemory::local) == 64_B + 20_B);
  CHECK(out(DmaOperation::Kind::write, DmaMemory::remote) == 64_B + 24_B);
  CHECK(out(DmaOperation::Kind::read, DmaMemory::local) == 20_B);
  CHECK(out(DmaOperation::Kind::read, DmaMemory::remote) == 24_B);
}

TEST_CASE("dma: its buffers reach to the end of each memory") {
  DmaBench b;
  CHECK(b.dma().buffer(DmaMemory::local) == 4_GiB);
  CHECK(b.dma().buffer(DmaMemory::remote) == 4_GiB);
  CHECK(b.dma().methods() == std::vector<std::string>{"dma"});
}

}  // namespace exerciser_dma_test
