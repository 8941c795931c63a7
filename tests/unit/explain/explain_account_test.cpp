// SPDX-License-Identifier: Apache-2.0
#include "explain/account.hpp"
#include "unit/explain/explain_fixture.hpp"

namespace explain_account_test {

using namespace tsunagi;
using namespace tsunagi::test;
using explain::Account;
using explain::account;
using explain::History;
using net::Overhead;
using net::Stage;

namespace {

const std::string chip = "s";

Time use(const Account& a, const std::string& name) {
  for (const explain::Use& u : a.uses)
    if (u.name == name) return u.time;
  FAIL("no use " << name);
  return {};
}

/// What the wire carried in 100 ns without a line code.
Account uncoded(const std::vector<net::Hop>& hops, const std::vector<net::OverheadEvent>& overheads = {}) {
  std::vector<net::ChannelInfo> wires = two_wires();
  wires[0].coding_line = wires[0].coding_data;
  History h(wires);
  for (const net::Hop& one : hops) h.hop(one);
  for (const net::OverheadEvent& one : overheads) h.overhead(one);
  return account(h, 0, 0_ns, 100_ns);
}

void expect_whole(const Account& a) {
  Time sum;
  for (const explain::Use& u : a.uses) {
    CHECK(u.time >= Time::zero());
    sum += u.time;
  }
  CHECK(sum == a.to - a.from);
}

}  // namespace

TEST_CASE("explain: an account divides a packet by its bytes and the rest by what the next one did") {
  const Account a = uncoded({hop(1, 0, 0, 0_ns), hop(2, 0, 0, 44_ns)});
  expect_whole(a);
  CHECK(use(a, "payload") == 40_ns);
  CHECK(use(a, "header") == 16_ns);
  CHECK(use(a, "framing") == 8_ns);
  CHECK(use(a, "coding") == 0_ns);
  CHECK(use(a, "transmit pipeline") == 20_ns);
  CHECK(use(a, "source idle") == 16_ns);  // 2 ns before the second packet, 14 ns after it
  CHECK(a.busy == 64_ns);
  CHECK(a.payload == 40_B);
  CHECK(a.payload_rate() == Approx(0.4e9));
  CHECK(a.payload_ceiling(two_wires()[0]) == Approx(1e9 * 20 / 32));
}

TEST_CASE("explain: packets that reach over the window's ends are cut") {
  net::Hop before = hop(1, 0, 0, 0_ns);
  before.first_try = Time::from_fs(-16'000'000);
  before.wire = {before.first_try, 16_ns};
  net::Hop after = hop(2, 0, 0, 80_ns);
  after.wire = {90_ns, 122_ns};
  const Account a = uncoded({before, after});
  expect_whole(a);
  CHECK(use(a, "payload") == 10_ns + Time::from_fs(6'250'000));
  CHECK(a.busy == 26_ns);
  CHECK(a.payload == 20_B);  // of the one that ended in it
  // A packet behind the window tells what the wire waited for in it.
  net::Hop late = late_hop(3, 0, 30_ns, 120_ns);
  late.blocked_by = net::BlockedBy::credit;
  late.blocked_since = 30_ns;
  const Account idle = uncoded({late});
  expect_whole(idle);
  CHECK(use(idle, "credit wait (posted)") == 70_ns);
  CHECK(use(idle, "source idle") == 30_ns);
}

TEST_CASE("explain: the line code takes its share of all that the wire carries") {
  History h(two_wires());
  h.hop(hop(1, 0, 0, 0_ns));
  h.overhead({0, Overhead::ack, {50_ns, 60_ns}});
  const Account a = account(h, 0, 0_ns, 100_ns);
  expect_whole(a);
  CHECK(use(a, "payload") == 16_ns);
  CHECK(use(a, "header") == Time::from_fs(6'400'000));
  CHECK(use(a, "framing") == Time::from_fs(3'200'000));
  CHECK(use(a, "ack") == 8_ns);
  CHECK(use(a, "coding") == Time::from_fs(8'400'000));
  CHECK(a.busy == 42_ns);
  // What does not divide goes to the largest.
  const Account odd = account(h, 0, 10_ns, 10_ns + 13_fs);
  expect_whole(odd);
  CHECK(odd.busy == 13_fs);
  CHECK(use(odd, "coding") == 2_fs);
}

TEST_CASE("explain: overhead within a packet takes its time in the gaps that follow") {
  const std::vector<net::Hop> two{hop(1, 0, 0, 0_ns), hop(2, 0, 0, 33_ns)};  // on the wire from 10 and from 43 ns
  const Account a = uncoded(two, {{0, Overhead::ack, {5_ns, 8_ns}},
                                  {0, Overhead::credit_update, {20_ns, 23_ns}},
                                  {0, Overhead::skip, {40_ns, 44_ns}}});
  expect_whole(a);
  CHECK(use(a, "ack") == 3_ns);
  CHECK(use(a, "credit update") == 3_ns);  // 1 ns of it between the packets, 2 ns behind the second
  CHECK(use(a, "skip") == 4_ns);
  CHECK(use(a, "transmit pipeline") == 7_ns);
  CHECK(use(a, "source idle") == 100_ns - 10_ns - 64_ns - 7_ns);
}

TEST_CASE("explain: a replay takes the wire from the first attempt on") {
  net::Hop h = hop(1, 0, 0, 0_ns);
  h.wire = {60_ns, 92_ns};
  const Account a = uncoded({h}, {{0, Overhead::nak, {95_ns, 99_ns}}});
  expect_whole(a);
  CHECK(use(a, "replay") == 50_ns);
  CHECK(use(a, "nak") == 4_ns);
  CHECK(a.busy == 86_ns);
}

TEST_CASE("explain: gaps are told by what the next packet waited for") {
  net::Hop third = late_hop(3, 0, 20_ns, 60_ns);
  third.blocked_by = net::BlockedBy::replay_space;
  third.blocked_since = 50_ns;
  third.first_try += 2_ns;
  third.wire = {third.first_try, 100_ns};
  net::Hop other = hop(2, 0, 0, 0_ns);
  other.source = 1;
  other.datapath.tail = 45_ns;  // holds the port for longer than the wire
  other.piped = 0_ns;
  other.first_try = 0_ns;
  other.wire = {0_ns, 32_ns};
  const Account a = uncoded({other, third});
  expect_whole(a);
  CHECK(use(a, "arbitration") == 13_ns);
  CHECK(use(a, "datapath bubble") == 7_ns);  // 5 ns to the edge, 2 ns until the wire takes it
  CHECK(use(a, "replay buffer full") == 10_ns);
  CHECK(use(a, "transmit pipeline") == 10_ns);
}

TEST_CASE("explain: waits for tags and buffers reach back over the way that they came home") {
  for (const Stage kind : {Stage::tag, Stage::buffer}) {
    History h(two_wires());
    h.hop(hop(1, 0, 1, 0_ns));  // brings it home on the other wire, at 50 ns
    h.stage(stage(2, 1, kind, "DMA", chip, 50_ns, 54_ns));
    h.hop(hop(2, 1, 0, 54_ns));
    const Account a = account(h, 0, 0_ns, 96_ns);
    expect_whole(a);
    CHECK(use(a, kind == Stage::tag ? "tag wait" : "buffer wait") == 54_ns);
    CHECK(use(a, "transmit pipeline") == 10_ns);
    CHECK(use(a, "source idle") == 0_ns);
  }
}

TEST_CASE("explain: the busiest channels come first, idle ones not at all") {
  History h(two_wires());
  h.hop(hop(1, 0, 0, 0_ns));
  h.hop(hop(1, 0, 1, 50_ns));
  h.hop(hop(2, 0, 1, 100_ns));
  const std::vector<Account> all = explain::busiest(h, 0_ns, 200_ns);
  REQUIRE(all.size() == 2);
  CHECK(all[0].channel == 1);
  CHECK(explain::busiest(h, 0_ns, 200_ns, 1).size() == 1);
  CHECK(explain::busiest(h, 0_ns, 10_ns).empty());
  const std::string table = explain::account_table(h, all);
  CHECK_THAT(table, Catch::Contains("from                      s.out  a.core.out\n"
                                    "to                     b.mem.in        s.in\n"
                                    "busy                     32.0 %      16.0 %\n"
                                    "  payload                16.0 %       8.0 %\n"));
  CHECK_THAT(table, Catch::Contains("payload rate         0.200 GB/s  0.100 GB/s\n"
                                    "its ceiling          0.625 GB/s  0.625 GB/s\n"));
  CHECK(explain::to_json(h, all[0])["busy"]["payload"] == 32'000'000);
}

}  // namespace explain_account_test
