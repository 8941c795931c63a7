// SPDX-License-Identifier: Apache-2.0
// Writes that are committed once and started many times, in all three ways, on the libraries that have them.
#include "comm/rma_queue.hpp"

#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace rma_queue_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::RmaBy;

namespace {

struct Way {
  const char* run;
  RmaBy by;
  const char* place;
};
// Nodes with PEACH2; MPI by the card's own writes, by messages, and between GPUs.
const Way ways[] = {{"halo_tca", RmaBy::puts, ""},
                    {"halo_tca", RmaBy::puts, "gpu0"},
                    {"halo_tca", RmaBy::messages, "gpu0"},
                    {"halo_tca", RmaBy::window, ""},
                    {"halo_infiniband", RmaBy::window, ""},
                    {"halo_infiniband", RmaBy::messages, ""},
                    {"mpi_gpu_ping_pong", RmaBy::window, "gpu0"},
                    {"mpi_gpu_ping_pong", RmaBy::messages, "gpu0"}};

/// Runs that program on ranks 0 .. n - 1 in a process of its own; returns what went wrong, or "".
std::string ran(const Way& way, int n, const std::function<void(comm::Rank&)>& program) {
  CAPTURE(way.run, static_cast<int>(way.by), way.place);
  return in_child([&] {
    ProgramBench b(way.run);
    b.world().check_data();
    b.world().set_scratch(16_MiB, 4_MiB);
    for (int rank = 0; rank < n; ++rank) b.program(rank, program);
    try {
      b.run();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  });
}

std::string face(int rank, bool up, int round) {
  return (up ? "upper " : "lower ") + std::to_string(rank) + " of round " + std::to_string(round);
}

/// Both faces of every rank of a ring to its neighbours, in two windows in turn.
void ring(comm::Rank& rank, const Way& way, int n, Bytes size, int rounds) {
  const auto area = [&](int i) { return comm::Buffer{size * i, size, way.place, {}}; };
  const comm::Buffer up = area(0);
  const comm::Buffer down = area(1);
  const int above = (rank.id() + 1) % n;
  const int below = (rank.id() + n - 1) % n;
  std::vector<std::unique_ptr<comm::RmaWindow>> windows;
  std::vector<std::unique_ptr<comm::RmaQueue>> queues;
  for (int i = 0; i < 2; ++i) {
    const comm::Buffer mine{size * (2 + 2 * i), size * 2, way.place, {}};
    windows.push_back(std::make_unique<comm::RmaWindow>(rank, n, mine, way.by));
    const std::string method = way.by == RmaBy::puts ? "chip_chain" : "";
    queues.push_back(std::make_unique<comm::RmaQueue>(rank, *windows.back(), method));
    // The upper face is what lies below at the neighbour above.
    queues.back()->push({above, 0, up, Bytes::zero()});
    queues.back()->push({below, 1, down, size});
    queues.back()->add_origin({below, 0, Bytes::zero(), size});
    queues.back()->add_origin({above, 1, size, size});
    queues.back()->commit();
  }
  for (int round = 0; round < rounds; ++round) {
    comm::RmaQueue& q = *queues[static_cast<std::size_t>(round % 2)];
    const comm::Buffer mine = windows[static_cast<std::size_t>(round % 2)]->mine();
    rank.ledger()->fill(rank.id(), up, face(rank.id(), true, round));
    rank.ledger()->fill(rank.id(), down, face(rank.id(), false, round));
    q.start();
    q.wait();
    rank.ledger()->expect(rank.id(), comm::part(mine, Bytes::zero(), size), face(below, true, round), {}, "ring");
    rank.ledger()->expect(rank.id(), comm::part(mine, size, size), face(above, false, round), {}, "ring");
  }
}

}  // namespace

TEST_CASE("an RMA queue brings every byte to where it belongs, round after round, in every way") {
  for (const Way& way : ways)
    for (const Bytes size : {8_B, 3000_B, 96_KiB}) {
      CAPTURE(way.run, static_cast<int>(way.by), way.place, size.count());
      CHECK(ran(way, 2, [&](comm::Rank& r) { ring(r, way, 2, size, 5); }).empty());
    }
  for (const Way& way : {ways[0], ways[1], ways[4], ways[5]}) {
    CAPTURE(way.run, static_cast<int>(way.by), way.place);
    CHECK(ran(way, 4, [&](comm::Rank& r) { ring(r, way, 4, 3000_B, 3); }).empty());
  }
}

TEST_CASE("an RMA queue by puts needs one start, and starts with fewer stores than its commit") {
  for (const char* place : {"", "gpu0"}) {
    const Way way{"halo_tca", RmaBy::puts, place};
    CHECK(ran(way, 2, [&](comm::Rank& r) {
            comm::RmaWindow window(r, 2, {1_MiB, 1_MiB, place, {}}, RmaBy::puts);
            comm::RmaQueue q(r, window, "chip_chain");
            for (int i = 0; i < 8; ++i) q.push({1 - r.id(), i, {1_KiB * i, 1_KiB, place, {}}, 1_KiB * i});
            q.add_origin({1 - r.id(), 0, 0_B, 8_KiB});
            // Only the last of those to one rank tells of itself.
            std::size_t notices = 0;
            for (const comm::Put& p : q.puts()) notices += p.notify ? 1 : 0;
            if (notices != 1 || !q.puts().back().notify) throw std::runtime_error("one notice");
            const Time begin = r.now();
            q.commit();
            const Time committed = r.now();
            // Nine descriptors, one of the notice, of four stores each, and where the status goes; one on the bus
            // before the next one begins.
            if (q.stores() != 9 * 4 + 1) throw std::runtime_error("stores: " + std::to_string(q.stores()));
            if (committed - begin < 9 * 4 * 80_ns) throw std::runtime_error("stores are not one behind the other");
            q.start();
            const Time started = r.now();
            if ((started - committed) * 2 > committed - begin) throw std::runtime_error("start is not short");
            q.wait();
          }).empty());
  }
}

TEST_CASE("what a program does wrong with an RMA queue is named") {
  const Way way{"halo_tca", RmaBy::puts, ""};
  const auto wrong = [&](const std::function<void(comm::Rank&, comm::RmaWindow&, comm::RmaQueue&)>& f) {
    return ran(way, 2, [&](comm::Rank& r) {
      comm::RmaWindow window(r, 2, {1_MiB, 64_KiB, {}, {}}, RmaBy::puts);
      comm::RmaQueue q(r, window);
      if (r.id() == 0) f(r, window, q);
    });
  };
  const comm::RmaWrite write{1, 0, {0_B, 8_B, {}, {}}, 0_B};
  using W = comm::RmaWindow;
  using Q = comm::RmaQueue;
  const auto check = [](const std::string& why, const char* text) {
    CHECK_THAT(why, Catch::Contains("rank 0: an RMA ") && Catch::Contains(text));
  };
  check(wrong([](auto&, W&, Q& q) { q.start(); }), "start before commit");
  check(wrong([](auto&, W&, Q& q) { q.wait(); }), "wait without start");
  check(wrong([&](auto&, W&, Q& q) {
          q.push(write);
          q.commit();
          q.start();
          q.start();
        }),
        "start behind start, without a wait");
  check(wrong([&](auto&, W&, Q& q) {
          q.commit();
          q.push(write);
        }),
        "push behind commit");
  check(wrong([&](auto&, W&, Q& q) {
          q.commit();
          q.add_origin({1, 0, 0_B, 8_B});
        }),
        "add_origin behind commit");
  check(wrong([&](auto&, W&, Q& q) {
          q.push(write);
          q.commit();
          q.commit();
        }),
        "commit behind commit");
  check(wrong([&](auto&, W&, Q& q) {
          q.push(write);
          q.commit();
          q.start();
          q.clear();
        }),
        "clear without a wait");
  check(wrong([&](auto&, W&, Q& q) { q.push({0, 0, {0_B, 8_B, {}, {}}, 0_B}); }), "to the rank itself");
  check(wrong([&](auto&, W&, Q& q) { q.push({2, 0, {0_B, 8_B, {}, {}}, 0_B}); }), "no rank 2 among 2");
  check(wrong([&](auto&, W&, Q& q) { q.push({1, 0, {0_B, 8_B, {}, {}}, 65532_B}); }), "8 B at 65532 B");
  check(wrong([&](auto&, W&, Q& q) { q.add_origin({7, 0, 0_B, 8_B}); }), "no rank 7");
  check(wrong([&](auto&, W&, Q& q) { q.add_origin({0, 0, 0_B, 8_B}); }), "itself is no origin");
  check(wrong([&](auto&, W&, Q& q) { q.add_origin({1, 0, 64_KiB, 8_B}); }), "8 B at 64 KiB");
  CHECK_THAT(wrong([&](auto&, W&, Q& q) {
               q.push(write);
               q.commit();
               q.start();
             }),
             Catch::Contains("rank 0 started an RMA queue and never waited for it"));
}

TEST_CASE("an origin that never writes is named by who waits for it, and nothing hangs") {
  for (const Way& way : {ways[0], ways[4], ways[5]}) {
    CAPTURE(way.run, static_cast<int>(way.by));
    const std::string why = ran(way, 2, [&](comm::Rank& r) {
      comm::RmaWindow window(r, 2, {1_MiB, 64_KiB, {}, {}}, way.by);
      if (r.id() == 1) return;
      comm::RmaQueue q(r, window);
      q.add_origin({1, 0, 0_B, 8_B});
      q.commit();
      q.start();
      q.wait();
    });
    CHECK_THAT(why, Catch::Contains("rank 0") && Catch::Contains("rank 1"));
  }
}

TEST_CASE("a queue that was cleared takes something else, and descriptors of it are free again") {
  const Way way{"halo_tca", RmaBy::puts, ""};
  CHECK(ran(way, 2, [&](comm::Rank& r) {
          comm::RmaWindow window(r, 2, {1_MiB, 1_MiB, {}, {}}, RmaBy::puts);
          comm::RmaQueue q(r, window, "chip_chain");
          for (int i = 0; i < 20; ++i) {  // of 1,024 descriptors in the chip 100 each
            for (int j = 0; j < 99; ++j) q.push({1 - r.id(), 0, {Bytes(64 * j), 64_B, {}, {}}, Bytes(64 * j)});
            q.add_origin({1 - r.id(), 0, 0_B, 64_B});
            q.commit();
            q.start();
            q.wait();
            q.clear();
          }
        }).empty());
}

TEST_CASE("puts that are started together notify a rank once at most") {
  ProgramBench b("halo_tca");
  b.program(0, [&](comm::Rank& r) {
    comm::Put p{1, {"", 0_B}, {"", 0_B}, 8_B};
    p.notify = true;
    CHECK_THROWS_WITH(r.prepare({p, p}, "chain"), Catch::Contains("notify rank 1"));
  });
  b.run();
}

}  // namespace rma_queue_test
