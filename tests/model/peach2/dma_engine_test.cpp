// SPDX-License-Identifier: Apache-2.0
#include "model/peach2/dma_engine_bench.hpp"

namespace dma_engine_test {

TEST_CASE("firmware sees the end of a 64 byte read after the cycles of the engine and a round trip") {
  EngineBench b;
  b.build();
  b.program("firmware", [&](Fiber& f) {
    f.wait_until(1_ns);
    const Time first = edge(1_ns) + cycle * start_cycles;
    CHECK(done(f, b.engine(), {true, far, 64_B}) == edge(first + round_trip(64_B)) + cycle * end_cycles);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("a command has cycles of its own") {
  EngineBench b;
  b.config.engine.command = {64_B, 3, 5};
  b.build();
  b.program("firmware", [&](Fiber& f) {
    CHECK(done(f, b.engine(), {true, far, 8_B}, EngineMethod::command) ==
          edge(cycle * 3 + round_trip(8_B)) + cycle * 5);
  });
  b.run();
}

TEST_CASE("operations of both ways each come after their own cycles") {
  EngineBench b;
  b.config.engine.command = {64_B, 3, 5};
  b.build();
  b.program("firmware", [&](Fiber& f) {
    const comm::Request slow = b.engine().start(f, {true, far, 8_B}, EngineMethod::dma);
    const comm::Request fast = b.engine().start(f, {true, far, 8_B}, EngineMethod::command);
    fast.wait(f, comm::Milestone::completed);
    CHECK(f.now() == edge(cycle * 3 + round_trip(8_B)) + cycle * 5);
    slow.wait(f, comm::Milestone::completed);
    CHECK(f.now() == edge(cycle * start_cycles + round_trip(8_B)) + cycle * end_cycles);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("a write is done when its last TLP has left the card") {
  EngineBench b;
  b.build();
  b.program("firmware", [&](Fiber& f) {
    const Time first = cycle * start_cycles + port_latency;
    CHECK(done(f, b.engine(), {false, far, 1000_B}) == edge(first + on_wire(1000_B + 4 * 24_B)) + cycle * end_cycles);
  });
  b.run();
  b.expect_all_home();
  const auto& extents = b.machine().get<host::Memory>("memory").extents();
  REQUIRE(extents.size() == 4);
  CHECK(extents[0].address == far);
  CHECK(extents[3].address == far + 768);
  CHECK(extents[3].length == 232_B);
}

TEST_CASE("a write that begins within a max payload is cut as seldom as may be, at most at 4 KiB") {
  EngineBench b;
  b.build();
  b.program("firmware", [&](Fiber& f) {
    done(f, b.engine(), {false, far + 64, 300_B});
    done(f, b.engine(), {false, far + 4096 - 100, 300_B});
  });
  b.run();
  b.expect_all_home();
  std::vector<std::pair<std::uint64_t, Bytes>> seen;
  for (const host::Extent& e : b.machine().get<host::Memory>("memory").extents())
    seen.emplace_back(e.address - far, e.length);
  CHECK(seen ==
        std::vector<std::pair<std::uint64_t, Bytes>>{{64, 256_B}, {320, 44_B}, {4096 - 100, 100_B}, {4096, 200_B}});
}

TEST_CASE("a card that aligns its writes cuts one that begins within a max payload at the next one") {
  EngineBench b;
  b.config.align_writes = true;
  b.build();
  b.program("firmware", [&](Fiber& f) { done(f, b.engine(), {false, far + 64, 300_B}); });
  b.run();
  b.expect_all_home();
  const auto& extents = b.machine().get<host::Memory>("memory").extents();
  REQUIRE(extents.size() == 2);
  CHECK(extents[0].length == 192_B);
  CHECK(extents[1].address == far + 256);
  CHECK(extents[1].length == 108_B);
}

TEST_CASE("a read that nobody answers ends the run of a machine beside others") {
  EngineBench b(sim::Kernel::shared);
  b.build();
  // It does not wait: what waits when a run breaks off keeps what it holds.
  b.program("firmware", [&](Fiber& f) {
    b.engine().start(f, {true, std::uint64_t{1} << 38, 64_B}, bench::EngineMethod::dma);
  });
  CHECK(b.failure() == "card: nobody answered its read (unsupported request)");
}

namespace {

/// 64 KiB with so many tags, from the first request to the last byte; a clock whose edges cost nothing.
void expect_read(int tags, int max_train, Time expected) {
  EngineBench b;
  b.config.engine.clock = Frequency(4'000'000'000);
  b.config.engine.start_cycles = b.config.engine.end_cycles = 0;
  b.config.engine.tags = tags;
  b.build(max_train);
  b.program("firmware", [&](Fiber& f) { CHECK(done(f, b.engine(), {true, far, 64_KiB}) == expected); });
  b.run();
  b.expect_all_home();
}

constexpr int requests = 256;  // of 256 B

/// Two reads a round trip, the second one's completion behind the first one's.
Time with_two_tags() { return round_trip(256_B) * (requests / 2) + on_wire(276_B); }
/// Completions back to back.
Time at_full_rate() { return round_trip(256_B) + on_wire(276_B) * (requests - 1); }

}  // namespace

TEST_CASE("a read is limited by its tags over the round trip") { expect_read(2, 1, with_two_tags()); }
TEST_CASE("a read is limited by its tags over the round trip in trains") { expect_read(2, 64, with_two_tags()); }
TEST_CASE("with tags enough a read fills the link with completions") { expect_read(64, 1, at_full_rate()); }
TEST_CASE("with tags enough a read fills the link with completions in trains") { expect_read(64, 64, at_full_rate()); }

namespace {

/// Writes back to back: the link's bytes behind the first one's way to it.
void expect_writes(int max_train, Bytes each, Bytes on_link_each) {
  EngineBench b;
  b.config.engine.start_cycles = b.config.engine.end_cycles = 0;
  b.config.engine.workers = 8;  // one is busy until its bytes have passed the port
  b.build(max_train);
  b.program("firmware", [&](Fiber& f) {
    comm::Request last;
    for (unsigned i = 0; i < 200; ++i) last = b.engine().start(f, {false, far + 0x1000 * i, each}, EngineMethod::dma);
    last.wait(f, comm::Milestone::completed);
    CHECK(f.now() == edge(port_latency + on_wire(on_link_each * 200)));
  });
  b.run();
  b.expect_all_home();
}

}  // namespace

TEST_CASE("short writes of few workers fill the link") { expect_writes(1, 64_B, 88_B); }
TEST_CASE("long writes of few workers fill the link in trains") { expect_writes(64, 2_KiB, 8 * 280_B); }
TEST_CASE("long writes of few workers fill the link") { expect_writes(1, 2_KiB, 8 * 280_B); }

TEST_CASE("there are no more operations under way than workers") {
  EngineBench b;
  b.config.engine.workers = 2;
  b.build();
  b.program("firmware", [&](Fiber& f) {
    std::vector<comm::Request> all;
    for (int i = 0; i < 3; ++i) all.push_back(b.engine().start(f, {true, far, 64_B}, EngineMethod::dma));
    CHECK(all[1].at(comm::Milestone::posted) == 0_ns);
    CHECK(all[2].at(comm::Milestone::posted) == all[0].at(comm::Milestone::completed));
    CHECK(all[0].at(comm::Milestone::completed) == edge(cycle * start_cycles + round_trip(64_B)) + cycle * end_cycles);
    all[2].wait(f, comm::Milestone::completed);
  });
  b.run();
  b.expect_all_home();
}

namespace {

/// The end of a long write is known long before; a read that ends sooner gives its worker back sooner.
void expect_next_behind_the_read(int max_train) {
  EngineBench b;
  b.config.engine.workers = 2;
  b.config.engine.tags = 1;
  b.build(max_train);
  b.program("firmware", [&](Fiber& f) {
    const comm::Request read = b.engine().start(f, {true, far, 64_B}, EngineMethod::dma);
    const comm::Request write = b.engine().start(f, {false, far, 16_KiB}, EngineMethod::dma);
    const comm::Request next = b.engine().start(f, {true, far, 64_B}, EngineMethod::dma);
    CHECK(f.now() == edge(cycle * start_cycles + round_trip(64_B)) + cycle * end_cycles);
    next.wait(f, comm::Milestone::completed);
    write.wait(f, comm::Milestone::completed);
    CHECK(read.at(comm::Milestone::completed) < write.at(comm::Milestone::completed));
  });
  b.run();
  b.expect_all_home();
}

}  // namespace

TEST_CASE("a worker that gets free first takes the next operation") { expect_next_behind_the_read(1); }
TEST_CASE("a worker that gets free first takes the next operation in trains") { expect_next_behind_the_read(64); }

TEST_CASE("a read behind a write of the same bytes stays behind it") {
  EngineBench b;
  b.build();
  b.program("firmware", [&](Fiber& f) {
    done(f, b.engine(), {false, far, 64_B});
    done(f, b.engine(), {true, far, 64_B});
  });
  b.run();  // looks whether anything has passed what it must not pass
  b.expect_all_home();
  CHECK(b.machine().get<host::Memory>("memory").extents().size() == 1);
}

TEST_CASE("a completion for a card without an engine ends the run") {
  Bench b;
  bench::ExerciserConfig c;
  b.device("card", c);
  b.device("host", port("link"));
  b.wire("card.link", "host.link", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&] { b.probe("host").complete(0, 64_B); });
  CHECK(b.failure() == "card received a completion for no read");
}

}  // namespace dma_engine_test
