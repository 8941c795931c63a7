// SPDX-License-Identifier: Apache-2.0
// Windows of library mpi by RDMA: ranks that wait go on with messages, and those that wait in vain say for whom.
#include <memory>
#include <vector>

#include "system/window_bench.hpp"

namespace mpi_window_waits_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("mpi: a rank that waits for a post goes on with messages") {
  Windows b("mpi_latency");
  b.every([&](comm::Rank& r, comm::Group& g, comm::Window& w) {
    if (r.id() == 0) {
      // Its clear to send has to leave, and its send to get one, before rank 1 posts.
      const comm::Request in = g.irecv(1, 1, {3_MiB, 64_KiB, {}, {}});
      const comm::Request out = g.isend(1, 2, {{}, 64_KiB, {}, {}});
      w.start({1});
      w.put(1, {}, {{}, 20000_B, {}, {}});
      w.complete();
      g.wait_all({in, out});
    } else {
      g.send(0, 1, {{}, 64_KiB, {}, {}});
      g.recv(0, 2, {3_MiB, 64_KiB, {}, {}});
      w.post({0});
      w.wait();
      b.expect(1, window_at, 20000_B, 0, {});
    }
    b.expect(r.id(), 3_MiB, 64_KiB, 1 - r.id(), {});
  });
  b.run();
}

TEST_CASE("mpi: a rank that waits for accesses goes on with messages") {
  Windows b("mpi_latency");
  b.every([&](comm::Rank& r, comm::Group& g, comm::Window& w) {
    if (r.id() == 0) {
      w.start({1});
      g.recv(1, 1, {3_MiB, 64_KiB, {}, {}});
      w.put(1, {}, {{}, 20000_B, {}, {}});
      w.complete();
    } else {
      const comm::Request out = g.isend(0, 1, {{}, 64_KiB, {}, {}});
      w.post({0});
      w.wait();
      b.expect(1, window_at, 20000_B, 0, {});
      g.wait(out);
    }
  });
  b.run();
}

namespace {

/// What a program that cannot go on is told.
std::string stuck(const std::function<void(comm::Rank&, comm::Group&, comm::Window&)>& f) {
  Windows b("mpi_latency");
  b.every(f);
  try {
    b.run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("mpi: an access to a window that nobody posts says whom it waits for") {
  const std::string why = stuck([](comm::Rank& r, comm::Group&, comm::Window& w) {
    if (r.id() == 1) return;
    w.start({1});
    w.complete();
  });
  CHECK_THAT(why, Catch::Contains("in await the post with rank 1, in complete"));
}

TEST_CASE("mpi: a posted window that nobody accesses says whom it waits for") {
  const std::string why = stuck([](comm::Rank& r, comm::Group&, comm::Window& w) {
    if (r.id() == 1) return;
    w.post({1});
    w.wait();
  });
  CHECK_THAT(why, Catch::Contains("in await the accesses with rank 1, in wait"));
}

TEST_CASE("mpi: ranks that access each other's windows before they post wait in a circle") {
  const std::string why = stuck([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.start({1 - r.id()});
    w.complete();
  });
  CHECK_THAT(why, Catch::Contains("ranks wait for each other in a circle"));
}

TEST_CASE("mpi: a put beyond a window is told with both ranks") {
  const std::string why = stuck([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.fence();
    if (r.id() == 0) w.put(1, 500_KiB, {{}, 20000_B, {}, {}});
  });
  CHECK_THAT(why, Catch::Contains("rank 0: put to a window: 20 kB at 512 kB, but that of rank 1 has 512 KiB"));
}

TEST_CASE("mpi: windows give back their flags") {
  Windows b("mpi_latency");
  b.all([&](comm::Rank& r) {
    comm::Group g = r.world();
    b.fill(r.id());
    for (int i = 0; i < 100; ++i) {
      const auto w = g.window({window_at, 64_KiB, {}, {}});
      w->fence();
      w->put(1 - r.id(), {}, {100_B * i, 20000_B, {}, {}});
      w->fence();
      b.expect(r.id(), window_at, 20000_B, 1 - r.id(), 100_B * i);
    }
  });
  b.run();
}

TEST_CASE("mpi: more windows at once than there are flags for are refused") {
  Windows b("mpi_latency");
  b.all([&](comm::Rank& r) {
    comm::Group g = r.world();
    std::vector<std::unique_ptr<comm::Window>> all;
    for (int i = 0; i < 65; ++i) all.push_back(g.window({window_at, 64_KiB, {}, {}}));
  });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("has memory for the flags of 64 windows at a time"));
}

}  // namespace mpi_window_waits_test
