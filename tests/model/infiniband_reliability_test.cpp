// SPDX-License-Identifier: Apache-2.0
// What reliable connections promise when packets are lost, when nothing is posted, and when several requests are under
// way.
#include <set>
#include <sstream>
#include <string>

#include "model/hca_bench.hpp"
#include "support/child.hpp"

namespace infiniband_reliability_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

WorkRequest request(Operation o, Bytes n, std::uint64_t local, std::uint64_t remote = 0) {
  WorkRequest w;
  w.operation = o;
  w.length = n;
  w.local = local;
  w.remote = remote;
  return w;
}

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
  b.program(0, [&](comm::Fiber& f) {
    for (int i = 0; i < count; ++i)
      b.post(f, 0, request(Operation::read, n, b.user(0, step * i), b.user(1, 0x100'0000 + step * i)));
    for (int i = 0; i < count; ++i) CHECK(b.done(f, 0).index == i);
  });
  b.run();
  const std::int64_t lost = b.card(0).lost() + b.card(1).lost();
  CHECK(lost > 0);
  CHECK(b.card(0).retransmissions() <= lost * b.card(0).config().reads_under_way);
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
  b.program(0, [&](comm::Fiber& f) {
    for (int i = 0; i < count; ++i) {
      WorkRequest w = request(Operation::fetch_and_add, 8_B, b.user(0, 8 * i), b.user(1));
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
    b.program(me, [&b, me, n](comm::Fiber& f) {
      const int peer = 1 - me;
      for (int i = 0; i < rounds; ++i) {
        const int q = i % 2;
        b.post(f, me, request(Operation::write, n, b.user(me), b.user(peer, writes + step * i)), q);
        b.post(f, me, request(Operation::send, n, b.user(me)), q);
        b.post(f, me, request(Operation::read, n, b.user(me, gets + step * i), b.user(peer, said + step * i)), q);
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
  b.program(0, [&](comm::Fiber& f) {
    for (int i = 0; i < count; ++i) b.post(f, 0, request(Operation::write, 9000_B, b.user(0), b.user(1, 0x10000 * i)));
    for (int i = 0; i < count; ++i) b.done(f, 0);
  });
  b.run();
  CHECK(b.card(0).retransmissions() > 0);
  for (int i = 0; i < count; ++i)
    for (const host::Extent& e : b.seen(1, b.user(1, 0x10000 * i), 9000_B)) CHECK(e.origin == 1u + i);
}

TEST_CASE("each message through losses is told once, and what is lost is sent again from there on once") {
  HcaBench b(losing(10'000, 7));
  b.program(0, [&](comm::Fiber& f) {
    for (int i = 0; i < 100; ++i) {
      b.post(f, 0, request(Operation::write, 64_KiB, b.user(0), b.user(1)));
      CHECK(b.done(f, 0).index == i);
    }
  });
  b.run();
  const std::int64_t lost = b.card(0).lost() + b.card(1).lost();
  CHECK(lost > 20);
  CHECK(b.card(0).lost() > 0);  // acknowledgements
  CHECK(b.card(0).retransmissions() <= lost * 32);
}

TEST_CASE("a receiver that is not ready often does not count as lost packets") {
  HcaParts p;
  p.verbs.retry_count = 1;
  HcaBench b(p);
  b.program(0, [&](comm::Fiber& f) {
    b.post(f, 0, request(Operation::send, 64_B, b.user(0)));
    b.done(f, 0);
  });
  b.program(1, [&](comm::Fiber& f) {
    f.wait_until(640_us * 5);
    b.node(1).post_receive(f, b.receives(1), b.user(1), 64_B);
    b.received(f, 1);
  });
  b.run();
  CHECK(b.card(0).retransmissions() == 5);
}

TEST_CASE("a last write that nobody is told of comes, though it is lost first") {
  HcaParts p = losing(300'000, 1);
  HcaBench b(p);
  b.program(0, [&](comm::Fiber& f) {
    for (int i = 0; i < 10; ++i) {
      WorkRequest w = request(Operation::write, 64_B, b.user(0), b.user(1, 64 * i));
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

TEST_CASE("a send that finds no receive comes when one is posted, after the time of receiver not ready") {
  HcaBench b({});
  constexpr Time posted = 100_us;
  Time came;
  b.program(0, [&](comm::Fiber& f) {
    b.post(f, 0, request(Operation::send, 64_B, b.user(0)));
    b.done(f, 0);
  });
  b.program(1, [&](comm::Fiber& f) {
    f.wait_until(posted);
    b.node(1).post_receive(f, b.receives(1), b.user(1), 64_B);
    CHECK(b.received(f, 1).index == 0);
    came = b.sim().now();
  });
  b.run();
  CHECK(b.card(0).retransmissions() == 1);
  CHECK(came > 640_us);
  CHECK(came < 650_us);
  b.expect_once(1, b.user(1), 64_B);
}

namespace {

/// Why the run of one work request fails, when, and after how many packets sent again. In a child, with which goes what
/// a program that hangs still holds.
struct GivenUp {
  std::string why;
  Time when;
  int again = 0;
};
GivenUp given_up(const HcaParts& p, Operation o) {
  const std::string text = in_child([&] {
    HcaBench b(p);
    b.program(0, [&](comm::Fiber& f) {
      b.post(f, 0, request(o, 64_B, b.user(0), b.user(1)));
      b.done(f, 0);
    });
    std::string why;
    try {
      b.sim().run(1_s);
    } catch (const std::runtime_error& e) {
      why = e.what();
    }
    return std::to_string(b.sim().now().fs()) + " " + std::to_string(b.card(0).retransmissions()) + " " + why;
  });
  std::istringstream in(text);
  GivenUp out;
  std::int64_t fs = 0;
  in >> fs >> out.again;
  std::getline(in, out.why);
  out.when = Time::from_fs(fs);
  return out;
}

}  // namespace

TEST_CASE("who finds no receive too often gives up") {
  HcaParts p;
  p.verbs.rnr_retry_count = 2;
  const GivenUp g = given_up(p, Operation::send);
  CHECK_THAT(g.why, Catch::Contains("node0.hca: queue pair 0: the receiver has posted no receive"));
  CHECK(g.when > 640_us * 2);
  CHECK(g.when < 640_us * 2 + 20_us);
}

TEST_CASE("who hears nothing gives up after its retries") {
  HcaParts p = losing(999'999, 1, 4);
  p.verbs.retry_count = 3;
  const GivenUp g = given_up(p, Operation::write);
  CHECK_THAT(g.why, Catch::Contains("node0.hca: queue pair 0: nobody acknowledges, retries exceeded"));
  const Time timeout = 4096_ns * 16;
  CHECK(g.when > timeout * 4);
  CHECK(g.when < timeout * 4 + 10_us);
  CHECK(g.again == 3);
}

TEST_CASE("queue pairs that share a receive queue find what is posted, however few a fetch brings") {
  HcaParts p;
  p.hca.request_fetch = 64_B;
  HcaBench b(p, 12, 1, true);
  for (int i = 0; i < 12; ++i) b.node(1).preset_receive(b.receives(1), b.user(1, 64 * i), 64_B);
  b.program(0, [&](comm::Fiber& f) {
    for (int q = 0; q < 12; ++q) b.post(f, 0, request(Operation::send, 64_B, b.user(0)), q);
    for (int q = 0; q < 12; ++q) b.done(f, 0);
  });
  b.program(1, [&](comm::Fiber& f) {
    std::set<int> all;
    for (int q = 0; q < 12; ++q) all.insert(b.received(f, 1).index);
    CHECK(all.size() == 12);
  });
  b.run();
  CHECK(b.card(0).retransmissions() == 0);
}

namespace {

/// One lane of Gen1: the cable is 16 times as fast, so that writes wait in front of it.
HcaParts slow_slot() {
  HcaParts p;
  p.slot.rate = Frequency(2'500'000'000);
  p.slot.lanes = 1;
  p.verbs.inline_limit = 28_B;
  p.hca.request_fetch = 4_KiB;
  return p;
}

}  // namespace

TEST_CASE("an RDMA read sees the write before it, however long that waits for the host") {
  HcaBench b(slow_slot());
  const std::uint64_t word = 77;
  b.memory(0).preset(b.user(0, 8184), flow::WordBytes(word));
  b.program(0, [&](comm::Fiber& f) {
    b.post(f, 0, request(Operation::write, 8_KiB, b.user(0), b.user(1)));
    b.post(f, 0, request(Operation::read, 8_B, b.user(0, 0x10000), b.user(1, 8184)));
    b.done(f, 0);
    b.done(f, 0);
    CHECK(b.memory(0).word_ending_at(b.user(0, 0x10008)).value == word);
  });
  b.run();
}

TEST_CASE("an atomic operation sees the one before it, however long that waits for the host") {
  HcaBench b(slow_slot());
  b.program(0, [&](comm::Fiber& f) {
    b.post(f, 0, request(Operation::write, 8_KiB, b.user(0), b.user(1, 0x1000)));
    for (int i = 0; i < 4; ++i) {
      WorkRequest w = request(Operation::fetch_and_add, 8_B, b.user(0, 0x10000 + 8 * i), b.user(1));
      w.operand = 1;
      b.post(f, 0, w);
    }
    for (int i = 0; i < 5; ++i) b.done(f, 0);
  });
  b.run();
  for (int i = 0; i < 4; ++i) CHECK(b.memory(0).word_ending_at(b.user(0, 0x10008 + 8 * i)).value == std::uint64_t(i));
  CHECK(b.memory(1).word_ending_at(b.user(1, 8)).value == 4);
}

}  // namespace infiniband_reliability_test
