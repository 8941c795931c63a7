// SPDX-License-Identifier: Apache-2.0
// Reads of an exerciser's own memory: by a host, by the card opposite, by a peer in another slot.
#include "models/bench/dma_engine.hpp"
#include "support/bench.hpp"

namespace exerciser_read_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

Time on_wire(Bytes n) { return 250_ps * n.count(); }

bench::ExerciserConfig reader() {
  bench::ExerciserConfig c;
  c.engine.clock = Frequency(4'000'000'000);
  c.engine.workers = 1;
  return c;
}

void read(Fiber& f, bench::Exerciser& by, std::uint64_t address, Bytes n) {
  by.engine()->start(f, {true, address, n}, bench::EngineMethod::dma).wait(f, comm::Milestone::completed);
}

}  // namespace

TEST_CASE("an exerciser answers a read with what was written there in completions that end at whole boundaries") {
  Bench b;
  bench::ExerciserConfig c;
  c.answer_latency = 40_ns;
  c.memory = 1_MiB;
  b.device("card", c);
  b.device("host", port("link"));
  b.wire("host.link", "card.link", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&] {
    b.probe("host").write_bytes(far + 0x1040, {1, 2, 3, 4, 5, 6, 7, 8});
    b.probe("host").read(far + 0x1040, 300_B);
  });
  b.run();
  const auto& seen = b.probe("host").arrivals();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].payload == 192_B);  // to 0x1100
  CHECK(seen[1].payload == 108_B);
  const Time read = on_wire(32_B) + on_wire(24_B) + 1_ns;
  CHECK(seen[0].head == read + 40_ns + on_wire(212_B) + 1_ns);
  CHECK(seen[1].head == read + 40_ns + on_wire(212_B) + on_wire(128_B) + 1_ns);
  REQUIRE(seen[0].bytes.size() >= 8);
  CHECK(std::vector<std::uint8_t>(seen[0].bytes.begin(), seen[0].bytes.begin() + 8) ==
        std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8});
  b.expect_all_home();
}

TEST_CASE("no completion of an exerciser is larger than the link's max payload") {
  Bench b;
  b.device("card", bench::ExerciserConfig{});
  b.device("host", port("link"));
  pcie::LinkConfig link = quiet(gen2_x8());
  link.max_payload_size = 128_B;
  b.wire("host.link", "card.link", link);
  b.build();
  b.at(0_ns, [&] { b.probe("host").read(far + 64, 256_B); });
  b.run();
  const auto& seen = b.probe("host").arrivals();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].payload == 64_B);
  CHECK(seen[1].payload == 128_B);
  CHECK(seen[2].payload == 64_B);
}

TEST_CASE("a card reads the one opposite") {
  Bench b;
  bench::ExerciserConfig other;
  other.role = net::LinkRole::root_complex;
  other.answer_latency = 100_ns;
  b.device("card", reader());
  b.device("other", other);
  b.wire("card.link", "other.link", quiet(gen2_x8()));
  b.build();
  b.program("firmware", [&](Fiber& f) {
    read(f, b.machine().get<bench::Exerciser>("card"), far, 64_B);
    CHECK(f.now() == on_wire(24_B) + 1_ns + 100_ns + on_wire(84_B) + 1_ns);
  });
  b.run();
  CHECK(b.sim().unfinished().empty());
  b.expect_all_home();
}

TEST_CASE("a read that is never answered is left over") {
  Bench b;
  b.device("card", reader());
  b.device("host", port("link"));
  b.wire("card.link", "host.link", quiet(gen2_x8()));
  b.build();
  b.program("firmware", [&](Fiber& f) {
    b.machine().get<bench::Exerciser>("card").engine()->start(f, {true, far, 64_B}, bench::EngineMethod::dma);
  });
  b.run();
  REQUIRE(b.machine().leftovers().size() == 1);
  CHECK_THAT(b.machine().leftovers()[0], Catch::Contains("DMA operations are under way"));
}

TEST_CASE("a card reads a peer in another slot") {
  Bench b;
  host::RootComplexConfig rc;
  rc.peer.latency = 150_ns;
  rc.peer.read_size = 64_B;
  rc.slots = {{"slot0", 512_GiB, 4_KiB}, {"slot1", 256_GiB, 1_GiB}};
  host::OnChipConfig bus;
  bench::ExerciserConfig peer;
  peer.answer_latency = 100_ns;
  b.device("rc", rc);
  b.device("memory", host::MemoryConfig{});
  b.device("card", reader());
  b.device("peer", peer);
  b.wire("rc.memory", "memory.bus", bus);
  b.wire("rc.slot0", "card.link", quiet(gen2_x8()));
  b.wire("rc.slot1", "peer.link", quiet(gen2_x8()));
  b.build();
  b.program("firmware", [&](Fiber& f) {
    read(f, b.machine().get<bench::Exerciser>("card"), std::uint64_t{256} << 30, 64_B);
    const Time link = on_wire(24_B) + 1_ns, back = on_wire(84_B) + 1_ns;
    CHECK(f.now() == link + 150_ns + link + 100_ns + back + 150_ns + back);
  });
  b.run();
  CHECK(b.sim().unfinished().empty());
  b.expect_all_home();
}

}  // namespace exerciser_read_test
