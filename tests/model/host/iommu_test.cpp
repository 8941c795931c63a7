// SPDX-License-Identifier: Apache-2.0
// Cards behind an IOMMU: what a translation that is not known costs whom.
#include "support/bench.hpp"
#include "support/child.hpp"

namespace iommu_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t page = 4096;
constexpr Time ring = 1_ns;
constexpr Time flight = 1_ns;
constexpr Time posted = 150_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time hit = 50_ns;
constexpr Time walk = 320_ns;

Time on_wire(Bytes n) { return 250_ps * n.count(); }

/// From a card to the root complex; below 4 GiB.
Time up(Bytes n) { return on_wire(n + 20_B) + flight; }
/// From there to the completion of one read.
Time back(Bytes n) { return reading + ring + hit + ring + completing + on_wire(n + 20_B) + flight; }

/// Two cards at a root complex.
void build(Bench& b, int entries, int max_train = 1, int walkers = 1) {
  host::MemoryConfig m;
  m.size = 4_GiB;
  m.read_latency = hit;
  m.record = true;
  b.device("memory0", m);
  host::RootComplexConfig rc;
  rc.memory_size = m.size;
  rc.posted_latency = posted;
  rc.read_latency = reading;
  rc.completion_latency = completing;
  rc.iommu.entries = entries;
  rc.iommu.walk_reads = 4;
  rc.iommu.walk_read_latency = 80_ns;
  rc.iommu.walkers = walkers;
  rc.slots = {{"slot0", 512_GiB, 4_KiB}, {"slot1", 513_GiB, 4_KiB}};
  b.device("rc", rc);
  host::OnChipConfig bus;
  bus.bandwidth = Rate::infinite();
  bus.flight = ring;
  b.wire("rc.memory", "memory0.bus", bus);
  for (const char* n : {"0", "1"}) {
    b.device("card" + std::string(n), port("link"));
    b.wire("rc.slot" + std::string(n), "card" + std::string(n) + ".link", quiet(gen2_x8()));
  }
  b.build(max_train);
}

host::Memory& memory(Bench& b) { return b.machine().get<host::Memory>("memory0"); }

}  // namespace

TEST_CASE("a read of an unknown page takes a walk longer and the next one does not") {
  Bench b;
  build(b, 64);
  b.at(0_ns, [&] { b.probe("card0").read(0, 64_B); });
  b.at(2_us, [&] { b.probe("card0").read(64, 64_B); });
  b.at(4_us, [&] { b.probe("card0").read(page, 64_B); });
  b.at(6_us, [&] { b.probe("card1").read(page, 64_B); });  // one table for both
  b.run();
  b.probe("card0").expect_at(0, up(0_B) + walk + back(64_B));
  b.probe("card0").expect_at(1, 2_us + up(0_B) + back(64_B));
  b.probe("card0").expect_at(2, 4_us + up(0_B) + walk + back(64_B));
  b.probe("card1").expect_at(0, 6_us + up(0_B) + back(64_B));
  b.expect_all_home();
}

TEST_CASE("reads step up by a walk where a window has one page more than there are entries") {
  for (const std::uint64_t pages : {4, 5}) {
    const std::string seen = in_child([&] {
      Bench b(sim::Kernel::shared);
      build(b, 4);
      for (std::uint64_t i = 0; i < 2 * pages; ++i)
        b.at(1_us * static_cast<std::int64_t>(i), [&b, i, pages] { b.probe("card0").read(i % pages * page, 64_B); });
      b.run();
      b.expect_all_home();
      std::string out;
      for (std::size_t i = 0; i < b.probe("card0").arrivals().size(); ++i)
        out += b.probe("card0").arrivals()[i].head == 1_us * static_cast<std::int64_t>(i) + up(0_B) + walk + back(64_B)
                   ? "w"
                   : "-";
      return out;
    });
    CHECK(seen == (pages == 4 ? "wwww----" : "wwwwwwwwww"));
  }
}

TEST_CASE("reads of one page share its walk and those of others wait for a walker") {
  Bench b;
  build(b, 64);
  b.at(0_ns, [&] {
    b.probe("card0").read(0, 64_B);
    b.probe("card0").read(64, 64_B);
    b.probe("card0").read(page, 64_B);
  });
  b.run();
  const Time first = up(0_B) + walk + back(64_B);
  b.probe("card0").expect_at(0, first);
  b.probe("card0").expect_at(1, first + on_wire(84_B));
  b.probe("card0").expect_at(2, first + walk);
  b.expect_all_home();
}

TEST_CASE("with two walkers two pages are walked at a time") {
  Bench b;
  build(b, 64, 1, 2);
  b.at(0_ns, [&] {
    for (std::uint64_t i = 0; i < 3; ++i) b.probe("card0").read(i * page, 64_B);
  });
  b.run();
  const Time first = up(0_B) + walk + back(64_B);
  b.probe("card0").expect_at(0, first);
  b.probe("card0").expect_at(1, first + on_wire(84_B));
  b.probe("card0").expect_at(2, first + walk);
  b.expect_all_home();
}

TEST_CASE("writes keep their order behind a walk and reads behind them wait too") {
  Bench b;
  build(b, 64);
  b.at(0_ns, [&] { b.probe("card0").read(0, 64_B); });
  b.at(1_us, [&] {
    b.probe("card0").write(page, 64_B);
    b.probe("card0").write(0, 64_B);  // its page is known
    b.probe("card0").read(128, 64_B);
    b.probe("card1").write(64, 64_B);  // another card's passes
  });
  b.run();
  const auto& e = memory(b).extents();
  REQUIRE(e.size() == 3);
  CHECK(e[0].address == 64);
  CHECK(e[0].when == 1_us + up(64_B) + posted + ring);
  CHECK(e[1].address == page);
  CHECK(e[1].when == 1_us + up(64_B) + walk + posted + ring);
  CHECK(e[2].address == 0);
  CHECK(e[2].when == e[1].when);
  b.probe("card0").expect_at(1, 1_us + up(64_B) + walk + back(64_B));
  b.expect_all_home();
}

TEST_CASE("a read of a known page and a write pass a read that waits for a walk") {
  Bench b;
  build(b, 64);
  b.at(0_ns, [&] { b.probe("card0").read(0, 64_B); });
  b.at(1_us, [&] {
    b.probe("card0").read(page, 64_B);
    b.probe("card0").read(64, 64_B);
    b.probe("card0").write(128, 64_B);
  });
  b.run();
  const auto& seen = b.probe("card0").arrivals();
  REQUIRE(seen.size() == 3);
  CHECK(seen[1].address == 64);
  CHECK(seen[1].head == 1_us + on_wire(20_B) + up(0_B) + back(64_B));
  CHECK(seen[2].address == page);
  CHECK(seen[2].head == 1_us + up(0_B) + walk + back(64_B));
  CHECK(memory(b).extents()[0].when == 1_us + on_wire(40_B) + up(64_B) + posted + ring);
  b.expect_all_home();
}

TEST_CASE("cards that ask at one instant are served in the order of the slots whatever rings first") {
  for (const bool reversed : {false, true}) {
    const std::string seen = in_child([&] {
      Bench b(sim::Kernel::shared);
      build(b, 64);
      b.sim().agenda().reverse_ties(reversed);
      b.at(0_ns, [&] {
        b.probe("card1").read(page, 64_B);
        b.probe("card0").read(0, 64_B);
      });
      b.run();
      return std::to_string(b.probe("card0").arrivals().at(0).head.fs()) + " " +
             std::to_string(b.probe("card1").arrivals().at(0).head.fs());
    });
    const Time first = up(0_B) + walk + back(64_B);
    CHECK(seen == std::to_string(first.fs()) + " " + std::to_string((first + walk).fs()));
  }
}

TEST_CASE("trains change nothing behind an IOMMU") {
  std::vector<std::string> seen;
  for (const int max_train : {1, 64})
    seen.push_back(in_child([&] {
      Bench b(sim::Kernel::shared);
      build(b, 3, max_train, 2);
      for (int i = 0; i < 10; ++i)
        b.at(900_ns * i, [&b, i] {
          const std::uint64_t at = static_cast<std::uint64_t>(i % 7) * 1536;
          b.probe("card0").write_train(at & ~std::uint64_t{255}, 12, 256_B, 100_B);
          b.probe("card1").write_train((at + 8192) & ~std::uint64_t{255}, 20, 256_B, 256_B);
          b.probe("card0").read(at & ~std::uint64_t{4095}, 4_KiB);
          b.probe("card1").read(at, 512_B);
        });
      b.run();
      b.expect_all_home();
      std::string out = extents_text(memory(b));
      for (const char* card : {"card0", "card1"})
        for (const Arrival& a : b.probe(card).arrivals())
          out += std::to_string(a.head.fs()) + " " + std::to_string(a.address) + "\n";
      return out;
    }));
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0].size() > 1000);
}

}  // namespace iommu_test
