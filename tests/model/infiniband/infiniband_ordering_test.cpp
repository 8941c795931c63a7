// SPDX-License-Identifier: Apache-2.0
// What reliable connections promise when nothing is posted, when nobody answers, and when several requests are under
// way.
#include <set>
#include <sstream>
#include <string>

#include "model/infiniband/hca_bench.hpp"
#include "support/child.hpp"

namespace infiniband_ordering_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Operation;
using infiniband::WorkRequest;

TEST_CASE("a receiver that is not ready often does not count as lost packets") {
  HcaParts p;
  p.verbs.retry_count = 1;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
    b.done(f, 0);
  });
  b.program(1, [&](Fiber& f) {
    f.wait_until(640_us * 5);
    b.node(1).post_receive(f, b.receives(1), b.user(1), 64_B);
    b.received(f, 1);
  });
  b.run();
  CHECK(b.card(0).retransmissions() == 5);
}

TEST_CASE("a send that finds no receive comes when one is posted, after the time of receiver not ready") {
  HcaBench b({});
  constexpr Time posted = 100_us;
  Time came;
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
    b.done(f, 0);
  });
  b.program(1, [&](Fiber& f) {
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
    b.program(0, [&](Fiber& f) {
      b.post(f, 0, work_request(o, 64_B, b.user(0), b.user(1)));
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

TEST_CASE("who has got a message through may find no receive as often again") {
  HcaParts p;
  p.verbs.rnr_retry_count = 2;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < 3; ++i) {
      b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
      b.done(f, 0);
    }
  });
  b.program(1, [&](Fiber& f) {
    for (int i = 0; i < 3; ++i) {
      f.wait_for(1000_us);  // the first one in vain, and the second
      b.node(1).post_receive(f, b.receives(1), b.user(1), 64_B);
      b.received(f, 1);
    }
  });
  b.run();
  CHECK(b.card(0).retransmissions() == 3 * 2);
}

TEST_CASE("who hears nothing gives up after its retries") {
  HcaParts p;
  p.hca.loss_ppm = 999'999;
  p.verbs.timeout_code = 4;
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
  b.program(0, [&](Fiber& f) {
    for (int q = 0; q < 12; ++q) b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)), q);
    for (int q = 0; q < 12; ++q) b.done(f, 0);
  });
  b.program(1, [&](Fiber& f) {
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
  p.slot.rate = TransferRate(2'500'000'000);
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
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, work_request(Operation::write, 8_KiB, b.user(0), b.user(1)));
    b.post(f, 0, work_request(Operation::read, 8_B, b.user(0, 0x10000), b.user(1, 8184)));
    b.done(f, 0);
    b.done(f, 0);
    CHECK(b.memory(0).word_ending_at(b.user(0, 0x10008)).value == word);
  });
  b.run();
}

TEST_CASE("an atomic operation sees the one before it, however long that waits for the host") {
  HcaBench b(slow_slot());
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, work_request(Operation::write, 8_KiB, b.user(0), b.user(1, 0x1000)));
    for (int i = 0; i < 4; ++i) {
      WorkRequest w = work_request(Operation::fetch_and_add, 8_B, b.user(0, 0x10000 + 8 * i), b.user(1));
      w.operand = 1;
      b.post(f, 0, w);
    }
    for (int i = 0; i < 5; ++i) b.done(f, 0);
  });
  b.run();
  for (int i = 0; i < 4; ++i) CHECK(b.memory(0).word_ending_at(b.user(0, 0x10008 + 8 * i)).value == std::uint64_t(i));
  CHECK(b.memory(1).word_ending_at(b.user(1, 8)).value == 4);
}

namespace {

/// When fetch-and-adds of one queue pair each were written, those of queue pair q at word q * `apart`.
std::vector<Time> added(HcaBench& b, int pairs, int each, std::uint64_t apart) {
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < each; ++i)
      for (int q = 0; q < pairs; ++q) {
        WorkRequest w = work_request(Operation::fetch_and_add, 8_B, b.user(0, 0x1000 + 8 * (i * pairs + q)),
                                     b.user(1, 8 * apart * q));
        w.operand = 1;
        b.post(f, 0, w, q);
      }
    for (int i = 0; i < each * pairs; ++i) b.done(f, 0);
  });
  b.run();
  std::vector<Time> out;
  for (const host::Extent& e : b.seen(1, b.user(1), 64_B)) out.push_back(e.when);
  return out;
}

}  // namespace

TEST_CASE("atomic operations of all queue pairs of a card at one word are done one after the other") {
  constexpr int pairs = 4, each = 8;
  HcaBench b({}, pairs);
  added(b, pairs, each, 0);
  CHECK(b.memory(1).word_ending_at(b.user(1, 8)).value == pairs * each);
  std::set<std::uint64_t> found;
  for (int i = 0; i < pairs * each; ++i) found.insert(b.memory(0).word_ending_at(b.user(0, 0x1008 + 8 * i)).value);
  CHECK(found.size() == pairs * each);
  CHECK(*found.rbegin() == pairs * each - 1);
}

TEST_CASE("atomic operations of different queue pairs at different words do not wait for each other") {
  HcaParts p;
  p.memory.read_latency = 2_us;  // more than two requests are apart
  HcaBench b(p, 2);
  const std::vector<Time> when = added(b, 2, 1, 1);
  REQUIRE(when.size() == 2);
  CHECK(when[1] - when[0] < 1_us);
}

TEST_CASE("the second atomic operation at a word reads what the first one has written") {
  HcaParts p;
  p.memory.read_latency = 2_us;
  HcaBench b(p, 2);
  const std::vector<Time> when = added(b, 2, 1, 0);
  REQUIRE(when.size() == 2);
  CHECK(when[1] - when[0] > 2_us);
}

}  // namespace infiniband_ordering_test
