// SPDX-License-Identifier: Apache-2.0
// Puts and gets on windows, over the datagram library.
#include "comm/window.hpp"

#include "support/grid_bench.hpp"
#include "support/sanitized.hpp"

namespace window_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;

namespace {

/// A bench with data checks, where every rank has `n` bytes of its own from 0 on and a window of as many from 1 MiB on.
struct Windows : GridBench {
  explicit Windows(int n) : GridBench(crossbar(n)), ranks(n) {
    world().check_data();
    world().set_scratch(2_MiB, 1_MiB);
  }
  void all(const std::function<void(comm::Rank&, comm::Group&, comm::Window&)>& f) {
    for (int rank = 0; rank < ranks; ++rank)
      program(rank, [this, f](comm::Rank& r) {
        world().ledger()->fill(r.id(), {{}, 64_KiB, {}, {}}, std::to_string(r.id()));
        comm::Group g = r.world();
        const auto w = g.window({1_MiB, 64_KiB, {}, {}});
        f(r, g, *w);
      });
  }
  void expect(int rank, Bytes at, Bytes n, int of, Bytes from) {
    world().ledger()->expect(rank, {at, n, {}, {}}, std::to_string(of), from, "window");
  }
  int ranks;
};

}  // namespace

TEST_CASE("puts and gets between fences move every byte to its place") {
  Windows b(7);
  b.all([&](comm::Rank& r, comm::Group& g, comm::Window& w) {
    w.fence();
    for (int to = 0; to < g.size(); ++to) w.put(to, 1000_B * r.id(), {500_B * to, 1000_B, {}, {}});
    w.fence();
    for (int from = 0; from < g.size(); ++from) b.expect(r.id(), 1_MiB + 1000_B * from, 1000_B, from, 500_B * r.id());
    const int next = (r.id() + 1) % g.size();
    w.get(next, 1000_B * r.id(), {128_KiB, 700_B, {}, {}});
    w.fence();
    b.expect(r.id(), 128_KiB, 700_B, r.id(), 500_B * next);
    w.fence();
  });
  b.run();
}

TEST_CASE("an access epoch of some ranks leaves the others alone and may cross one of theirs") {
  Windows b(5);
  b.all([&](comm::Rank& r, comm::Group& g, comm::Window& w) {
    if (r.id() == 4) return;
    const int next = (r.id() + 1) % 4;
    const int previous = (r.id() + 3) % 4;
    for (int round = 0; round < 3; ++round) {
      w.post({previous});
      w.start({next});
      w.put(next, 8_B * round, {100_B * round, 4000_B, {}, {}});
      w.complete();
      // What was put may be sent on before the target has waited for it.
      if (r.id() == 0) g.send(next, 1, {{}, 8_B, {}, {}});
      if (r.id() == 1) g.recv(previous, 1, {192_KiB, 8_B, {}, {}});
      w.wait();
      b.expect(r.id(), 1_MiB + 8_B * round, 4000_B, previous, 100_B * round);
    }
  });
  b.run();
}

TEST_CASE("an epoch of some ranks may have this one itself among them") {
  Windows b(3);
  b.all([&](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.post({0, 1, 2});
    w.start({0, 1, 2});
    for (int to = 0; to < 3; ++to) w.put(to, 100_B * r.id(), {{}, 100_B, {}, {}});
    w.complete();
    w.wait();
    for (int from = 0; from < 3; ++from) b.expect(r.id(), 1_MiB + 100_B * from, 100_B, from, {});
  });
  b.run();
}

TEST_CASE("what is said of an epoch's puts has its room again when the epoch has ended") {
  Windows b(2);
  constexpr int most = 256;  // puts of an epoch, of which 24 B each are said
  b.world().set_scratch(2_MiB, 24_B * most);
  b.all([&](comm::Rank& r, comm::Group&, comm::Window& w) {
    for (int epoch = 0; epoch < 3; ++epoch) {
      if (r.id() == 1) {
        w.post({0});
        w.wait();
        continue;
      }
      w.start({1});
      for (int i = 0; i < most; ++i) w.put(1, 8_B * i, {8_B * i, 8_B, {}, {}});
      w.complete();
    }
  });
  b.run();
}

TEST_CASE("an access to the own window that was not posted is refused") {
  expect_leaks();
  Windows b(2);
  b.all([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.start({r.id()});
    w.complete();
  });
  CHECK_THROWS_WITH(b.sim().run(1_s), Catch::Contains("to its own window, which it has not posted"));
}

TEST_CASE("a wait for an access of the rank itself that it has not completed is refused") {
  expect_leaks();
  Windows b(2);
  b.all([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.post({r.id()});
    w.wait();
  });
  CHECK_THROWS_WITH(b.sim().run(1_s), Catch::Contains("its own access to a window, which it has not completed"));
}

TEST_CASE("a put beyond a window is told with both ranks") {
  expect_leaks();
  Windows b(2);
  b.all([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.fence();
    if (r.id() == 0) w.put(1, 65535_B, {{}, 2_B, {}, {}});
  });
  CHECK_THROWS_WITH(b.sim().run(1_s),
                    Catch::Contains("rank 0: put to a window: 2 B at 65535 B, but that of rank 1 has 64 KiB"));
}

TEST_CASE("a put without an epoch is refused") {
  expect_leaks();
  Windows b(2);
  b.all([](comm::Rank&, comm::Group&, comm::Window& w) { w.put(1, {}, {{}, 2_B, {}, {}}); });
  CHECK_THROWS_WITH(b.sim().run(1_s), Catch::Contains("no epoch has begun"));
}

TEST_CASE("a put for a rank that the epoch was not started for is refused") {
  expect_leaks();
  Windows b(3);
  b.all([](comm::Rank& r, comm::Group&, comm::Window& w) {
    if (r.id() == 1) w.post({0});
    if (r.id() != 0) return;
    w.start({1});
    w.put(2, {}, {{}, 2_B, {}, {}});
  });
  CHECK_THROWS_WITH(b.sim().run(1_s), Catch::Contains("the epoch was started for others than rank 2"));
}

TEST_CASE("areas in blocks are neither windows nor put into them") {
  Windows b(2);
  b.all([](comm::Rank& r, comm::Group& g, comm::Window& w) {
    const Buffer blocks{{}, 32_B, {}, {}, {}, 8_B, 16_B};
    w.fence();
    CHECK_THROWS_WITH(w.put(1 - r.id(), {}, blocks), Catch::Contains("contiguous areas alone"));
    CHECK_THROWS_WITH(w.get(1 - r.id(), {}, blocks), Catch::Contains("contiguous areas alone"));
    CHECK_THROWS_WITH(g.window(blocks), Catch::Contains("a window is on a contiguous area alone"));
  });
  b.run();
}

TEST_CASE("epochs give back the memory in which they are announced") {
  Windows b(3);
  b.all([](comm::Rank& r, comm::Group& g, comm::Window& w) {
    for (int i = 0; i < 200; ++i) {
      w.fence();
      w.put((r.id() + 1) % g.size(), {}, {{}, 8_B, {}, {}});
    }
    w.fence();
  });
  b.run();
}

TEST_CASE("an epoch that is never completed is told") {
  Windows b(2);
  b.all([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.fence();
    if (r.id() == 1) w.put(0, {}, {{}, 2_B, {}, {}});
  });
  CHECK(b.sim().run(1_s));
  CHECK(b.world().leftovers() == std::vector<std::string>{"rank 1 never completed 1 puts or gets on a window"});
}

}  // namespace window_test
