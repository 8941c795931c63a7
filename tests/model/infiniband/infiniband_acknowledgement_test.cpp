// SPDX-License-Identifier: Apache-2.0
// What a reliable connection's receiving side says, how often, and what it does not say again.
#include <algorithm>
#include <vector>

#include "model/infiniband/hca_bench.hpp"

namespace infiniband_acknowledgement_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Opcode;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

WorkRequest unsignalled(WorkRequest w) {
  w.signalled = false;
  return w;
}

std::vector<WorkRequest> small_writes(HcaBench& b, std::uint64_t count) {
  std::vector<WorkRequest> out;
  for (std::uint64_t i = 0; i < count; ++i)
    out.push_back(work_request(Operation::write, 8_B, b.user(0), b.user(1, 8 * i)));
  return out;
}

std::vector<std::uint32_t> refused(HcaBench& b) {
  std::vector<std::uint32_t> out;
  for (const Tapped& t : b.tapped(Opcode::acknowledge))
    if (t.syndrome == infiniband::sequence_error) out.push_back(t.sequence);
  return out;
}

}  // namespace

TEST_CASE("one packet of so many asks for an acknowledgement, and the last one of what is told") {
  HcaParts p = tapped(loses_none);
  p.hca.ask_interval = 16;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, unsignalled(work_request(Operation::write, 2_KiB * 20, b.user(0), b.user(1))));
    b.post(f, 0, work_request(Operation::write, 2_KiB * 20, b.user(0), b.user(1, 0x10000)));
    b.post(f, 0, work_request(Operation::write, 2_KiB * 20, b.user(0), b.user(1, 0x20000)));
    for (int i = 0; i < 2; ++i) b.done(f, 0);
  });
  b.run();
  std::vector<std::uint32_t> asked;
  for (const Tapped& t : b.tap().seen())
    if (t.asks) asked.push_back(t.sequence);
  CHECK(asked == std::vector<std::uint32_t>{15, 31, 39, 55, 59});
  CHECK(b.tapped(Opcode::acknowledge).size() == asked.size());
}

TEST_CASE("what is sent again asks for acknowledgements as if nothing had been sent before it") {
  constexpr std::uint32_t lost = 5;
  HcaParts p = tapped([](const Tapped& t) { return t.from == 0 && t.sequence == lost && t.before == 0; });
  p.hca.ask_interval = 16;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::write, 2_KiB * 60, b.user(0), b.user(1))}); });
  b.run();
  std::vector<std::uint32_t> asked;
  int times = 0;  // that the lost one has come by
  for (const Tapped& t : b.tap().seen()) {
    if (t.from == 0 && t.sequence == lost) ++times;
    if (times == 2 && t.asks) asked.push_back(t.sequence);
  }
  CHECK(asked == std::vector<std::uint32_t>{lost + 15, lost + 31, lost + 47, 59});
}

TEST_CASE("acknowledgements that wait for the wire become one") {
  HcaParts p = tapped(loses_none);
  p.cable.width = 1;  // slower than the slot: what goes back waits behind data of 2 us each
  HcaBench b(p);
  constexpr std::uint64_t count = 64;
  b.program(0, [&](Fiber& f) {
    f.wait_until(20_us);
    b.post_all(f, 0, small_writes(b, count));
  });
  b.program(1, [&](Fiber& f) {
    b.post_all(f, 1, {work_request(Operation::write, 256_KiB, b.user(1), b.user(0, 0x100000))});
  });
  b.run();
  const auto& seen = b.tap().seen();
  CHECK(std::count_if(seen.begin(), seen.end(), [](const Tapped& t) { return t.from == 0 && t.asks; }) == count);
  // Not more than one goes between two packets of data.
  bool behind_data = true;
  int together = 0, told = 0;
  for (const Tapped& t : seen) {
    if (t.from == 0 || t.head > 200_us) continue;
    const bool tells = t.code == Opcode::acknowledge;
    if (tells && !behind_data) ++together;
    if (tells) ++told;
    behind_data = !tells;
  }
  CHECK(together == 0);
  CHECK(told < 20);
}

TEST_CASE("who is not ready says so once, and refuses nothing that follows") {
  HcaBench b(tapped(loses_none));
  b.program(0, [&](Fiber& f) {
    std::vector<WorkRequest> all = small_writes(b, 4);
    all.insert(all.begin(), work_request(Operation::send, 64_B, b.user(0)));
    b.post_all(f, 0, all);
  });
  b.program(1, [&](Fiber& f) {
    f.wait_until(100_us);
    b.node(1).post_receive(f, b.receives(1), b.user(1, 0x1000), 64_B);
    b.received(f, 1);
  });
  b.run();
  const auto told = b.tapped(Opcode::acknowledge);
  CHECK(std::count_if(told.begin(), told.end(), [](const Tapped& t) { return t.head < 640_us; }) == 1);
  CHECK(told[0].syndrome == infiniband::receiver_not_ready);
  const auto sent = b.tapped(Opcode::send_only);
  REQUIRE(sent.size() == 2);
  CHECK(sent[1].head - told[0].head > 640_us);
}

TEST_CASE("who is not ready acknowledges what came before") {
  HcaBench b(tapped([](const Tapped& t) { return t.code == Opcode::acknowledge && t.sequence == 0; }));
  Time done;
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, work_request(Operation::write, 8_B, b.user(0), b.user(1)));
    b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
    b.done(f, 0);
    done = b.sim().now();
    b.done(f, 0);
  });
  b.program(1, [&](Fiber& f) {
    f.wait_until(100_us);
    b.node(1).post_receive(f, b.receives(1), b.user(1, 0x1000), 64_B);
    b.received(f, 1);
  });
  b.run();
  CHECK(done < 100_us);
  CHECK(b.tapped(Opcode::write_only).size() == 1);
}

TEST_CASE("a refusal acknowledges what came before") {
  HcaBench b(tapped([](const Tapped& t) {
    return t.before == 0 && ((t.from == 1 && t.sequence < 2) || (t.from == 0 && t.sequence == 2));
  }));
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, small_writes(b, 4)); });
  b.run(1_ms);
  CHECK(refused(b) == std::vector<std::uint32_t>{2});
  const auto& seen = b.tap().seen();
  CHECK(std::none_of(seen.begin(), seen.end(), [](const Tapped& t) { return t.sequence < 2 && t.before > 0; }));
}

TEST_CASE("a receive that is posted when the others have been used is found") {
  HcaBench b({});
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < 3; ++i) {
      f.wait_until(20_us * (i + 1));
      b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
      b.done(f, 0);
    }
  });
  b.program(1, [&](Fiber& f) {
    for (int i = 0; i < 3; ++i) {
      b.node(1).post_receive(f, b.receives(1), b.user(1, 0x1000 * static_cast<std::uint64_t>(i)), 64_B);
      b.received(f, 1);
    }
  });
  b.run();
  CHECK(b.card(0).retransmissions() == 0);
}

TEST_CASE("what is missing behind an atomic operation that was sent again is refused, too") {
  HcaBench b(tapped([](const Tapped& t) { return t.from == 0 && t.before == 0 && t.sequence % 4 == 1; }));
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < 8; ++i) {
      WorkRequest w = work_request(Operation::fetch_and_add, 8_B, b.user(0, 0x1000), b.user(1));
      w.operand = 1;
      b.post(f, 0, w);
      if (i % 4 == 3)
        for (int n = 0; n < 4; ++n) b.done(f, 0);
    }
  });
  b.run(1_ms);
  CHECK(refused(b) == std::vector<std::uint32_t>{1, 5});
  CHECK(b.memory(1).word_ending_at(b.user(1, 8)).value == 8);
}

TEST_CASE("a packet that comes again is acknowledged with all that has come since") {
  constexpr std::uint32_t count = 8;
  HcaBench b(tapped([](const Tapped& t) { return t.from == 1 && t.head < 30_us; }, 3));
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, small_writes(b, count)); });
  b.run(1_ms);
  const auto told = b.tapped(Opcode::acknowledge);
  const auto again = std::find_if(told.begin(), told.end(), [](const Tapped& t) { return t.head >= 30_us; });
  REQUIRE(again != told.end());
  CHECK(again->sequence == count - 1);
}

TEST_CASE("packets that come again are acknowledged as far as they ask") {
  HcaBench b(tapped([](const Tapped& t) { return t.code == Opcode::acknowledge && t.before == 0; }, 3));
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::write, 2_KiB * 16, b.user(0), b.user(1))}); });
  b.run(1_ms);
  CHECK(b.tapped(Opcode::write_middle).size() == 2 * 14);
  CHECK(b.tapped(Opcode::acknowledge).size() == 2);
}

TEST_CASE("what was asked for before is not answered any more when it is asked for again") {
  // One lane of Gen1 reads 2 KiB for the cable in 9 us, many of them ahead.
  HcaParts p = tapped([](const Tapped& t) { return t.code == Opcode::read_response_middle && t.sequence == 1; });
  p.slot.rate = TransferRate(2'500'000'000);
  p.slot.lanes = 1;
  p.hca.send_buffer = 64_KiB;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::read, 64_KiB, b.user(0), b.user(1))}); });
  b.run();
  const auto asked = b.tapped(Opcode::read_request);
  REQUIRE(asked.size() == 2);
  CHECK(asked[1].sequence == 1);
  // Answers of before, which came behind the second request: one, that was on its way out.
  int stale = 0;
  for (const Tapped& t : b.tap().seen()) {
    if (t.from == 0 || t.head < asked[1].head) continue;
    if (t.sequence == 1) break;
    ++stale;
  }
  CHECK(stale <= 1);
  b.expect_once(0, b.user(0), 64_KiB, b.user(1));
}

TEST_CASE("a read's answer that comes when it is to be asked for again lets one read follow, not two") {
  // Packets of 4 KiB take 16.4 us from each card to the tap and on. The first read's answer comes behind its timer, but
  // before the packets of the other queue pairs, whose turn it is, let it be sent again.
  HcaParts p = tapped(loses_none, 3);
  p.cable.speed = infiniband::Speed::sdr;
  p.cable.width = 1;
  p.cable.mtu = p.verbs.mtu = p.hca.send_buffer = 4_KiB;
  p.hca.reads_under_way = 1;
  HcaBench b(p, 4);
  constexpr std::uint32_t reads = 5;
  b.program(0, [&](Fiber& f) {
    for (int q = 1; q < 4; ++q)
      b.post(f, 0, work_request(Operation::write, 8_KiB, b.user(0), b.user(1, 0x10000 * static_cast<unsigned>(q))), q);
    for (std::uint64_t i = 0; i < reads; ++i)
      b.post(f, 0, work_request(Operation::read, i == 0 ? 4_KiB : 8_B, b.user(0, 0x1000 * i), b.user(1)), 0);
    for (std::uint32_t i = 0; i < reads + 3; ++i) b.done(f, 0);
  });
  b.run();
  std::vector<Time> asked, told;
  for (const Tapped& t : b.tapped(Opcode::read_request)) asked.push_back(t.head);
  for (const Tapped& t : b.tapped(Opcode::read_response_only)) told.push_back(t.head);
  REQUIRE(asked.size() == reads);  // none of them twice
  REQUIRE(told.size() == reads);
  CHECK(told[0] + 4_ns * (4_KiB + 32_B).count() - asked[0] > 4096_ns * 8);  // the timer has rung
  for (std::size_t i = 1; i < reads; ++i) CHECK(asked[i] > told[i - 1]);
}

}  // namespace infiniband_acknowledgement_test
