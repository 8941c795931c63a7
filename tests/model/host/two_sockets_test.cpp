// SPDX-License-Identifier: Apache-2.0
#include "support/bench.hpp"
#include "support/child.hpp"

namespace two_sockets_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
constexpr Time ring = 1_ns;  // flight of the on-chip wires
constexpr Time qpi = 20_ns;
constexpr Time flight = 1_ns;
constexpr Time posted = 150_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time remote = 10_ns;

Time on_wire(Bytes n) { return 250_ps * n.count(); }

/// The first takes `shown` bytes of addresses for the second's card.
host::RootComplexConfig root_complex(int socket, Bytes shown = 256_MiB + 16_MiB) {
  host::RootComplexConfig rc;
  rc.memory_size = 64_GiB;
  rc.memory_base = 64_GiB * socket;
  rc.posted_latency = posted;
  rc.read_latency = reading;
  rc.completion_latency = completing;
  rc.remote_latency = remote;
  rc.peer.latency = 140_ns;
  rc.peer.qpi_latency = 300_ns;
  rc.peer.qpi_reads = 1;
  rc.peer.qpi_write_time = 50_ns;
  if (socket == 0) {
    rc.slots = {{"slot0", 512_GiB, 1_MiB}};
    rc.remotes = {{"qpi", 64_GiB, 64_GiB}, {"qpi", 256_GiB, shown}};
  } else {
    rc.slots = {{"slot0", 256_GiB, 256_MiB + 16_MiB}};
    rc.remotes = {{"qpi", 0_B, 64_GiB}, {"qpi", 512_GiB, 1_MiB}};
  }
  return rc;
}

host::OnChipConfig bus(Time t) {
  host::OnChipConfig c;
  c.bandwidth = Rate::infinite();
  c.flight = t;
  return c;
}

/// Socket 0 with a probe in its slot, socket 1 with a GPU.
void build(Bench& b, host::AcrossQpi across = host::AcrossQpi::refused, int max_train = 1,
           Bytes shown = 256_MiB + 16_MiB) {
  for (int s = 0; s < 2; ++s) {
    const std::string n = std::to_string(s);
    host::RootComplexConfig rc = root_complex(s, shown);
    rc.peer.across_qpi = across;
    host::MemoryConfig memory;
    memory.base = rc.memory_base;
    memory.size = 64_GiB;
    memory.record = true;
    b.device("core" + n, host::CoreConfig{});
    b.device("rc" + n, rc);
    b.device("memory" + n, memory);
    b.wire("core" + n + ".bus", "rc" + n + ".core0", bus(ring));
    b.wire("rc" + n + ".memory", "memory" + n + ".bus", bus(ring));
  }
  b.device("card", port("link"));
  b.device("gpu", gpu::GpuConfig{});
  b.wire("rc0.slot0", "card.link", quiet(gen2_x8()));
  b.wire("rc1.slot0", "gpu.pcie", quiet(gen2_x8()));
  b.wire("rc0.qpi", "rc1.qpi", bus(qpi));
  b.build(max_train);
  b.machine().get<gpu::Gpu>("gpu").pin(0_B, 1_MiB);
}

host::Memory& memory(Bench& b, int socket) { return b.machine().get<host::Memory>("memory" + std::to_string(socket)); }

}  // namespace

TEST_CASE("a card's write reaches the other socket's memory") {
  Bench b;
  build(b);
  b.probe("card").says(4);
  b.at(0_ns, [&] { b.probe("card").write(64 * GiB + 0x1000, 256_B); });
  b.run();
  REQUIRE(memory(b, 1).extents().size() == 1);
  CHECK(memory(b, 1).extents()[0].when == on_wire(280_B) + flight + posted + qpi + remote + ring);
  CHECK(memory(b, 1).word_ending_at(64 * GiB + 0x1100).value == 4);
  CHECK(memory(b, 0).extents().empty());
  b.expect_all_home();
}

TEST_CASE("a card's read of the other socket's memory finds its way back") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("card").read(64 * GiB + 0x40, 1_KiB); });
  b.run();
  const auto& seen = b.probe("card").arrivals();
  REQUIRE(seen.size() == 5);  // 192, 256, 256, 256, 64
  Time at = on_wire(24_B) + flight + reading + qpi + remote + ring + host::MemoryConfig{}.read_latency + ring + remote +
            qpi + completing + flight;
  Bytes sum;
  for (const Arrival& a : seen) {
    at += on_wire(a.payload + 20_B);
    CHECK(a.head == at);
    sum += a.payload;
  }
  CHECK(sum == 1_KiB);
  b.expect_all_home();
}

TEST_CASE("a read across sockets in trains is complete, too") {
  Bench b;
  build(b, host::AcrossQpi::refused, 64);
  b.at(0_ns, [&] { b.probe("card").read(64 * GiB, 4_KiB); });
  b.run();
  const auto& seen = b.probe("card").arrivals();
  REQUIRE(seen.size() == 16);
  CHECK(seen.back().head == on_wire(24_B) + flight + reading + qpi + remote + ring + host::MemoryConfig{}.read_latency +
                                ring + remote + qpi + completing + flight + on_wire(276_B) * 16);
  b.expect_all_home();
}

TEST_CASE("a read of what the other socket has not got is refused to its last byte, in trains, too") {
  std::vector<std::string> seen;
  for (const int max_train : {1, 64})
    seen.push_back(in_child([&] {
      Bench b(sim::Kernel::shared);
      build(b, host::AcrossQpi::refused, max_train, 1_GiB);
      b.at(0_ns, [&] { b.probe("card").read(256 * GiB + GiB / 2, 2_KiB); });
      b.run();
      b.expect_all_home();
      std::string out = std::to_string(b.sim().complaints());
      for (const Arrival& a : b.probe("card").arrivals())
        out += "\n" + std::to_string(a.head.fs()) + ": fails " + std::to_string(a.completed.count());
      return out;
    }));
  const Time first = on_wire(24_B) + flight + reading + qpi + posted + qpi + completing + flight + on_wire(20_B);
  std::string expected = "8";
  for (int i = 0; i < 8; ++i) expected += "\n" + std::to_string((first + on_wire(20_B) * i).fs()) + ": fails 256";
  CHECK(seen[0] == expected);
  CHECK(seen[1] == expected);
}

TEST_CASE("refused writes keep their place in the buffer until they are there, in trains, too") {
  std::vector<std::string> seen;
  for (const int max_train : {1, 64})
    seen.push_back(in_child([&] {
      Bench b(sim::Kernel::shared);
      host::RootComplexConfig rc = root_complex(0);
      rc.remotes.clear();
      rc.buffers.posted_headers = 1;
      host::MemoryConfig own;
      own.size = rc.memory_size;
      own.record = true;
      b.device("rc0", rc);
      b.device("memory0", own);
      b.device("card", port("link"));
      b.wire("rc0.memory", "memory0.bus", bus(ring));
      b.wire("rc0.slot0", "card.link", quiet(gen2_x8()));
      b.build(max_train);
      b.at(0_ns, [&] {
        b.probe("card").write_train(700 * GiB, 32, 256_B, 256_B);
        b.probe("card").write(0x1000, 64_B);
      });
      b.run();
      b.expect_all_home();
      return std::to_string(b.sim().complaints()) + " " + std::to_string(memory(b, 0).extents().at(0).when.fs());
    }));
  CHECK(seen[0] == seen[1]);
  const Time each = on_wire(280_B) + flight + flight;  // and its credit home
  CHECK(seen[0] == "32 " + std::to_string((each * 32 + on_wire(84_B) + flight + posted + ring).fs()));
}

TEST_CASE("a core loads from a card of the other socket, and stores there") {
  Bench b;
  build(b);
  std::uint64_t value = 0;
  Time done;
  b.program("load", [&](Fiber& f) {
    auto& core = b.machine().get<host::Core>("core0");
    core.store(f, 256 * GiB, 8_B, 77, 1);
    f.wait_until(10_us);
    value = core.load(f, 256 * GiB, 8_B);
    done = f.now();
  });
  b.run();
  CHECK(value == 77);
  const gpu::GpuConfig g;
  CHECK(done == 10_us + host::CoreConfig{}.load_to_bus + host::CoreConfig{}.uncached_load + ring + remote + qpi +
                    posted + on_wire(24_B) + flight + 2 * g.port_latency + g.translation_latency + g.read_latency +
                    on_wire(28_B) + flight + posted + qpi + remote + ring);
  b.expect_all_home();
}

TEST_CASE("a card cannot reach a card of the other socket, and that is known before the run") {
  Bench b;
  build(b);
  const auto& rc = b.machine().get<host::RootComplex>("rc0");
  const auto& card = b.probe("card");
  CHECK(rc.peer_refusal(card, Address(256 * GiB)) ==
        "the way from card to the card at address 0x4000000000 crosses QPI (rc0.qpi), and \"peer_across_qpi\" of rc0 "
        "is \"refused\"");
  CHECK(rc.peer_refusal(card, Address(64 * GiB)).empty());
  CHECK(rc.peer_refusal(card, Address(0)).empty());
  CHECK(rc.peer_refusal(card, Address(300 * GiB)) == "rc0: no device answers at address 0x4b00000000");
  CHECK(rc.peer_refusal(b.machine().get<gpu::Gpu>("gpu"), Address(0)) == "gpu is in no slot of rc0");
  b.at(0_ns, [&] { b.probe("card").write(256 * GiB, 8_B); });
  CHECK_THAT(b.failure(), Catch::StartsWith("the way from card to the card at address 0x4000000000 crosses QPI"));
}

TEST_CASE("a refused read across sockets is an error of the run") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("card").read(256 * GiB, 64_B); });
  CHECK_THAT(b.failure(), Catch::StartsWith("the way from card to the card at address 0x4000000000 crosses QPI"));
}

TEST_CASE("a card's reads of a card of the other socket, where they are forwarded, are few at a time") {
  Bench b;
  build(b, host::AcrossQpi::forwarded);
  const auto& rc = b.machine().get<host::RootComplex>("rc0");
  CHECK(rc.peer_refusal(b.probe("card"), Address(256 * GiB)).empty());
  b.at(0_ns, [&] { b.probe("card").read(256 * GiB, 192_B); });
  b.run();
  const gpu::GpuConfig g;
  const Time loop = 140_ns + 300_ns + qpi + posted + on_wire(24_B) + flight + 2 * g.port_latency +
                    g.translation_latency + g.read_latency + on_wire(84_B) + flight + posted + qpi;
  const Time first = on_wire(24_B) + flight + loop + 140_ns + 300_ns + on_wire(84_B) + flight;
  for (std::size_t i = 0; i < 3; ++i)
    b.probe("card").expect_at(i, first + (loop + host::PeerConfig{}.read_recovery) * static_cast<std::int64_t>(i));
  b.expect_all_home();
}

TEST_CASE("a card's writes to a card of the other socket, where they are forwarded, are slow") {
  Bench b;
  build(b, host::AcrossQpi::forwarded);
  b.probe("card").says(6);
  b.at(0_ns, [&] {
    b.probe("card").write(256 * GiB, 256_B);
    b.probe("card").write(256 * GiB + 256, 256_B);
  });
  b.run();
  const gpu::GpuConfig g;
  const Time first = on_wire(280_B) + flight + posted + 300_ns + qpi + posted + on_wire(280_B) + flight +
                     g.port_latency + g.translation_latency + g.write_latency;
  auto& gpu = b.machine().get<gpu::Gpu>("gpu");
  CHECK(gpu.word_ending_at(256).since == first);
  CHECK(gpu.word_ending_at(512).since == first + 4 * 50_ns);  // four lines, each acknowledged before the next
  b.expect_all_home();
}

TEST_CASE("a write crosses QPI when it is there as a whole, not with its first byte") {
  Bench b;
  build(b, host::AcrossQpi::forwarded);
  auto& rc = b.machine().get<host::RootComplex>("rc0");
  // As a port that cuts through would hand it over: the first byte at 1 us, the last one later.
  const Time last_byte = 1_us + 500_ns;
  b.at(1_us, [&] {
    net::Delivery d;
    d.packet = pcie::memory_write(b.machine().pool(), 256 * GiB, 256_B);
    d.packet->say_last(9);
    d.schedule = net::Schedule({1_us, last_byte});
    rc.receive(rc.find_port("slot0"), std::move(d));
  });
  b.run();
  const gpu::GpuConfig g;
  CHECK(b.machine().get<gpu::Gpu>("gpu").word_ending_at(256).since == last_byte + posted + 300_ns + qpi + posted +
                                                                          on_wire(280_B) + flight + g.port_latency +
                                                                          g.translation_latency + g.write_latency);
  b.expect_all_home();
}

TEST_CASE("remotes that lead back are refused") {
  Bench b;
  host::RootComplexConfig rc = root_complex(0);
  b.device("rc0", rc);
  host::MemoryConfig memory;
  memory.size = rc.memory_size;
  b.device("memory0", memory);
  memory.base = rc.memory_base = 1024_GiB;
  b.device("rc1", rc);
  b.device("memory1", memory);
  b.wire("rc0.memory", "memory0.bus", bus(ring));
  b.wire("rc1.memory", "memory1.bus", bus(ring));
  b.wire("rc0.qpi", "rc1.qpi", bus(qpi));
  CHECK_THROWS_WITH(b.build(), Catch::Contains("rc0: addresses from 64 GiB belong to rc1, says \"remotes\"; but "
                                               "rc1 passes them on to its qpi"));
}

}  // namespace two_sockets_test
