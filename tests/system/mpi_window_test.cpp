// SPDX-License-Identifier: Apache-2.0
// Windows of library mpi: by RDMA, by messages, and by both, with the same bytes in the same places.
#include <algorithm>
#include <map>

#include "comm/window.hpp"
#include "models/host/memory.hpp"
#include "system/program_bench.hpp"

namespace mpi_window_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const Overrides by_messages = {{"/library/one_sided/path", "\"messages\""}};
const Overrides all_direct = {{"/library/one_sided/put_limit", "\"0 B\""}};
const Overrides gets_by_messages = {{"/library/one_sided/get_limit", "\"8 KiB\""}};

constexpr Bytes window_at = 1_MiB;

/// The ranks of a shipped run; each has 512 KiB of its own from 0 on and a window of 512 KiB behind 1 MiB.
struct Windows : ProgramBench {
  explicit Windows(const std::string& run, const Overrides& overrides = {}) : ProgramBench(run, overrides) {
    world().check_data();
    world().set_scratch(4_MiB, 4_MiB);
  }
  void every(const std::function<void(comm::Rank&, comm::Group&, comm::Window&)>& f) {
    all([this, f](comm::Rank& r) {
      world().ledger()->fill(r.id(), {{}, 512_KiB, {}, {}}, std::to_string(r.id()));
      comm::Group g = r.world();
      const auto w = g.window({window_at, 512_KiB, {}, {}});
      f(r, g, *w);
    });
  }
  void expect(int rank, Bytes at, Bytes n, int of, Bytes from) {
    world().ledger()->expect(rank, {at, n, {}, {}}, std::to_string(of), from, "window");
  }
};

/// On both sides of every limit.
const std::vector<Bytes>& sizes() {
  static const std::vector<Bytes> all = {1_B, 8_KiB, 8193_B, 20000_B};
  return all;
}

/// Everybody puts pieces of all sizes to everybody, and gets them back from the next rank's window.
void fences(const Overrides& overrides) {
  Windows b("mpi_allreduce", overrides);
  b.every([&](comm::Rank& r, comm::Group& g, comm::Window& w) {
    const Bytes each = 37000_B;  // of all sizes together, and more
    const int few = 4;           // each rank puts to the next four, so that windows of 512 KiB hold it
    for (int round = 0; round < 2; ++round) {
      w.fence();
      for (int i = 1; i <= few; ++i) {
        Bytes at;
        for (const Bytes n : sizes()) {
          w.put((r.id() + i) % g.size(), each * i + at, {at + 1000_B * round, n, {}, {}});
          at += n;
        }
      }
      w.fence();
      for (int i = 1; i <= few; ++i) {
        const int from = (r.id() + g.size() - i) % g.size();
        Bytes at;
        for (const Bytes n : sizes()) {
          b.expect(r.id(), window_at + each * i + at, n, from, at + 1000_B * round);
          at += n;
        }
      }
      const int next = (r.id() + 1) % g.size();
      Bytes at;
      for (const Bytes n : sizes()) {
        w.get(next, each * 2 + at, {3_MiB + at, n, {}, {}});
        at += n;
      }
      w.fence();
      at = {};
      for (const Bytes n : sizes()) {
        b.expect(r.id(), 3_MiB + at, n, (next + g.size() - 2) % g.size(), at + 1000_B * round);
        at += n;
      }
    }
    w.fence();
  });
  b.run();
}

/// Epochs round a ring of all but the last rank, with messages between and across them.
void epochs(const Overrides& overrides) {
  Windows b("mpi_allreduce", overrides);
  b.every([&](comm::Rank& r, comm::Group& g, comm::Window& w) {
    const int ring = g.size() - 1;
    if (r.id() == ring) return;
    const int next = (r.id() + 1) % ring;
    const int previous = (r.id() + ring - 1) % ring;
    for (int round = 0; round < 4; ++round) {
      const Bytes n = sizes()[static_cast<std::size_t>(round)];
      if (round == 2 && r.id() % 3 == 0) r.compute(30_us);
      w.post({previous});
      w.start({next});
      if (round % 2 == 1 && r.id() % 2 == 0) r.compute(10_us);
      w.put(next, 100_KiB * round, {100_B * round, n, {}, {}});
      w.put(next, 100_KiB * round + 50_KiB, {200_B * round, 77_B, {}, {}});
      w.complete();
      // What was put may be sent on before the target has waited for it.
      if (r.id() == 0) g.send(next, 1, {{}, 64_KiB, {}, {}});
      if (r.id() == 1) g.recv(previous, 1, {3_MiB, 64_KiB, {}, {}});
      w.wait();
      b.expect(r.id(), window_at + 100_KiB * round, n, previous, 100_B * round);
      b.expect(r.id(), window_at + 100_KiB * round + 50_KiB, 77_B, previous, 200_B * round);
    }
  });
  b.run();
}

}  // namespace

TEST_CASE("mpi: fenced puts and gets by RDMA move every byte to its place") { fences({}); }
TEST_CASE("mpi: fenced puts and gets by messages move every byte to its place") { fences(by_messages); }
TEST_CASE("mpi: fenced puts by RDMA alone move every byte to its place") { fences(all_direct); }
TEST_CASE("mpi: fenced gets by messages and by RDMA move every byte to its place") { fences(gets_by_messages); }

TEST_CASE("mpi: epochs of some ranks by RDMA move every byte to its place") { epochs({}); }
TEST_CASE("mpi: epochs of some ranks by messages move every byte to its place") { epochs(by_messages); }
TEST_CASE("mpi: epochs of some ranks by RDMA alone move every byte to its place") { epochs(all_direct); }

}  // namespace mpi_window_test
