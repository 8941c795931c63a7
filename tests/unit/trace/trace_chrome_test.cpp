// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "trace/by_packet.hpp"
#include "trace/chrome.hpp"
#include "trace/queue_length.hpp"
#include "unit/trace/trace_fixture.hpp"

namespace trace_chrome_test {

using namespace tsunagi;
using namespace tsunagi::test;
using nlohmann::json;
using trace::Trace;

namespace {

/// The events of a trace, parsed; those of one phase, if given.
std::vector<json> events(const std::string& text, const std::string& phase = "") {
  std::vector<json> found;
  const json parsed = json::parse(text);
  for (const json& e : parsed.at("traceEvents"))
    if (phase.empty() || e.at("ph") == phase) found.push_back(e);
  return found;
}

/// Every span lies inside or outside every other of its track.
bool spans_nest(const std::string& text) {
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
  for (const json& e : events(text, "X")) {
    const double begin = e.at("ts");
    tracks[{e.at("pid"), e.at("tid")}].push_back({begin, begin + e.at("dur").get<double>()});
  }
  for (const auto& [id, spans] : tracks)
    for (const auto& a : spans)
      for (const auto& b : spans)
        if (a.first < b.first && b.first < a.second && a.second < b.second) return false;
  return true;
}

/// The samples of a counter: time in us and value.
std::vector<std::pair<double, int>> samples(const std::string& text, const std::string& name, const std::string& arg) {
  std::vector<std::pair<double, int>> found;
  for (const json& e : events(text, "C"))
    if (e.at("name") == name && e.at("args").contains(arg)) found.emplace_back(e.at("ts"), e.at("args").at(arg));
  return found;
}

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

}  // namespace

TEST_CASE("trace: chrome says exactly what was told") {
  CHECK(traced("chrome", [](Trace& t) { t.hop(hop_at(3, 10_ns, 20000001_fs)); }) ==
        R"({"displayTimeUnit":"ns","otherData":{"version":"tsunagi 1.2.3"},"traceEvents":[
{"ph":"M","pid":2,"name":"process_name","args":{"name":"node0.peach2.e > node1.peach2.w"}},
{"ph":"M","pid":2,"name":"process_sort_index","args":{"sort_index":2}},
{"ph":"M","pid":2,"tid":1,"name":"thread_name","args":{"name":"packets"}},
{"ph":"M","pid":2,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":2,"tid":1,"name":"posted 256 B","ts":0.020000001,"dur":0.08,"args":{"item":3,"parent":0,"payload_bytes":256,"header_bytes":16,"framing_bytes":8}},
{"ph":"b","pid":2,"tid":1,"cat":"packet","id":"3.1","name":"posted 256 B","ts":0.01,"args":{"item":3,"parent":0,"source":0,"waited_us":0,"lacked":"nothing"}},
{"ph":"e","pid":2,"tid":1,"cat":"packet","id":"3.1","name":"posted 256 B","ts":0.105000001}
]}
)");
}

TEST_CASE("trace: chrome shows a collective call as a span around its messages") {
  const std::string text = traced("chrome", [](Trace& t) {
    t.call({3, comm::Call::Kind::send, 1, 8_B, "", 10_ns, 20_ns, 7, 1, 5});
    t.together({3, "broadcast", "binomial", 0, 5, 8, 2, 8_B, 0_ns, 50_ns});
  });
  CHECK_THAT(text, Catch::Contains(R"("tid":4,"name":"broadcast 8 B","ts":0,"dur":0.05,"args":{"algorithm":"binomial",)"
                                   R"("number":5,"ranks":8,"root":2,"bytes":8}})"));
  CHECK_THAT(text, Catch::Contains(R"("tid":4,"name":"send 8 B","ts":0.01,"dur":0.01)"));
}

TEST_CASE("trace: chrome is valid with nothing in it") {
  CHECK(events(traced("chrome", [](Trace&) {})).empty());
}

TEST_CASE("trace: chrome times are exact decimals") {
  CHECK(trace::microseconds(0_fs) == "0");
  CHECK(trace::microseconds(1_fs) == "0.000000001");
  CHECK(trace::microseconds(120_ns) == "0.12");
  CHECK(trace::microseconds(3_us) == "3");
  CHECK(trace::microseconds(1000_s + 10_fs) == "1000000000.00000001");
}

TEST_CASE("trace: chrome names processes and tracks once each, before their events") {
  std::map<std::pair<int, int>, std::string> names;
  const std::string text = traced("chrome", tell_a_message);
  for (const json& e : events(text)) {
    const int pid = e.at("pid");
    if (e.at("name") == "process_name") CHECK(names.emplace(std::pair(pid, 0), e.at("args").at("name")).second);
    if (e.at("name") == "thread_name")
      CHECK(names.emplace(std::pair(pid, e.at("tid").get<int>()), e.at("args").at("name")).second);
    if (e.at("ph") != "M") CHECK(names.count({pid, 0}) == 1);
    if (e.at("ph") == "X") CHECK(names.count({pid, e.at("tid")}) == 1);
  }
  CHECK(names == std::map<std::pair<int, int>, std::string>{{{1, 0}, "ranks"},
                                                            {{1, 1}, "rank 0"},
                                                            {{2, 0}, "node0.peach2.e > node1.peach2.w"},
                                                            {{2, 1}, "packets"},
                                                            {{2, 2}, "link layer"},
                                                            {{4, 0}, "node0.cpu.core0"}});
}

TEST_CASE("trace: chrome spans of one track nest, asynchronous ones have ids of their own") {
  const std::string text = traced("chrome", tell_a_message);
  CHECK(events(text, "X").size() == 5);
  CHECK(spans_nest(text));
  std::map<std::string, std::vector<double>> spans;
  for (const json& e : events(text))
    if (e.at("ph") == "b" || e.at("ph") == "e") spans[e.at("id")].push_back(e.at("ts"));
  CHECK(spans == std::map<std::string, std::vector<double>>{
                     {"1.1", {0, 0.01}}, {"2.2", {0.005, 0.015}}, {"3.3", {0.01, 0.105}}, {"4.4", {0.02, 0.185}}});
}

TEST_CASE("trace: chrome tells stages, calls and steps") {
  const std::string text = traced("chrome", tell_a_message);
  const std::vector<json> stages = events(text, "b");
  CHECK(stages[0].at("name") == "store");
  CHECK(stages[0].at("cat") == "node0.cpu.core0");
  CHECK(stages[1].at("name") == "pipeline");
  CHECK(stages[1].at("args") == json{{"item", 2}, {"parent", 1}, {"stage", "pipeline"}});
  const std::vector<json> spans = events(text, "X");
  CHECK(spans[3].at("name") == "ring the doorbell");
  CHECK(spans[4].at("name") == "send 512 B");
  CHECK(spans[4].at("args") == json{{"peer", 1}, {"bytes", 512}, {"method", "pio"}});
}

TEST_CASE("trace: chrome counts finite credits") {
  const std::string text = traced("chrome", [](Trace& t) {
    t.credits({0, 0, 20_ns, {31, -17}});
    t.credits({0, 1, 30_ns, {-1, -1}});
    t.credits({0, 1, 40_ns, {-1, 8}});
  });
  CHECK(samples(text, "credits posted", "headers") == std::vector<std::pair<double, int>>{{0.02, 31}});
  CHECK(samples(text, "credits posted", "data").empty());
  CHECK(samples(text, "credits completion", "data") == std::vector<std::pair<double, int>>{{0.04, 8}});
  CHECK(events(text, "C").size() == 2);
}

TEST_CASE("trace: chrome counts the packets that wait") {
  const std::string text = traced("chrome", [](Trace& t) {
    for (const auto& [ready, granted] : {std::pair{0_ns, 0_ns}, {10_ns, 80_ns}, {5_ns, 160_ns}, {200_ns, 240_ns}}) {
      net::Hop h = hop_at(1, granted, granted);
      h.ready = {ready, ready};
      t.hop(h);
    }
  });
  CHECK(samples(text, "waiting", "packets") ==
        std::vector<std::pair<double, int>>{{0.005, 1}, {0.01, 2}, {0.08, 1}, {0.16, 0}, {0.2, 1}, {0.24, 0}});
}

TEST_CASE("trace: chrome holds back a bounded number of waits") {
  trace::QueueLength queue;
  Time last;
  std::int64_t told = 0;
  std::int64_t waiting = 0;
  const auto tell = [&](Time when, std::int64_t n) {
    CHECK(when >= last);
    CHECK(n >= 0);
    last = when;
    waiting = n;
    ++told;
  };
  for (int i = 1; i <= 10000; ++i) queue.waited(i * 10_ns - 5_ns, i * 10_ns, tell);
  CHECK(told >= 19000);
  queue.waited(1_ns, 100001_ns, tell);  // came before all of them
  queue.finish(tell);
  CHECK(last == 100001_ns);
  CHECK(waiting == 0);
}

TEST_CASE("trace: who waits is counted as if all changes of a time were one") {
  using Told = std::vector<std::pair<Time, std::int64_t>>;
  const auto told_of = [](const std::vector<std::pair<Time, Time>>& waits) {
    trace::QueueLength queue;
    Told told;
    const auto tell = [&](Time when, std::int64_t n) { told.emplace_back(when, n); };
    for (const auto& [ready, granted] : waits) queue.waited(ready, granted, tell);
    queue.finish(tell);
    return told;
  };
  // One goes as the next one comes, two come together, one that waits no time.
  CHECK(told_of({{0_ns, 10_ns}, {10_ns, 20_ns}, {20_ns, 20_ns}, {5_ns, 30_ns}, {5_ns, 40_ns}}) ==
        Told{{0_ns, 1}, {5_ns, 3}, {20_ns, 2}, {30_ns, 1}, {40_ns, 0}});
  // Waits of any lengths, in the order of their ends, against a count of every nanosecond.
  std::vector<std::pair<Time, Time>> waits;
  std::vector<std::int64_t> waiting(701);
  std::uint32_t random = 1;
  for (int end = 1; end <= 600; end += static_cast<int>(random >> 30)) {
    random = random * 1664525 + 1013904223;
    const int begin = std::max(0, end - static_cast<int>(random >> 8) % 40);
    waits.emplace_back(begin * 1_ns, end * 1_ns);
    for (int t = begin; t < end; ++t) ++waiting[static_cast<std::size_t>(t)];
    if (waits.size() == 250) break;  // fewer changes than are held back
  }
  const Told told = told_of(waits);
  std::int64_t now = 0;
  auto next = told.begin();
  for (int t = 0; t <= 700; ++t) {
    if (next != told.end() && next->first == t * 1_ns) now = next++->second;
    REQUIRE(now == waiting[static_cast<std::size_t>(t)]);
  }
  CHECK(next == told.end());
}

TEST_CASE("trace: what is made of packets is kept by class and payload, of the last sixteen kinds at least") {
  trace::ByPacket<std::string> names;
  int made = 0;
  const auto name = [&](int flow_class, int payload) {
    return names.of(static_cast<flow::FlowClass>(flow_class), Bytes(payload), [&] {
      ++made;
      return std::to_string(flow_class) + "/" + std::to_string(payload);
    });
  };
  for (int round = 0; round < 2; ++round)
    for (const int flow_class : {0, 1})
      for (int payload = 0; payload < 8; ++payload)
        CHECK(name(flow_class, payload) == std::to_string(flow_class) + "/" + std::to_string(payload));
  CHECK(made == 16);
  for (int payload = 8; payload < 100; ++payload) CHECK(name(2, payload) == "2/" + std::to_string(payload));
  CHECK(name(0, 3) == "0/3");
  CHECK(name(2, 99) == "2/99");
  CHECK(made == 16 + 92 + 1);
}

TEST_CASE("trace: chrome escapes names") {
  static const std::string place = "a \"b\"\\\n";
  const std::string text = traced("chrome", [](Trace& t) { t.stage({1, 0, net::Stage::tag, "x", place, 0_ns, 1_ns}); });
  CHECK(events(text, "b").at(0).at("cat") == place);
}

TEST_CASE("trace: chrome keeps to the selection") {
  const auto number_of = [](const trace::Selection& s) {
    std::map<std::string, int> count;
    for (const json& e : events(traced("chrome", tell_a_message, s))) ++count[e.at("ph")];
    count.erase("M");
    return count;
  };
  using Count = std::map<std::string, int>;
  CHECK(number_of(trace::Selection("")) == Count{{"X", 5}, {"b", 4}, {"e", 4}, {"C", 1}});
  CHECK(number_of(trace::Selection("rank*")) == Count{{"X", 2}});
  CHECK(number_of(trace::Selection("*core0")) == Count{{"b", 2}, {"e", 2}});
  CHECK(number_of(trace::Selection("node1*")) == Count{});
  CHECK(number_of(trace::Selection("", 101_ns, 1_us)) == Count{{"X", 2}, {"b", 2}, {"e", 2}});
}

TEST_CASE("trace: chrome is valid whatever its limit") {
  const std::string whole = traced("chrome", tell_a_message);
  const std::size_t all = events(whole).size();
  for (std::size_t limit = 1; limit < whole.size() - 5; limit += 7) {
    const std::string text = traced("chrome", tell_a_message, {}, Bytes(static_cast<std::int64_t>(limit)));
    const std::vector<json> some = events(text);
    CHECK(some.size() < all);
    CHECK(events(text, "b").size() == events(text, "e").size());
    CHECK(text.size() <= std::max<std::size_t>(limit, 100) + 4);
  }
}

}  // namespace trace_chrome_test
