// SPDX-License-Identifier: Apache-2.0
// What reliable connections promise when packets are lost.
#include "model/infiniband/hca_bench.hpp"

namespace infiniband_loss_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

HcaParts losing(std::int64_t ppm, std::uint64_t seed, int timeout_code = 5) {
  HcaParts p;
  p.hca.loss_ppm = ppm;
  p.seed = seed;
  p.verbs.timeout_code = timeout_code;
  // Requests of 64 B, and many of them at a time.
  p.verbs.inline_limit = 28_B;
  p.hca.request_fetch = 4_KiB;
  return p;
}

/// Reads of one queue pair, all posted at once, and packets are lost.
void check_reads(std::uint64_t seed, Bytes n, int count) {
  HcaBench b(losing(20'000, seed));
  const std::uint64_t step = 0x10000;
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < count; ++i)
      b.post(f, 0, work_request(Operation::read, n, b.user(0, step * i), b.user(1, 0x100'0000 + step * i)));
    for (int i = 0; i < count; ++i) CHECK(b.done(f, 0).index == i);
  });
  b.run();
  const std::int64_t lost = b.card(0).lost() + b.card(1).lost();
  CHECK(lost > 0);
  CHECK(b.card(0).retransmissions() <= lost * b.parts().hca.reads_under_way);
  for (int i = 0; i < count; ++i) b.expect_once(0, b.user(0, step * i), n, b.user(1, 0x100'0000 + step * i));
}

}  // namespace

TEST_CASE("RDMA reads that are under way at once come, though packets are lost, seed 1") { check_reads(1, 9001_B, 60); }
TEST_CASE("RDMA reads that are under way at once come, though packets are lost, seed 2") { check_reads(2, 9001_B, 60); }
TEST_CASE("RDMA reads that are under way at once come, though packets are lost, seed 3") { check_reads(3, 9001_B, 60); }
TEST_CASE("RDMA reads of one packet come, though packets are lost") { check_reads(4, 64_B, 100); }

TEST_CASE("each fetch and add is done once, though requests and answers are lost") {
  HcaBench b(losing(50'000, 2));
  constexpr int count = 100;
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < count; ++i) {
      WorkRequest w = work_request(Operation::fetch_and_add, 8_B, b.user(0, 8 * i), b.user(1));
      w.operand = 3;
      b.post(f, 0, w);
    }
    for (int i = 0; i < count; ++i) CHECK(b.done(f, 0).index == i);
  });
  b.run();
  CHECK(b.card(0).retransmissions() > 0);
  for (int i = 0; i < count; ++i) CHECK(b.memory(0).word_ending_at(b.user(0, 8 * i + 8)).value == 3u * i);
  CHECK(b.memory(1).word_ending_at(b.user(1, 8)).value == 3u * count);
}

namespace {

/// Everything at once in both directions: writes, sends and reads of two queue pairs.
void check_mixed(std::uint64_t seed, Bytes n) {
  HcaBench b(losing(10'000, seed), 2);
  constexpr int rounds = 20;
  constexpr std::uint64_t step = 0x20000, gets = 0x100'0000, sends = 0x200'0000, writes = 0x300'0000, said = 0x400'0000;
  for (int me = 0; me < 2; ++me) {
    for (int i = 0; i < rounds; ++i) b.node(me).preset_receive(b.receives(me, i % 2), b.user(me, sends + step * i), n);
    b.program(me, [&b, me, n](Fiber& f) {
      const int peer = 1 - me;
      for (int i = 0; i < rounds; ++i) {
        const int q = i % 2;
        b.post(f, me, work_request(Operation::write, n, b.user(me), b.user(peer, writes + step * i)), q);
        b.post(f, me, work_request(Operation::send, n, b.user(me)), q);
        b.post(f, me, work_request(Operation::read, n, b.user(me, gets + step * i), b.user(peer, said + step * i)), q);
      }
      int next[2] = {0, 0};
      for (int i = 0; i < 3 * rounds; ++i) {
        const infiniband::Completion c = b.done(f, me);
        CHECK(c.index == next[c.queue_pair]++);
      }
      int came[2] = {0, 0};
      for (int i = 0; i < rounds; ++i) {
        const infiniband::Completion c = b.received(f, me);
        CHECK(c.index == came[c.queue_pair]++);
        CHECK(c.length == n);
      }
    });
  }
  b.run();
  CHECK(b.card(0).lost() > 0);
  for (int me = 0; me < 2; ++me)
    for (int i = 0; i < rounds; ++i) {
      b.expect_once(me, b.user(me, writes + step * i), n);
      b.expect_once(me, b.user(me, sends + step * i), n);
      b.expect_once(me, b.user(me, gets + step * i), n, b.user(1 - me, said + step * i));
    }
}

}  // namespace

TEST_CASE("writes, sends and reads come once and are done in order, though packets are lost, 64 B") {
  check_mixed(1, 64_B);
}
TEST_CASE("writes, sends and reads come once and are done in order, though packets are lost, 5 KB") {
  check_mixed(2, 5001_B);
}
TEST_CASE("writes, sends and reads come once and are done in order, though packets are lost, 64 KiB") {
  check_mixed(3, 64_KiB);
}

TEST_CASE("a message that is sent again keeps its number") {
  HcaBench b(losing(30'000, 1));
  constexpr int count = 40;
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < count; ++i)
      b.post(f, 0, work_request(Operation::write, 9000_B, b.user(0), b.user(1, 0x10000 * i)));
    for (int i = 0; i < count; ++i) b.done(f, 0);
  });
  b.run();
  CHECK(b.card(0).retransmissions() > 0);
  for (int i = 0; i < count; ++i)
    for (const host::Extent& e : b.seen(1, b.user(1, 0x10000 * i), 9000_B)) CHECK(e.origin == 1u + i);
}

TEST_CASE("each message through losses is told once, and what is lost is sent again from there on once") {
  HcaBench b(losing(10'000, 7));
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < 100; ++i) {
      b.post(f, 0, work_request(Operation::write, 64_KiB, b.user(0), b.user(1)));
      CHECK(b.done(f, 0).index == i);
    }
  });
  b.run();
  const std::int64_t lost = b.card(0).lost() + b.card(1).lost();
  CHECK(lost > 20);
  CHECK(b.card(0).lost() > 0);  // acknowledgements
  CHECK(b.card(0).retransmissions() <= lost * 32);
}

TEST_CASE("a last write that nobody is told of comes, though it is lost first") {
  HcaParts p = losing(300'000, 1);
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < 10; ++i) {
      WorkRequest w = work_request(Operation::write, 64_B, b.user(0), b.user(1, 64 * i));
      w.signalled = false;
      b.post(f, 0, w);
      f.wait_until(b.sim().now() + 1_ms);
    }
  });
  b.run();
  CHECK(b.card(1).lost() > 0);
  b.expect_once(1, b.user(1), 64_B);
  for (int i = 0; i < 10; ++i) CHECK(b.seen(1, b.user(1, 64 * i), 64_B).size() == 1);
}

}  // namespace infiniband_loss_test
