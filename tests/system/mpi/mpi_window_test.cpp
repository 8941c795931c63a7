// SPDX-License-Identifier: Apache-2.0
// Windows of library mpi: by RDMA, by messages, and by both, with the same bytes in the same places.
#include "models/host/memory/memory.hpp"
#include "models/infiniband/hca.hpp"
#include "system/window_bench.hpp"

namespace mpi_window_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const Overrides by_messages = {{"/library/one_sided/path", "\"messages\""}};
const Overrides all_direct = {{"/library/one_sided/put_limit", "\"0 B\""}};
const Overrides gets_by_messages = {{"/library/one_sided/get_limit", "\"8 KiB\""}};

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

namespace {

const host::Memory& memory_of(Windows& b, int node) {
  return b.machine().get<host::Memory>("node" + std::to_string(node) + ".memory");
}

/// Rounds of puts of several sizes from rank 0 to rank 1, whose memory keeps what was written: every byte of the window
/// once a round, and the flag that says so behind all of them.
void flags_follow(const Overrides& more) {
  Overrides overrides = all_direct;
  overrides.push_back({"/machine/topology/devices/node1/devices/memory/record", "true"});
  overrides.insert(overrides.end(), more.begin(), more.end());
  Windows b("mpi_latency", overrides);
  constexpr int rounds = 3;
  const std::vector<Bytes> puts = {3_B, 5000_B, 100'000_B, 64_B, 9000_B};
  Bytes each;
  for (const Bytes n : puts) each += n;
  b.every([&](comm::Rank& r, comm::Group&, comm::Window& w) {
    for (int round = 0; round < rounds; ++round) {
      if (r.id() == 1) {
        w.post({0});
        w.wait();
        b.expect(1, window_at + each * round, each, 0, {});
        continue;
      }
      w.start({1});
      Bytes at;
      for (const Bytes n : puts) {
        w.put(1, each * round + at, {at, n, {}, {}});
        at += n;
      }
      w.complete();
    }
  });
  b.run(100_s);
  const host::Memory& memory = memory_of(b, 1);
  const std::uint64_t window = unsigned_of(host::buffers_from(memory.config().size) + memory.config().base + window_at);
  Bytes written;
  int flags = 0;
  for (const host::Extent& e : memory.extents()) {
    if (e.address >= window && e.address < window + unsigned_of(each * rounds)) {
      CHECK(e.address >= window + unsigned_of(each * flags));  // of a round whose flag has not come
      written += e.length;
    } else if (e.length == 8_B && e.value == static_cast<std::uint64_t>(flags + 1)) {
      ++flags;
      CHECK(written == each * flags);
    }
  }
  CHECK(flags == rounds);
  if (!more.empty()) CHECK(b.machine().get<infiniband::Hca>("node0.hca").retransmissions() > 0);
  CHECK(written == each * rounds);
}

}  // namespace

TEST_CASE("mpi: the flag of a window follows its data") { flags_follow({}); }

TEST_CASE("mpi: the flag of a window follows its data where packets are lost") {
  Overrides lossy = {{"/library/timeout_code", "6"}, {"/options/seed", "3"}};
  for (const int node : {0, 1})
    lossy.push_back({"/machine/topology/devices/node" + std::to_string(node) + "/devices/hca/loss_ppm", "10000"});
  flags_follow(lossy);
}

namespace {

/// Median of perftest's latencies of `n` bytes between the same nodes.
Time perftest(const std::string& run, const std::string& n) {
  return cell<Time>(rows_of(run, {{"/scenario/sizes", "[\"" + n + "\"]"}}).rows.front(), "median");
}

/// From the post of rank 1 until its wait returns, and until its post has, in the last of several epochs in which rank
/// 0 does something.
struct Epoch {
  Time posted;
  Time waited;
};
Epoch epoch(const std::function<void(comm::Window&)>& access) {
  Windows b("mpi_latency", all_direct);
  Epoch e;
  b.every([&](comm::Rank& r, comm::Group&, comm::Window& w) {
    for (int round = 0; round < 3; ++round) {
      if (r.id() == 0) {
        w.start({1});
        access(w);
        w.complete();
        continue;
      }
      r.compute(20_us);  // rank 0 waits
      const Time begin = r.now();
      w.post({0});
      e.posted = r.now() - begin;
      w.wait();
      e.waited = r.now() - begin;
    }
  });
  b.run();
  return e;
}

const Time cycles = Clock(Frequency(2'600'000'000)).cycles(300);  // of an operation
const Time fetch = 60_ns;                                         // a line that a card has written
/// A copy of eight bytes, and polling loops that look at other words, too.
const Time loops = 30_ns;

void expect_about(Time taken, Time expected) {
  INFO(taken << " in place of " << expected);
  CHECK(taken >= expected - loops);
  CHECK(taken <= expected + loops);
}

}  // namespace

TEST_CASE("mpi: an epoch of one put is three writes that follow each other") {
  const Time flag = cycles + perftest("ib_write_lat", "4 B");
  const Epoch e = epoch([](comm::Window& w) { w.put(1, {}, {{}, 8_B, {}, {}}); });
  // The post is a write of 4 B which has been acknowledged when it returns, and a put of 8 B takes as long.
  expect_about(e.waited, flag + e.posted + flag);
}

TEST_CASE("mpi: an epoch of one get is a write then a read then a write") {
  const Time flag = cycles + perftest("ib_write_lat", "4 B");
  // What the polling loop found is looked at again by whom it is for.
  const Time get = cycles + perftest("ib_read_lat", "8 B") + fetch;
  const Epoch e = epoch([](comm::Window& w) { w.get(1, {}, {3_MiB, 8_B, {}, {}}); });
  expect_about(e.waited, flag + get + flag);
}

TEST_CASE("mpi: an epoch without puts is two writes") {
  const Time flag = cycles + perftest("ib_write_lat", "4 B");
  const Epoch e = epoch([](comm::Window&) {});
  expect_about(e.waited, std::max(flag + flag, e.posted));
}

}  // namespace mpi_window_test
