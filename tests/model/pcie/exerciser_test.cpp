// SPDX-License-Identifier: Apache-2.0
#include "models/bench/exerciser.hpp"

#include "models/libraries/exerciser/exerciser_library.hpp"
#include "support/bench.hpp"

namespace exerciser_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Card "a" in place of a host, card "b" in its slot, 1 MiB of memory each, four writes queued at a time.
void two_cards(Bench& b, int max_train) {
  bench::ExerciserConfig a;
  a.queue = 4;
  a.memory = 1_MiB;
  bench::ExerciserConfig c = a;
  a.role = net::LinkRole::root_complex;
  b.device("a", a);
  b.device("b", c);
  b.wire("a.link", "b.link", quiet(gen2_x8()));
  b.build(max_train);
}

/// 256 writes back to back, of which `low` lie below 4 GiB: 276 or 280 bytes at 250 ps; and the last one's flight.
void expect_full_rate(int max_train, int low) {
  Bench b;
  two_cards(b, max_train);
  auto& from = b.machine().get<bench::Exerciser>("a");
  auto& to = b.machine().get<bench::Exerciser>("b");
  const std::uint64_t first = far - 256u * static_cast<unsigned>(low);
  b.program("write", [&](Fiber& f) { from.write(f, first, 64_KiB, 7); });
  host::Word& w = to.word_ending_at((first + 0x10000) % 0x100000);  // addresses count modulo 1 MiB
  b.program("poll", [&](Fiber& f) {
    f.wait(w.changed, "the last write");
    CHECK(f.now() == 70_ns * (256 - low) + 69_ns * low + b.forward().wire().flight);
  });
  b.run();
  CHECK(w.value == 7);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("an exerciser fills a link with its writes, and its peer sees the last one") { expect_full_rate(1, 0); }

TEST_CASE("an exerciser fills a link with its trains, and its peer sees the last write") { expect_full_rate(64, 0); }

TEST_CASE("writes across 4 GiB take the longer header above it") { expect_full_rate(1, 100); }

TEST_CASE("a train across 4 GiB takes the longer header above it") { expect_full_rate(64, 100); }

TEST_CASE("writes of several programs are posted in the order they were asked for") {
  Bench b;
  two_cards(b, 1);
  auto& from = b.machine().get<bench::Exerciser>("a");
  auto& to = b.machine().get<bench::Exerciser>("b");
  Time first;
  Time second;
  b.program("first", [&](Fiber& f) { from.write(f, far, 4_KiB, 1); });
  b.program("second", [&](Fiber& f) { from.write(f, far + 0x10000, 256_B, 2); });
  b.program("poll first", [&](Fiber& f) {
    f.wait(to.word_ending_at(0x1000).changed, "the first");
    first = f.now();
  });
  b.program("poll second", [&](Fiber& f) {
    f.wait(to.word_ending_at(0x10100).changed, "the second");
    second = f.now();
  });
  b.run();
  CHECK(second - first == 70_ns);
  b.expect_all_home();
}

TEST_CASE("exercisers are ranks only where a card's memory divides the stride") {
  Bench b;
  two_cards(b, 1);
  libraries::ExerciserLibraryConfig c;
  c.stride = 3_MiB;
  CHECK(libraries::ExerciserGroup(c, b.machine()).ranks() == 2);
  c.stride = 1536_KiB;
  CHECK_THROWS_AS(libraries::ExerciserGroup(c, b.machine()), config::ConfigError);
}

}  // namespace exerciser_test
