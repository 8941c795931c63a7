// SPDX-License-Identifier: Apache-2.0
// Which packets a reliable connection sends again, and when: chosen packets are lost on the cable.
#include <algorithm>

#include "model/infiniband/hca_bench.hpp"

namespace infiniband_retransmission_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Opcode;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

/// From the tap, which passes packets on as a whole, to a card, where it says something that is answered at once, and
/// back to the tap: without and with what clock edges and the packet's own length may add.
struct Turn {
  Time least;
  Time most;
};
Turn turn(const HcaParts& p, Bytes came) {
  const Time once =
      hca_flight * 2 + p.hca.receive_latency + p.hca.send_latency + Clock(p.hca.clock).cycles(p.hca.build_cycles);
  return {once, once + 250_ps * came.count() + Clock(p.hca.clock).cycles(p.hca.packet_cycles + 2)};
}

constexpr Bytes acknowledgement = 32_B, answer_around = 32_B;

}  // namespace

TEST_CASE("an acknowledgement that passes a lost answer makes the requester ask again at once") {
  const HcaParts p = tapped([](const Tapped& t) { return t.code == Opcode::read_response_only && t.before == 0; });
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    b.post_all(f, 0,
               {work_request(Operation::read, 64_B, b.user(0), b.user(1)),
                work_request(Operation::write, 64_B, b.user(0), b.user(1, 0x1000))});
  });
  b.run();
  const auto asked = b.tapped(Opcode::read_request), told = b.tapped(Opcode::acknowledge);
  REQUIRE(asked.size() == 2);
  REQUIRE(told.size() == 2);
  CHECK(asked[1].head - told[0].head >= turn(p, acknowledgement).least);
  CHECK(asked[1].head - told[0].head <= turn(p, acknowledgement).most);
  CHECK(b.card(0).retransmissions() == 2);
  b.expect_once(0, b.user(0), 64_B, b.user(1));
  b.expect_once(1, b.user(1, 0x1000), 64_B);
}

TEST_CASE("an acknowledgement that passes a lost answer of an atomic operation makes the requester ask again at once") {
  const HcaParts p = tapped([](const Tapped& t) { return t.code == Opcode::atomic_acknowledge && t.before == 0; });
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    WorkRequest add = work_request(Operation::fetch_and_add, 8_B, b.user(0), b.user(1));
    add.operand = 5;
    b.post_all(f, 0, {add, work_request(Operation::write, 64_B, b.user(0), b.user(1, 0x1000))});
  });
  b.run();
  const auto asked = b.tapped(Opcode::fetch_and_add), told = b.tapped(Opcode::acknowledge);
  REQUIRE(asked.size() == 2);
  CHECK(asked[1].head - told[0].head <= turn(p, acknowledgement).most);
  CHECK(b.memory(1).word_ending_at(b.user(1, 8)).value == 5);
  CHECK(b.seen(1, b.user(1), 8_B).size() == 1);
}

TEST_CASE("a later read's answer that passes a lost one makes the requester ask again at once") {
  const HcaParts p =
      tapped([](const Tapped& t) { return t.code == Opcode::read_response_only && t.sequence == 0 && t.before == 0; });
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    b.post_all(f, 0,
               {work_request(Operation::read, 64_B, b.user(0), b.user(1)),
                work_request(Operation::read, 64_B, b.user(0, 0x1000), b.user(1, 0x1000))});
  });
  b.run();
  const auto asked = b.tapped(Opcode::read_request), told = b.tapped(Opcode::read_response_only);
  REQUIRE(asked.size() == 4);
  REQUIRE(told[1].sequence == 1);
  CHECK(asked[2].sequence == 0);
  CHECK(asked[2].head - told[1].head >= turn(p, answer_around + 64_B).least);
  CHECK(asked[2].head - told[1].head <= turn(p, answer_around + 64_B).most);
}

TEST_CASE("an answer that is lost again and again is asked for at once each time something passes it") {
  constexpr int lost = 3;
  HcaBench b(tapped(
      [](const Tapped& t) { return t.code == Opcode::read_response_only && t.sequence == 0 && t.before < lost; }));
  b.program(0, [&](Fiber& f) {
    b.post_all(f, 0,
               {work_request(Operation::read, 64_B, b.user(0), b.user(1)),
                work_request(Operation::read, 64_B, b.user(0, 0x1000), b.user(1, 0x1000))});
  });
  b.run(1_ms);
  CHECK(b.card(0).retransmissions() == 2 * lost);
  b.expect_once(0, b.user(0), 64_B, b.user(1));
}

TEST_CASE("answers that were under way when one of them was asked for again do not make it asked for twice") {
  HcaBench b(tapped([](const Tapped& t) { return is_read_response(t.code) && t.sequence == 0 && t.before == 0; }));
  constexpr int count = 8;
  b.program(0, [&](Fiber& f) {
    std::vector<WorkRequest> all;
    for (std::uint64_t i = 0; i < count; ++i)
      all.push_back(work_request(Operation::read, 4_KiB, b.user(0, 0x1000 * i), b.user(1, 0x1000 * i)));
    b.post_all(f, 0, all);
  });
  b.run(1_ms);
  CHECK(b.card(0).retransmissions() == count);
}

TEST_CASE("an acknowledgement that is sent again tells nothing of an answer that is asked for again") {
  // The write's is lost, and so is the read's answer: nothing comes, and the timer rings. The write's second one says
  // all that the peer has done, the read included.
  HcaBench b(tapped([](const Tapped& t) { return t.from == 1 && t.before == 0; }, 1));
  b.program(0, [&](Fiber& f) {
    b.post_all(f, 0,
               {work_request(Operation::write, 64_B, b.user(0), b.user(1, 0x1000)),
                work_request(Operation::read, 2_KiB, b.user(0), b.user(1))});
  });
  b.run(1_ms);
  CHECK(b.card(0).retransmissions() == 2);
}

TEST_CASE("a receiver refuses what is ahead of a lost packet once") {
  constexpr std::uint32_t lost = 5;
  const HcaParts p = tapped([](const Tapped& t) { return t.from == 0 && t.sequence == lost && t.before == 0; });
  HcaBench b(p);
  constexpr Bytes n = 512_KiB;
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::write, n, b.user(0), b.user(1))}); });
  b.run(1_ms);
  const auto told = b.tapped(Opcode::acknowledge);
  const auto is_refusal = [](const Tapped& t) { return t.syndrome == infiniband::sequence_error; };
  CHECK(std::count_if(told.begin(), told.end(), is_refusal) == 1);
  // What came to the tap between the lost packet and itself comes twice, and nothing else.
  const auto& seen = b.tap().seen();
  const auto is_lost = [](const Tapped& t) { return t.from == 0 && t.sequence == lost; };
  const auto first = std::find_if(seen.begin(), seen.end(), is_lost);
  const auto again = std::find_if(first + 1, seen.end(), is_lost);
  const auto between = std::count_if(first, again, [](const Tapped& t) { return t.from == 0; });
  CHECK(std::count_if(seen.begin(), seen.end(), [](const Tapped& t) { return t.from == 0 && t.before == 1; }) ==
        between);
  CHECK(std::count_if(seen.begin(), seen.end(), [](const Tapped& t) { return t.from == 0 && t.before == 2; }) == 0);
  CHECK(std::none_of(seen.begin(), seen.end(), [](const Tapped& t) { return t.sequence < lost && t.before > 0; }));
  CHECK(between > 2);
  b.expect_once(1, b.user(1), n);
}

TEST_CASE("who is refused the same packet twice is told again when it has come in between") {
  HcaBench b(
      tapped([](const Tapped& t) { return t.from == 0 && t.before == 0 && (t.sequence == 5 || t.sequence == 200); }));
  constexpr Bytes n = 512_KiB;
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::write, n, b.user(0), b.user(1))}); });
  b.run(1_ms);
  const auto told = b.tapped(Opcode::acknowledge);
  std::vector<std::uint32_t> refused;
  for (const Tapped& t : told)
    if (t.syndrome == infiniband::sequence_error) refused.push_back(t.sequence);
  CHECK(refused == std::vector<std::uint32_t>{5, 200});
  b.expect_once(1, b.user(1), n);
}

TEST_CASE("the timer begins when the last byte of what asks has left") {
  // A lane of 2.5 Gb/s: a packet of 2 KiB takes 8.4 us.
  HcaParts p = tapped([](const Tapped& t) { return t.from == 0 && t.before == 0; }, 2);
  p.cable.speed = infiniband::Speed::sdr;
  p.cable.width = 1;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::write, 2_KiB, b.user(0), b.user(1))}); });
  b.run(1_ms);
  const auto sent = b.tapped(Opcode::write_only);
  REQUIRE(sent.size() == 2);
  const Time after = sent[1].head - sent[0].head - 4096_ns * 4 - 4_ns * (2_KiB + 44_B).count();
  CHECK(after > p.hca.send_latency);
  CHECK(after < p.hca.send_latency + 2_us);  // it is read from the host again
}

TEST_CASE("what is acknowledged behind all that was sent before a retry tells that an answer is lost again") {
  HcaBench b(tapped([](const Tapped& t) { return t.code == Opcode::read_response_only && t.before < 2; }));
  const WorkRequest write = work_request(Operation::write, 64_B, b.user(0), b.user(1, 0x1000));
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, work_request(Operation::read, 64_B, b.user(0), b.user(1)));
    b.post(f, 0, write);
    f.wait_until(100_us);
    b.post(f, 0, write);
    for (int i = 0; i < 3; ++i) b.done(f, 0);
  });
  b.run(1_ms);
  const auto asked = b.tapped(Opcode::read_request);
  REQUIRE(asked.size() == 3);
  CHECK(asked[1].head < 10_us);
  CHECK(asked[2].head > 100_us);
}

TEST_CASE("an answer in its place shows that those behind it are of now, too") {
  // Of the last three of four reads no answer comes, until the timer rings; then only that of number 2 is lost.
  HcaBench b(tapped(
      [](const Tapped& t) {
        if (t.code != Opcode::read_response_only || t.sequence == 0) return false;
        return t.before == 0 || (t.before == 1 && t.sequence == 2);
      },
      4));
  b.program(0, [&](Fiber& f) {
    std::vector<WorkRequest> all;
    for (std::uint64_t i = 0; i < 4; ++i)
      all.push_back(work_request(Operation::read, 64_B, b.user(0, 0x1000 * i), b.user(1)));
    b.post_all(f, 0, all);
  });
  b.run(1_ms);
  std::vector<Time> asked;
  for (const Tapped& t : b.tapped(Opcode::read_request))
    if (t.sequence == 2) asked.push_back(t.head);
  REQUIRE(asked.size() == 3);
  CHECK(asked[1] - asked[0] > 4096_ns * 16);
  CHECK(asked[2] - asked[1] < 10_us);
}

TEST_CASE("behind a refusal all that comes is for what has been sent again") {
  // The first write is lost and the read behind it refused; then the read's answer is lost.
  HcaBench b(tapped([](const Tapped& t) {
    return t.before == 0 && ((t.from == 0 && t.sequence == 0) || t.code == Opcode::read_response_only);
  }));
  const WorkRequest write = work_request(Operation::write, 64_B, b.user(0), b.user(1, 0x1000));
  b.program(0, [&](Fiber& f) {
    b.post_all(f, 0, {write, work_request(Operation::read, 64_B, b.user(0), b.user(1)), write});
  });
  b.run(1_ms);
  CHECK(b.tapped(Opcode::read_request).size() == 3);
}

TEST_CASE("no timer runs for what has not left yet") {
  // A lane of 2.5 Gb/s: 64 KiB take 270 us, the timer 33 us.
  HcaParts p = tapped([](const Tapped&) { return false; }, 3);
  p.cable.speed = infiniband::Speed::sdr;
  p.cable.width = 1;
  p.hca.send_buffer = 1_MiB;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    b.post_all(f, 0,
               {work_request(Operation::write, 64_B, b.user(0), b.user(1)),
                work_request(Operation::write, 64_KiB, b.user(0), b.user(1))});
  });
  b.run();
  CHECK(b.card(0).retransmissions() == 0);
}

TEST_CASE("each packet of an answer is progress: the timer and the retries begin anew") {
  // A lane of 2.5 Gb/s: 64 KiB take 270 us, the timer 131 us. Four packets are lost, with one retry each.
  HcaParts p = tapped([](const Tapped& t) { return t.code == Opcode::read_response_middle && t.sequence % 7 == 5; }, 5);
  p.verbs.retry_count = 1;
  p.cable.speed = infiniband::Speed::sdr;
  p.cable.width = 1;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::read, 64_KiB, b.user(0), b.user(1))}); });
  b.run();
  std::vector<std::uint32_t> asked;
  for (const Tapped& t : b.tapped(Opcode::read_request)) asked.push_back(t.sequence);
  CHECK(asked == std::vector<std::uint32_t>{0, 5, 12, 19, 26});
  b.expect_once(0, b.user(0), 64_KiB, b.user(1));
}

TEST_CASE("packets that still wait for their data when one before them is refused are not sent in vain") {
  // One lane of Gen1 reads 2 KiB in 9 us, many of them ahead.
  HcaParts p = tapped([](const Tapped& t) { return t.from == 0 && t.sequence == 2 && t.before == 0; });
  p.slot.rate = TransferRate(2'500'000'000);
  p.slot.lanes = 1;
  p.hca.send_buffer = 64_KiB;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) { b.post_all(f, 0, {work_request(Operation::write, 64_KiB, b.user(0), b.user(1))}); });
  b.run();
  const auto& seen = b.tap().seen();
  // The lost packet, that at which it was missed, and one that was on its way out when that was told.
  CHECK(std::count_if(seen.begin(), seen.end(), [](const Tapped& t) { return t.from == 0 && t.before > 0; }) <= 3);
  CHECK(b.tapped(Opcode::write_middle).size() <= 30 + 3);
}

}  // namespace infiniband_retransmission_test
