// SPDX-License-Identifier: Apache-2.0
// How a card reads the work requests of a send queue.
#include <string>

#include "model/infiniband/hca_bench.hpp"
#include "support/child.hpp"

namespace infiniband_fetch_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

/// Requests of 64 B, one a read; nothing else takes time on the way to the cable.
HcaParts small_reads(Bytes ahead) {
  HcaParts p;
  p.verbs.inline_limit = 28_B;
  p.verbs.post_cycles = 0;
  p.hca.request_fetch = 64_B;
  p.hca.request_ahead = ahead;
  return p;
}

WorkRequest write(HcaBench& b, int i, Bytes n = 64_B) {
  WorkRequest w;
  w.operation = Operation::write;
  w.length = n;
  w.local = b.user(0);
  w.remote = b.user(1, 64 * static_cast<std::uint64_t>(i));
  return w;
}

/// Until `n` writes that were posted at once are done.
Time time_of(const HcaParts& p, int n) {
  HcaBench b(p);
  Time end;
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < n; ++i) b.post(f, 0, write(b, i));
    for (int i = 0; i < n; ++i) CHECK(b.done(f, 0).index == i);
    end = b.sim().now();
  });
  b.run();
  return end;
}

}  // namespace

TEST_CASE("HCA: requests one a read that are not read ahead come one a round trip") {
  HcaBench b(small_reads(64_B));
  Time alone, all;
  constexpr int n = 40;
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, write(b, 0));
    b.done(f, 0);
    // Two of them: what a request more costs.
    const Time begin = b.sim().now();
    for (int i = 1; i <= 2; ++i) b.post(f, 0, write(b, i));
    b.done(f, 0);
    const Time first = b.sim().now();
    b.done(f, 0);
    alone = b.sim().now() - first;
    CHECK(alone < first - begin);
    const Time again = b.sim().now();
    for (int i = 3; i < 3 + n; ++i) b.post(f, 0, write(b, i));
    for (int i = 3; i < 3 + n; ++i) b.done(f, 0);
    all = b.sim().now() - again - (first - begin);
  });
  b.run();
  // Within a visit of the polling loop each.
  CHECK(all > alone * (n - 1) - 10_ns * n);
  CHECK(all < alone * (n - 1) + 10_ns * n);
}

TEST_CASE("HCA: requests that are read ahead come in as many round trips as it takes to double the reads") {
  const auto time = [](Bytes ahead, int n) {
    return Time::from_fs(std::stoll(in_child([&] { return std::to_string(time_of(small_reads(ahead), n).fs()); })));
  };
  const Time trip = time(64_B, 3) - time(64_B, 2);
  // 1, 2, 4, 8 and 16 of them, then 9 more; then packets of 28 ns each.
  const Time one = time(64_B, 1), all = time(2_KiB, 40);
  CHECK(all > one + trip * 4);
  CHECK(all < one + trip * 6 + 28_ns * 60);
  CHECK(time(64_B, 40) > one + trip * 38);
}

TEST_CASE("HCA: behind a burst a request alone is read alone again") {
  HcaBench b(small_reads(2_KiB));
  b.program(0, [&](Fiber& f) {
    // What the card sends to its host for one write: reads of the request, of two that are not there behind it and of
    // the data, and the entry.
    const auto packets_of_one = [&](int i) {
      const std::int64_t before = b.card(0).ports().front().channel().counters().packets;
      b.post(f, 0, write(b, i));
      b.done(f, 0);
      f.wait_until(b.sim().now() + 5_us);
      return b.card(0).ports().front().channel().counters().packets - before;
    };
    CHECK(packets_of_one(0) == 5);
    for (int i = 1; i <= 40; ++i) b.post(f, 0, write(b, i));
    for (int i = 1; i <= 40; ++i) b.done(f, 0);
    f.wait_until(b.sim().now() + 5_us);
    CHECK(packets_of_one(41) == 5);
  });
  b.run();
}

TEST_CASE("HCA: no doorbell is lost, whatever the card is reading when it comes") {
  HcaParts p = small_reads(2_KiB);
  p.verbs.depth = 16;
  HcaBench b(p);
  constexpr int n = 600;
  b.program(0, [&](Fiber& f) {
    int done = 0;
    for (int i = 0; i < n; ++i) {
      // In bursts of up to seven, further and further apart.
      if (i % 7 < i % 5) f.wait_until(b.sim().now() + Time::from_fs(3'700'000 * (i % 251)));
      while (i % 29 < 4 && done < i) CHECK(b.done(f, 0).index == done++);  // the card has nothing to do
      if (i - done == 16) CHECK(b.done(f, 0).index == done++);
      b.post(f, 0, write(b, i, i % 3 == 0 ? 16_B : 64_B));  // some go into the card as a whole
    }
    while (done < n) CHECK(b.done(f, 0).index == done++);
  });
  b.run();
  for (int i = 0; i < n; ++i) CHECK(b.seen(1, b.user(1, 64 * static_cast<std::uint64_t>(i)), 64_B).size() == 1);
}

TEST_CASE("HCA: a ring that is shorter than what may be read ahead is read once a round") {
  HcaParts p = small_reads(64_KiB);
  p.verbs.depth = 3;
  HcaBench b(p);
  constexpr int n = 100;
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < 3; ++i) b.post(f, 0, write(b, i));
    for (int i = 0; i < n; ++i) {
      CHECK(b.done(f, 0).index == i);
      if (i + 3 < n) b.post(f, 0, write(b, i + 3));
    }
  });
  b.run();
  for (int i = 0; i < n; ++i) CHECK(b.seen(1, b.user(1, 64 * static_cast<std::uint64_t>(i)), 64_B).size() == 1);
}

TEST_CASE("HCA: a whole ring of requests is read ahead, and not more") {
  // What the card sends to its host for one write: its data's read, its entry, the request's read, and then two reads
  // at a time of what is not there, of which the ring holds the first `depth`.
  for (const int depth : {1, 2, 3}) {
    CAPTURE(depth);
    CHECK(in_child([depth] {
            HcaParts p = small_reads(64_KiB);
            p.verbs.depth = depth;
            HcaBench b(p);
            b.program(0, [&](Fiber& f) {
              b.post(f, 0, write(b, 0));
              b.done(f, 0);
            });
            b.run();
            return std::to_string(b.card(0).ports().front().channel().counters().packets);
          }) == std::to_string(3 + std::min(depth, 2)));
  }
}

TEST_CASE("HCA: one read of requests is always under way, were it longer than what may be read ahead") {
  const auto time = [](Bytes ahead) {
    HcaParts p = small_reads(ahead);
    p.hca.request_fetch = 256_B;
    return Time::from_fs(std::stoll(in_child([&] { return std::to_string(time_of(p, 40).fs()); })));
  };
  CHECK(time(64_B) == time(256_B));
  CHECK(time(64_B) > time(512_B));
}

TEST_CASE("HCA: a read of requests ends where the ring does") {
  HcaParts p = small_reads(2_KiB);
  p.verbs.depth = 5;  // reads of four
  p.hca.request_fetch = 256_B;
  HcaBench b(p);
  constexpr int n = 300;
  b.program(0, [&](Fiber& f) {
    int done = 0;
    for (int i = 0; i < n; ++i) {
      if (i % 7 < i % 5) f.wait_until(b.sim().now() + Time::from_fs(3'700'000 * (i % 251)));
      while (i % 29 < 4 && done < i) CHECK(b.done(f, 0).index == done++);  // the card has nothing to do
      if (i - done == 5) CHECK(b.done(f, 0).index == done++);
      b.post(f, 0, write(b, i));
    }
    while (done < n) CHECK(b.done(f, 0).index == done++);
  });
  b.run();
  for (int i = 0; i < n; ++i) CHECK(b.seen(1, b.user(1, 64 * static_cast<std::uint64_t>(i)), 64_B).size() == 1);
}

}  // namespace infiniband_fetch_test
