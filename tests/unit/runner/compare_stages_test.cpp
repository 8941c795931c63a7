// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "compare/stages.hpp"
#include "support/catch.hpp"

namespace compare_stages_test {

using namespace tsunagi::compare;
using nlohmann::ordered_json;

namespace {

ordered_json message(const char* segments, int latency, const char* method = "") {
  return {{"from", 0},
          {"to", 1},
          {"size_bytes", 8},
          {"method", method},
          {"latency_fs", latency},
          {"segments", ordered_json::parse(segments)}};
}

std::int64_t sum(const StageDifference& d, bool of_b) {
  return std::accumulate(d.stages.begin(), d.stages.end(), std::int64_t{0},
                         [&](std::int64_t s, const StageTimes& t) { return s + (of_b ? t.b : t.a); });
}

const ordered_json before = message(R"([{"device": "chip", "stage": "route", "duration_fs": 10},
  {"device": "wire", "stage": "flight", "duration_fs": 5}, {"device": "chip", "stage": "route", "duration_fs": 10},
  {"device": "host", "stage": "poll", "duration_fs": 7}])",
                                    32);
const ordered_json after = message(R"([{"device": "chip", "stage": "route", "duration_fs": 12},
  {"device": "wire", "stage": "flight", "duration_fs": 5}, {"device": "gpu", "stage": "read", "duration_fs": 100}])",
                                   117);

}  // namespace

TEST_CASE("the stages of two messages sum to their latencies, each stage of a device once") {
  const auto all = stage_differences(before, after);
  REQUIRE(all.size() == 1);
  const StageDifference& d = all[0];
  CHECK(d.a == 32);
  CHECK(d.b == 117);
  CHECK(sum(d, false) == 32);
  CHECK(sum(d, true) == 117);
  REQUIRE(d.stages.size() == 4);
  CHECK(d.stages[0].a == 20);
  CHECK(d.stages[0].b == 12);
  CHECK(text(d) ==
        "8 B from rank 0 to rank 1:\n"
        "                   A       B  difference\n"
        "gpu: read          -  100 fs     +100 fs\n"
        "chip: route    20 fs   12 fs       -8 fs\n"
        "host: poll      7 fs       -       -7 fs\n"
        "1 other stage   5 fs    5 fs           0\n"
        "in all         32 fs  117 fs      +85 fs\n");
  CHECK(to_json(d)["stages"][0]["difference_fs"] == -8);
}

TEST_CASE("of what ranks did together the path is told, what its legs do not say included, and its longest message") {
  const auto path = [](int duration, int part) {
    return ordered_json{{"name", "allreduce"},
                        {"algorithm", "ring"},
                        {"ranks", 4},
                        {"duration_fs", duration},
                        {"critical_path",
                         {{{"kind", "message"}, {"duration_fs", duration - 3}, {"parts_fs", {{"wires", part}}}},
                          {{"kind", "late"}, {"duration_fs", 3}, {"parts_fs", ordered_json::object()}}}},
                        {"longest_message", before}};
  };
  const auto all = stage_differences(path(20, 15), path(30, 27));
  REQUIRE(all.size() == 2);
  CHECK(all[0].what == "allreduce by ring of 4 ranks");
  CHECK(sum(all[0], false) == 20);
  CHECK(sum(all[0], true) == 30);
  CHECK_FALSE(all[1].moved());
  CHECK(all[1].what == "the longest message on it, 8 B from rank 0 to rank 1");
}

TEST_CASE("ways of different length are told by kinds of devices, with the hops between") {
  const auto way = [](int routers) {
    ordered_json all = ordered_json::array();
    const auto add = [&](const std::string& device, const char* stage, int fs) {
      all.push_back({{"device", device}, {"stage", stage}, {"duration_fs", fs}});
    };
    for (int r = 0; r < routers; ++r) {
      add("router" + std::to_string(r), "receive pipeline", 3);
      add("router" + std::to_string(r) + ".d+ > router" + std::to_string(r + 1) + ".d-", "flight", 5);
    }
    add("terminal7", "receive pipeline", 1);
    return message(all.dump().c_str(), 8 * routers + 1);
  };
  const StageDifference d = stage_differences(way(9), way(3))[0];
  CHECK(sum(d, false) == 73);
  CHECK(sum(d, true) == 25);
  CHECK(text(d) ==
        "8 B from rank 0 to rank 1:\n"
        "                                            A      B  difference\n"
        "router > router: flight, 9 -> 3 times   45 fs  15 fs      -30 fs\n"
        "router: receive pipeline, 9 -> 3 times  27 fs   9 fs      -18 fs\n"
        "1 other stage                            1 fs   1 fs           0\n"
        "in all                                  73 fs  25 fs      -48 fs\n"
        "6 fewer hops of 8 fs (9 -> 3 wires)\n");
  CHECK(to_json(d)["stages"][0]["a_times"] == 9);
}

TEST_CASE("the longest messages of two paths are compared only if they are of the same ranks and size") {
  const auto path = [](const ordered_json& longest, int times) {
    return ordered_json{
        {"name", "broadcast"},
        {"algorithm", ""},
        {"ranks", 4},
        {"duration_fs", 5 * times},
        {"critical_path",
         ordered_json::array(
             {{{"kind", "message"}, {"duration_fs", 5 * times}, {"parts_fs", {{"wires", 5 * times}}}}})},
        {"stages", ordered_json::array({{{"stage", "flight"}, {"times", times}, {"duration_fs", 5 * times}}})},
        {"longest_message", longest}};
  };
  ordered_json other = before;
  other["to"] = 3;
  const auto all = stage_differences(path(before, 4), path(other, 2));
  REQUIRE(all.size() == 2);
  CHECK(text(all[1]) ==
        "the stages of the messages on it:\n"
        "                          A      B  difference\n"
        "flight, 4 -> 2 times  20 fs  10 fs      -10 fs\n"
        "in all                20 fs  10 fs      -10 fs\n");
  CHECK(stage_differences(path(before, 4), path(before, 2)).size() == 3);
}

TEST_CASE("what is not alike is told of both, and wires alone explain no message") {
  CHECK(stage_differences(before, message("[]", 0, "dma"))[0].what ==
        "8 B from rank 0 to rank 1; in B 8 B from rank 0 to rank 1 by dma");
  CHECK(stage_differences(before, ordered_json{{"wires", ordered_json::array()}}).empty());
}

}  // namespace compare_stages_test
