// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "net/link_layer/link_timeline.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace net_link_timeline_test {

using namespace tsunagi;
using net::LinkTimeline;
using net::SkipSpec;
using net::Span;
using net::WireSpec;

namespace {

// Gen2 x8: 4 GB/s, 250 ps a byte. A SKP ordered set of 4 symbols each 1538 symbol times, on all 8 lanes.
constexpr Time skip_interval = 3076_ns;
constexpr Time skip_length = 8_ns;
WireSpec wire(Rate rate, SkipSpec skip = {}) {
  WireSpec w;
  w.rate = rate;
  w.skip = skip;
  return w;
}
const WireSpec gen2_x8 = wire(Rate::bytes_in(1, 250'000));
const WireSpec gen2_x8_with_skips = wire(Rate::bytes_in(1, 250'000), {skip_interval, skip_length});
const WireSpec gen3_x8 = wire(Rate::bytes_in(8, 1'015'625));
constexpr Bytes tlp{280};  // 256 B of payload
constexpr Time tlp_time = 70_ns;
constexpr Bytes dllp{8};
constexpr Time dllp_time = 2_ns;

Span place(LinkTimeline& t, Time ready, Bytes n = tlp) { return t.place_packet(ready, n, std::nullopt); }

/// The starts of the ordered sets that are told.
class OrderedSets final : public net::Listener {
 public:
  void stage(const net::StageEvent&) override {}
  void hop(const net::Hop&) override {}
  void overhead(const net::OverheadEvent& e) override { starts.push_back(e.wire.head); }
  void credits(const net::CreditEvent&) override {}
  std::vector<Time> starts;
};

LinkTimeline with_dllps(const WireSpec& w = gen2_x8) {
  LinkTimeline t(w);
  t.keep_gaps(true);
  return t;
}

}  // namespace

TEST_CASE("packets back to back lie exactly at multiples of the rate") {
  LinkTimeline t(gen3_x8);
  for (std::int64_t i = 1; i <= 100'000; ++i) {
    const Span s = place(t, 0_ns, 277_B);
    REQUIRE(s.tail.fs() == i * 277 * 1'015'625 / 8);
  }
}

TEST_CASE("a packet after a pause starts when it is ready, owing nothing") {
  LinkTimeline t(gen3_x8);
  place(t, 0_ns, 277_B);
  const Span s = place(t, 1_us, 277_B);
  CHECK(s.head == 1_us);
  CHECK((s.tail - s.head).fs() == 277 * 1'015'625LL / 8);
}

TEST_CASE("a word clock delays the start of a packet to its edge") {
  LinkTimeline t(gen2_x8);
  const Clock word(Frequency(250'000'000));
  for (int i = 0; i < 100; ++i) {
    const Span s = t.place_packet(0_ns, tlp, word);
    CHECK(s.head == 72_ns * i);  // 70 ns of bytes in whole 4 ns words
    CHECK(s.tail == s.head + tlp_time);
  }
}

TEST_CASE("on a full wire ordered sets come between packets, one an interval") {
  LinkTimeline t(gen2_x8_with_skips);
  for (std::int64_t i = 0; i < 10'000; ++i) {
    // Before packet i lie i packets and the k ordered sets that were due by then:
    // the smallest k with interval * (k + 1) > packets * i + length * k.
    const Time packets = tlp_time * i;
    const std::int64_t k = packets < skip_interval ? 0 : (packets - skip_interval) / (skip_interval - skip_length) + 1;
    REQUIRE(place(t, 0_ns).head == packets + skip_length * k);
  }
}

TEST_CASE("an ordered set on an idle wire delays only what comes while it passes") {
  for (std::int64_t n : {1, 2, 3, 1000}) {
    const Time due = skip_interval * n;
    const auto start = [&](Time ready) {
      LinkTimeline t(gen2_x8_with_skips);
      return place(t, ready).head;
    };
    CHECK(start(due - 1_fs) == due - 1_fs);
    CHECK(start(due) == due + skip_length);
    CHECK(start(due + 3_ns) == due + skip_length);
    CHECK(start(due + skip_length) == due + skip_length);
    CHECK(start(due + skip_length + 1_fs) == due + skip_length + 1_fs);
  }
}

TEST_CASE("of the ordered sets of an idle wire the last two are told, each once and when it was due") {
  for (std::int64_t n : {2, 3, 10}) {
    LinkTimeline t(gen2_x8_with_skips);
    OrderedSets told;
    t.place_packet(skip_interval * n + 1_us, tlp, std::nullopt, {&told, 0});
    CHECK(told.starts == std::vector<Time>{skip_interval * (n - 1), skip_interval * n});
  }
}

TEST_CASE("ordered sets pass between DLLPs, too: they do not pile up on a wire without packets") {
  LinkTimeline t = with_dllps(gen2_x8_with_skips);
  place(t, 0_ns);
  for (std::int64_t i = 1; i <= 100; ++i) t.place_dllp(1_us * i + 500_ns, dllp);
  CHECK(place(t, 100_us + 700_ns).head == 100_us + 700_ns);  // the 32nd was due at 98.4 us
}

TEST_CASE("an ordered set that comes due in a packet follows it") {
  LinkTimeline t(gen2_x8_with_skips);
  const Span first = place(t, skip_interval - 1_fs);
  CHECK(place(t, 0_ns).head == first.tail + skip_length);
}

TEST_CASE("ordered sets that come due in one long packet are all sent behind it") {
  // x1 with a payload of 4 KiB: 4120 B take 2.68 intervals of 1538 symbols (Base Specification 4.2.7:
  // ordered sets that a packet holds up accumulate).
  const Time symbol = 2_ns;
  const WireSpec gen2_x1 = wire(Rate::bytes_in(1, 2'000'000), {symbol * 1538, symbol * 4});
  LinkTimeline t(gen2_x1);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t packets = 4120 * i;
    const std::int64_t k = packets < 1538 ? 0 : (packets - 1538) / (1538 - 4) + 1;
    REQUIRE(place(t, 0_ns, 4120_B).head == Time::from_fs(2'000'000) * (packets + 4 * k));
  }
}

TEST_CASE("a DLLP fills a gap, else goes behind what was granted, and costs its bytes there") {
  LinkTimeline t = with_dllps();
  place(t, 0_ns);    // 0..70
  place(t, 100_ns);  // 100..170
  const Span in_gap = t.place_dllp(80_ns, dllp);
  CHECK(in_gap.head == 80_ns);
  CHECK(in_gap.tail == 80_ns + dllp_time);
  CHECK(t.place_dllp(98_ns, dllp).head == 98_ns);    // fits to the byte
  CHECK(t.place_dllp(99_ns, dllp).head == 170_ns);   // does not
  CHECK(place(t, 0_ns).head == 170_ns + dllp_time);  // the next packet pays for it
}

TEST_CASE("DLLPs leave in the order in which they were placed and never overlap") {
  LinkTimeline t = with_dllps();
  place(t, 10_ns);
  CHECK(t.place_dllp(0_ns, dllp).head == 0_ns);
  CHECK(t.place_dllp(1_ns, dllp).head == 2_ns);
  CHECK(t.place_dllp(9_ns, dllp).head == 80_ns);
  CHECK(t.place_dllp(10_ns, dllp).head == 82_ns);
  CHECK(t.place_dllp(200_ns, dllp).head == 200_ns);
}

TEST_CASE("a DLLP does not take the place of one that has its place for good") {
  LinkTimeline t = with_dllps();
  place(t, 0_ns);
  CHECK(t.place_dllp(70_ns, dllp).head == 70_ns);
  place(t, 100_ns);  // 70..72 lies before it
  CHECK(t.place_dllp(60_ns, dllp).head == 72_ns);
}

TEST_CASE("a DLLP that a packet granted later pushed on is not met by the next one") {
  LinkTimeline t = with_dllps();
  place(t, 0_ns);
  CHECK(t.place_dllp(100_ns, dllp).head == 100_ns);  // told ahead of time
  CHECK(place(t, 90_ns).tail == 160_ns);             // covers it: it goes at 160
  CHECK(t.place_dllp(95_ns, dllp).head == 162_ns);
}

TEST_CASE("a DLLP that falls into a packet waits for its end") {
  LinkTimeline t = with_dllps();
  place(t, 0_ns);
  place(t, 0_ns);  // 70..140, no gap between
  CHECK(t.place_dllp(10_ns, dllp).head == 140_ns);
}

TEST_CASE("a DLLP does not take the place of an ordered set") {
  LinkTimeline t = with_dllps(gen2_x8_with_skips);
  place(t, skip_interval - tlp_time);  // until the ordered set is due
  const Span next = place(t, 0_ns);
  REQUIRE(next.head == skip_interval + skip_length);
  CHECK(t.place_dllp(skip_interval + 1_ns, dllp).head == next.tail);
}

TEST_CASE("what is over may be forgotten, what is to come not") {
  LinkTimeline t = with_dllps();
  place(t, 0_ns);
  place(t, 100_ns);
  t.forget_before(90_ns);
  CHECK(t.place_dllp(100_ns, dllp).head == 170_ns);
}

TEST_CASE("packets carry what of them lies in the window that is watched") {
  LinkTimeline t = with_dllps(gen2_x8_with_skips);
  CHECK(t.carried() == 0_ns);
  place(t, 0_ns);
  CHECK(t.carried() == 0_ns);  // nobody watches
  t.watch({100_ns, 1_us});
  place(t, 70_ns);  // 70..140
  CHECK(t.carried() == 40_ns);
  place(t, 200_ns);
  t.place_dllp(300_ns, dllp);
  CHECK(t.carried() == 110_ns);
  place(t, 990_ns);
  place(t, 1_us);
  CHECK(t.carried() == 120_ns);
  t.watch({2_us, 3_us});
  CHECK(t.carried() == 0_ns);
  place(t, 2_us);
  CHECK(t.carried() == tlp_time);
}

namespace {

/// 236 B of packets in flits of 256 B that take 2 ns.
WireSpec flits(SkipSpec skip = {}) {
  WireSpec w = wire(Rate::bytes_in(236, 2'000'000), skip);
  w.flits = {256_B, 236_B, 0};
  return w;
}

}  // namespace

TEST_CASE("a packet in flits starts on a double word, passes what is no packet's, and ends with its last byte") {
  const WireSpec w = flits();
  LinkTimeline t(w);
  CHECK(place(t, 0_ns, 118_B).tail.fs() == 2'000'000 * 118 / 256);
  const Span second = place(t, 0_ns, 272_B);  // from byte 120 on
  CHECK(second.head.fs() == 2'000'000 * 120 / 256);
  CHECK(second.tail.fs() == 2'000'000 + 2'000'000 * (120 + 272 - 236) / 256);
  CHECK(t.flits()->end() == 4_ns);
  CHECK(place(t, 0_ns, 80_B).tail == 4_ns);  // the last byte of packets: the flit
  CHECK(place(t, 0_ns, 4_B).head == 4_ns);
  CHECK(t.free().fs() == 4'000'000 + 2'000'000 * 4 / 256);
  CHECK(place(t, 5'900'000_fs, 4_B).head == 6_ns);  // 59/64 of a flit: nothing of packets is left
}

TEST_CASE("flits take up updates until their bytes behind those of packets begin, one each") {
  const WireSpec w = flits();
  LinkTimeline t(w);
  const Time last = Time::from_fs(2'000'000 * 236 / 256);
  CHECK(t.place_dllp(last, 8_B).tail == 2_ns);
  CHECK(t.place_dllp(last, 8_B).tail == 4_ns);
  CHECK(t.place_dllp(0_ns, 8_B).tail == 6_ns);
  CHECK(t.place_dllp(10_ns + last + 1_fs, 8_B).tail == 14_ns);
  CHECK(t.place_dllp(6_ns, 8_B).tail == 8_ns);
  CHECK(t.place_acknowledgement(last, 8_B).tail == 2_ns);  // beside an update
  CHECK(t.place_acknowledgement(last + 1_fs, 8_B).tail == 4_ns);
  CHECK(place(t, 0_ns, 236_B).tail == 2_ns);  // none takes a byte of packets
  t.forget_before(8_ns);
  CHECK(t.place_dllp(12_ns, 8_B).tail == 16_ns);
}

TEST_CASE("between flits lie ordered sets, at fixed times, which are told where packets pass them") {
  const WireSpec w = flits({2 * 2_ns + 1_ns, 1_ns});
  OrderedSets sets;
  LinkTimeline t(w);
  CHECK(place(t, 4_ns, 4_B).head == 5_ns);
  CHECK(place(t, 4_ns + 999'999_fs, 232_B).tail == 7_ns);
  const Span over = t.place_packet(8_ns, 236_B, std::nullopt, {&sets, 0});
  CHECK(over.head == 8_ns);
  CHECK(over.tail.fs() == 10'000'000 + 2'000'000 * 128 / 256);
  CHECK(sets.starts == std::vector<Time>{9_ns});
  CHECK(t.place_dllp(9_ns, 8_B).tail == 12_ns);
}

TEST_CASE("of a packet in flits what lies in a wrong one and behind it comes again, and each flit is wrong or not once") {
  WireSpec w = flits();
  LinkTimeline t(w);
  net::BitErrors errors(0.5, 1, "wire");
  place(t, 0_ns, 300_B);
  CHECK(!t.flits()->first_corrupted(errors));
  w.flits.error_rate = 1;
  LinkTimeline bad(w);
  place(bad, 0_ns, 300_B);
  const auto first = bad.flits()->first_corrupted(errors);
  REQUIRE(first);
  CHECK(first->end == 2_ns);
  CHECK(first->lost == 300_B);
  const auto second = bad.flits()->first_corrupted(errors);
  REQUIRE(second);
  CHECK(second->end == 4_ns);
  CHECK(second->lost == 300_B - 236_B);
  CHECK(!bad.flits()->first_corrupted(errors));
  place(bad, 0_ns, 20_B);  // in the second flit, too
  CHECK(!bad.flits()->first_corrupted(errors));
}

}  // namespace net_link_timeline_test
