// SPDX-License-Identifier: Apache-2.0
// What tests/trace/perfetto.py compares of whole runs; here what hardly comes in one.
#include <algorithm>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <tuple>

#include "support/catch.hpp"
#include "support/perfetto.hpp"
#include "trace/lanes.hpp"
#include "unit/trace/trace_fixture.hpp"

namespace trace_perfetto_test {

using namespace tsunagi;
using namespace tsunagi::test;
using protozero::pbf_reader;
using trace::Trace;

namespace {

struct Span {
  std::string place;  // names of the tracks, outermost first
  std::string name;
  std::uint64_t begin = 0;  // ns
  std::uint64_t end = 0;
  std::map<std::string, std::string> notes = {};

  friend bool operator==(const Span& a, const Span& b) {
    return std::tie(a.place, a.name, a.begin, a.end, a.notes) == std::tie(b.place, b.name, b.begin, b.end, b.notes);
  }
};

std::ostream& operator<<(std::ostream& out, const Span& s) {
  out << s.place << ": " << s.name << " " << s.begin << " " << s.end;
  for (const auto& [name, value] : s.notes) out << " " << name << "=" << value;
  return out;
}

/// A trace as a viewer reads it.
class Decoded {
 public:
  std::vector<Span> spans;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::int64_t>>> values;  // by place

  explicit Decoded(const std::string& text) {
    REQUIRE(whole_packets(text));
    pbf_reader all(text);
    while (all.next(1)) packet(all.get_message());
    std::stable_sort(events_.begin(), events_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [when, event] : events_) replay(when, event);
    for (const auto& [track, open] : open_) CHECK(open.empty());
  }

 private:
  struct Track {
    std::string name;
    std::uint64_t parent = 0;
  };

  void packet(pbf_reader p) {
    std::uint64_t when = 0;
    std::uint32_t sequence = 0;
    std::string event;
    while (p.next()) switch (p.tag()) {
        case 8:
          when = p.get_uint64();
          break;
        case 10:
          sequence = p.get_uint32();
          break;
        case 11:
          event = p.get_bytes();
          break;
        case 12:
          learn(p.get_message());
          break;
        case 60:
          describe(p.get_message());
          break;
        default:
          p.skip();
      }
    CHECK(sequence == 1);
    if (!event.empty()) events_.emplace_back(when, event);
  }

  void learn(pbf_reader interned) {
    while (interned.next()) {
      auto& known = interned.tag() == 2 ? names_ : interned.tag() == 3 ? notes_ : texts_;
      pbf_reader entry = interned.get_message();
      REQUIRE(entry.next(1));
      const std::uint64_t number = entry.get_uint64();
      REQUIRE(entry.next(2));
      CHECK(known.emplace(number, entry.get_string()).second);
    }
  }

  void describe(pbf_reader t) {
    std::uint64_t uuid = 0;
    Track track;
    while (t.next()) switch (t.tag()) {
        case 1:
          uuid = t.get_uint64();
          break;
        case 2:
          track.name = t.get_string();
          break;
        case 5:
          track.parent = t.get_uint64();
          break;
        default:
          t.skip();
      }
    CHECK(tracks_.emplace(uuid, track).second);
  }

  std::string place(std::uint64_t uuid) const {
    const Track& track = tracks_.at(uuid);
    return track.parent == 0 ? track.name : place(track.parent) + "/" + track.name;
  }

  void replay(std::uint64_t when, const std::string& event) {
    pbf_reader e(event);
    std::uint64_t track = 0, other = 0;
    int type = 0;
    Span span;
    std::int64_t value = 0;
    while (e.next()) switch (e.tag()) {
        case 4:
          span.notes.insert(note(e.get_message()));
          break;
        case 9:
          type = e.get_enum();
          break;
        case 10:
          span.name = names_.at(e.get_uint64());
          break;
        case 11:
          track = e.get_uint64();
          break;
        case 12:
          values[place(other)].emplace_back(when, e.get_int64());
          break;
        case 30:
          value = e.get_int64();
          break;
        case 31:
          other = e.get_uint64();
          break;
        default:
          FAIL("unknown field");
      }
    if (type == 4) values[place(track)].emplace_back(when, value);
    if (type == 1) {
      CHECK(open_[track].empty());  // no two at once
      span.place = place(track);
      span.begin = when;
      open_[track].push_back(spans.size());
      spans.push_back(span);
    }
    if (type == 2) {
      REQUIRE_FALSE(open_[track].empty());
      spans[open_[track].back()].end = when;
      open_[track].pop_back();
    }
  }

  std::pair<std::string, std::string> note(pbf_reader n) const {
    REQUIRE(n.next(1));
    const std::string& name = notes_.at(n.get_uint64());
    REQUIRE(n.next());
    return {name, n.tag() == 4 ? std::to_string(n.get_int64()) : texts_.at(n.get_uint64())};
  }

  std::map<std::uint64_t, std::string> names_, notes_, texts_;
  std::map<std::uint64_t, Track> tracks_;
  std::vector<std::pair<std::uint64_t, std::string>> events_;
  std::map<std::uint64_t, std::vector<std::size_t>> open_;
};

const std::string cable = "node0.peach2.e > node1.peach2.w";

void tell_a_message(Trace& t) {
  static const std::string core = "node0.cpu.core0";
  t.stage({1, 0, net::Stage::step, "store", core, 0_ns, 10_ns});
  t.stage({2, 1, net::Stage::pipeline, "", core, 5_ns, 15_ns});
  t.hop(hop_at(3, 10_ns, 20_ns));
  t.hop(hop_at(4, 20_ns, 100_ns));
  t.overhead({0, net::Overhead::ack, {100_ns, 102_ns}});
  t.credits({0, 0, 20_ns, {31, -17}});
  t.step({0, "ring the doorbell", 1_ns, 3_ns});
  t.call({0, comm::Call::Kind::send, 1, 512_B, "pio", 0_ns, 50_ns});
}

std::vector<Span> spans(const std::string& text) { return Decoded(text).spans; }

}  // namespace

TEST_CASE("trace: perfetto says what was told of a packet, in whole nanoseconds") {
  net::Hop h = hop_at(300, 10'900'000_fs, 20'000'001_fs);
  h.parent = 7;
  h.source = 2;
  h.granted += 1_ps;
  h.blocked_by = net::BlockedBy::credit;
  const std::map<std::string, std::string> of_hop{
      {"item", "300"}, {"parent", "7"}, {"source", "2"}, {"waited_fs", "1000"}, {"lacked", "credit"}};
  const std::map<std::string, std::string> of_packet{
      {"item", "300"}, {"payload_bytes", "256"}, {"header_bytes", "16"}, {"framing_bytes", "8"}};
  CHECK(spans(traced("perfetto", [&](Trace& t) { t.hop(h); })) ==
        std::vector<Span>{{cable + "/hops", "posted 256 B", 10, 105, of_hop},
                          {cable + "/packets", "posted 256 B", 20, 100, of_packet}});
}

TEST_CASE("trace: perfetto is a file with nothing in it, and repeats to the byte") {
  const std::string empty = traced("perfetto", [](Trace&) {});
  CHECK(spans(empty).empty());
  CHECK_THAT(empty, Catch::Contains("tsunagi 1.2.3"));
  CHECK(traced("perfetto", tell_a_message) == traced("perfetto", tell_a_message));
}

TEST_CASE("trace: perfetto keeps spans that overlap apart, and each with its own end") {
  static const std::string chip = "chip";
  const auto all = spans(traced("perfetto", [](Trace& t) {
    const auto stage = [&t](std::uint64_t item, Time begin, Time end) {
      t.stage({item, 0, net::Stage::pipeline, "route", chip, begin, end});
    };
    stage(1, 0_ns, 10_ns);
    stage(2, 4_ns, 8_ns);
    stage(3, 4_ns, 20_ns);
    stage(4, 8_ns, 8_ns);
    stage(5, 8_ns, 9_ns);
    stage(6, 2_ns, 3_ns);
    stage(7, 9300_ps, 9500_ps);
    stage(8, 9500_ps, 9700_ps);
  }));
  const auto one = [](const char* item, std::uint64_t begin, std::uint64_t end) {
    return Span{"chip/route", "route", begin, end, {{"item", item}}};
  };
  CHECK_THAT(all,
             Catch::UnorderedEquals(std::vector<Span>{one("1", 0, 10), one("2", 4, 8), one("3", 4, 20), one("4", 8, 8),
                                                      one("5", 8, 9), one("6", 2, 3), one("7", 9, 9), one("8", 9, 9)}));
}

TEST_CASE("trace: perfetto keeps calls, their steps and what they are part of apart, which begin together") {
  const auto all = spans(traced("perfetto", [](Trace& t) {
    t.step({3, "copy", 0_ns, 10_ns});
    t.step({3, "copy", 10_ns, 30_ns});
    t.call({3, comm::Call::Kind::send, 0, 8_B, "", 0_ns, 30_ns, 7, 1, 5});
    t.together({3, "barrier", "tree", 0, 1, 8, -1, {}, 0_ns, 30_ns});
    t.together({3, "broadcast", "", 0, 5, 8, 0, 8_B, 0_ns, 30_ns});
  }));
  const std::string rank = "ranks/rank 3/";
  CHECK_THAT(all, Catch::UnorderedEquals(
                      std::vector<Span>{{rank + "steps", "copy", 0, 10},
                                        {rank + "steps", "copy", 10, 30},
                                        {rank + "calls", "send 8 B", 0, 30, {{"peer", "0"}, {"bytes", "8"}}},
                                        {rank + "collectives and iterations",
                                         "barrier",
                                         0,
                                         30,
                                         {{"algorithm", "tree"}, {"number", "1"}, {"ranks", "8"}}},
                                        {rank + "collectives and iterations",
                                         "broadcast 8 B",
                                         0,
                                         30,
                                         {{"number", "5"}, {"ranks", "8"}, {"root", "0"}, {"bytes", "8"}}}}));
}

TEST_CASE("trace: perfetto takes no more tracks than overlap") {
  trace::Lanes lanes;
  std::uint64_t made = 0;
  const auto track = [&](Time begin, Time end) { return lanes.track(begin, end, [&] { return ++made; }); };
  CHECK(track(0_ns, 10_ns) == 1);
  CHECK(track(10_ns, 20_ns) == 1);
  CHECK(track(15_ns, 17_ns) == 2);
  CHECK(track(16_ns, 40_ns) == 3);
  CHECK(track(17_ns, 30_ns) == 2);
  CHECK(track(30_ns, 31_ns) == 1);
  CHECK(track(30_ns, 31_ns) == 2);
  CHECK(made == 3);
}

TEST_CASE("trace: perfetto counts finite credits, and packets that wait") {
  Decoded text(traced("perfetto", [](Trace& t) {
    t.credits({0, 0, 20_ns, {31, -17}});
    t.credits({0, 1, 30_ns, {-1, -1}});
    t.credits({0, 1, 40_ns, {-1, 8}});
    t.credits({0, 1, 50_ns, {0, 7}});
    for (const auto& [ready, granted] : {std::pair{10_ns, 80_ns}, {5_ns, 160_ns}}) {
      net::Hop h = hop_at(1, granted, granted);
      h.ready = {ready, ready};
      t.hop(h);
    }
  }));
  using Values = std::vector<std::pair<std::uint64_t, std::int64_t>>;
  CHECK(text.values == std::map<std::string, Values>{{cable + "/credits posted headers", {{20, 31}}},
                                                     {cable + "/credits completion headers", {{50, 0}}},
                                                     {cable + "/credits completion data", {{40, 8}, {50, 7}}},
                                                     {cable + "/waiting", {{5, 1}, {10, 2}, {80, 1}, {160, 0}}}});
}

TEST_CASE("trace: perfetto takes any name") {
  static const std::string place = std::string("a \"b\"\n\x01\0\xc3\xa9", 11) + std::string(70000, 'x');
  const auto all = spans(traced("perfetto", [](Trace& t) {
    t.stage({1, 0, net::Stage::tag, "x", place, 0_ns, 1_ns});
  }));
  REQUIRE(all.size() == 1);
  CHECK(all[0].place == place + "/x");
}

TEST_CASE("trace: perfetto keeps to the selection") {
  const auto number_of = [](const trace::Selection& s) {
    const Decoded text(traced("perfetto", tell_a_message, s));
    return std::pair(text.spans.size(), text.values.size());
  };
  CHECK(number_of(trace::Selection("")) == std::pair<std::size_t, std::size_t>{9, 1});
  CHECK(number_of(trace::Selection("rank*")) == std::pair<std::size_t, std::size_t>{2, 0});
  CHECK(number_of(trace::Selection("*core0")) == std::pair<std::size_t, std::size_t>{2, 0});
  CHECK(number_of(trace::Selection("node1*")) == std::pair<std::size_t, std::size_t>{0, 0});
  CHECK(number_of(trace::Selection("", 101_ns, 1_us)) == std::pair<std::size_t, std::size_t>{4, 0});
}

TEST_CASE("trace: perfetto is whole whatever its limit: no span without its end, its track and its name") {
  const std::string whole = traced("perfetto", tell_a_message);
  const std::size_t header = traced("perfetto", [](Trace&) {}).size();
  const std::vector<Span> all = spans(whole);
  for (std::size_t limit = 1; limit < whole.size(); limit += 3) {
    const std::string text = traced("perfetto", tell_a_message, {}, Bytes(static_cast<std::int64_t>(limit)));
    CHECK(spans(text).size() <= all.size());
    CHECK(text.size() <= std::max(limit, header));
    CHECK(whole.compare(0, text.size(), text) == 0);
  }
}

}  // namespace trace_perfetto_test
