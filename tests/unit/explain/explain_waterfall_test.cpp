// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "explain/waterfall.hpp"
#include "unit/explain/explain_fixture.hpp"

namespace explain_waterfall_test {

using namespace tsunagi;
using explain::Kind;
using explain::Message;
using explain::Path;

namespace {

Message message(Time latency) {
  const comm::Call send{0, comm::Call::Kind::send, 1, 8_B, "pio", 100_ns, 110_ns};
  const comm::Call receive{1, comm::Call::Kind::receive, 0, 8_B, "pio", 0_ns, 100_ns + latency};
  return {send, receive, 1};
}

/// Segments of these lengths from 100 ns on.
Path path(const std::vector<std::tuple<const char*, const char*, Kind, Time>>& parts) {
  Path p{100_ns, 100_ns, {}};
  for (const auto& [device, what, kind, length] : parts) {
    p.segments.push_back({device, what, kind, p.end, p.end + length});
    p.end += length;
  }
  return p;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("explain: a waterfall groups by device and shows each stage's start, time, share and place") {
  const Path p = path({{"node0.core", "store", Kind::step, 20_ns},
                       {"node0.core", "flush", Kind::pipeline, 10_ns},
                       {"node0.core", "store", Kind::step, 20_ns},
                       {"node0.core.bus > node0.rc.cpu", "flight", Kind::flight, Time::from_fs(50'700'000)}});
  const std::vector<std::string> text = lines(waterfall(message(p.end - p.begin), p));
  REQUIRE(text.size() == 7);
  CHECK(text[0] == "8 B from rank 0 to rank 1 by pio: 100.7 ns");
  CHECK(text[1] == "                                   start         ns   share");
  CHECK(text[2] == "node0.core                                     50.0  49.7 %");
  CHECK(text[3].substr(0, 60) == "  store                              0.0       40.0  39.7 % ");
  CHECK(text[4].substr(0, 60) == "  flush                             20.0       10.0   9.9 % ");
  CHECK(text[5] == "node0.core.bus > node0.rc.cpu                  50.7  50.3 %");
  CHECK(text[6].substr(0, 60) == "  flight                            50.0       50.7  50.3 % ");
  // The bars: 40 columns for 100.7 ns; what begins or ends within a column takes it.
  CHECK(text[3].substr(60) == "########   #########");
  CHECK(text[4].substr(60) == "       #####");
  CHECK(text[6].substr(60) == std::string(19, ' ') + std::string(21, '#'));
  for (const std::string& line : text) CHECK(line.size() <= 100);
}

TEST_CASE("explain: a long path is summed up by device and stage") {
  std::vector<std::tuple<const char*, const char*, Kind, Time>> parts;
  for (int i = 0; i < 100; ++i) {
    parts.emplace_back("chip", "read tag", Kind::tag, 30_ns);
    parts.emplace_back("memory", "read", Kind::memory, 10_ns);
  }
  const Path p = path(parts);
  const std::vector<std::string> text = lines(waterfall(message(4_us), p));
  REQUIRE(text.size() == 5);
  CHECK(text[1] == "in sum over 200 stages:");
  CHECK(text[3].substr(0, 44) == "chip: read tag        100     3000.0  75.0 %");
  CHECK(text[4].substr(0, 44) == "memory: read          100     1000.0  25.0 %");
  CHECK(std::count(text[3].begin(), text[3].end(), '#') == 3 * std::count(text[4].begin(), text[4].end(), '#'));
}

TEST_CASE("explain: stages too small for a line of their own stay in their device's sum") {
  std::vector<std::string> names;
  for (int i = 0; i < 25; ++i) names.push_back("device" + std::to_string(i));
  std::vector<std::tuple<const char*, const char*, Kind, Time>> parts{{"core", "store", Kind::step, 800_ns}};
  for (const std::string& n : names) parts.emplace_back(n.c_str(), "pipeline", Kind::pipeline, 8_ns);
  const Path p = path(parts);
  const std::vector<std::string> text = lines(waterfall(message(p.end - p.begin), p));
  REQUIRE(text.size() == 30);  // headline, headings, 26 devices, one stage and the remark
  CHECK(text[3].substr(0, 9) == "  store  ");
  CHECK(text[4].substr(0, 38) == "device0         800.0        8.0   0.8");
  CHECK(text[4].back() == '#');
  CHECK(text.back() == "Stages of less than 1.0 % are in their device's sum only.");
}

TEST_CASE("explain: never more lines than a screen has") {
  std::vector<std::string> names;
  for (int i = 0; i < 90; ++i) names.push_back("device" + std::to_string(i));
  std::vector<std::tuple<const char*, const char*, Kind, Time>> parts;
  for (const std::string& n : names) parts.emplace_back(n.c_str(), "pipeline", Kind::pipeline, 10_ns);
  const std::vector<std::string> text = lines(waterfall(message(900_ns), path(parts)));
  CHECK(text.size() == 48);
  CHECK(text.back().substr(0, 6) == "others");
}

TEST_CASE("explain: totals by kind and the JSON of a path add up to its length") {
  const Path p =
      path({{"c", "store", Kind::step, 20_ns}, {"w", "flight", Kind::flight, 7_fs}, {"c", "poll", Kind::poll, 1_ns}});
  const explain::Totals t = explain::totals(p);
  CHECK(t == explain::Totals{{Kind::step, 20_ns}, {Kind::poll, 1_ns}, {Kind::flight, 7_fs}});
  const auto json = explain::to_json(message(p.end - p.begin), p);
  CHECK(json["latency_fs"] == 21'000'007);
  CHECK(json["by_kind_fs"]["flight"] == 7);
  CHECK(json["segments"].size() == 3);
  CHECK(json["segments"][2]["start_fs"] == 20'000'007);
  CHECK(json["segments"][2]["kind"] == "poll");
}

}  // namespace explain_waterfall_test
