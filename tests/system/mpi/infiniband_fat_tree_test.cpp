// SPDX-License-Identifier: Apache-2.0
// What host channel adapters get through a fat-tree of switches, against the fullest wire on their routes.
#include <stdexcept>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "system/simulated.hpp"

namespace infiniband_fat_tree_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr const char* run = "ib_traffic";

/// Shares of what a rank can send when it meets nobody.
struct Got {
  double mean = 0;
  double least = 0;  // of a rank
  double bound = 0;
};

/// All ranks offer more than they can send.
Got got(const std::string& pattern, int distance, const std::string& size, const Overrides& more = {}) {
  Overrides all = {{"/scenario/pattern", "\"" + pattern + "\""}, {"/scenario/distance", std::to_string(distance)},
                   {"/scenario/size", "\"" + size + "\""},       {"/scenario/loads", R"(["150 %"])"},
                   {"/scenario/window", "\"400 us\""},           {"/scenario/warm_up", "\"200 us\""}};
  all.insert(all.end(), more.begin(), more.end());
  const report::Rows rows = rows_of(run, all);
  const report::Row& row = rows.rows.front();
  // FDR 4x carries 6.818 GB/s; 2,048 B take 28 more, the first packet of a write 16 more than others.
  const double n = size == "64 KiB" ? 65536 : 1048576, packets = n / 2048;
  const double alone = 56.25e9 * 64 / 66 / 8 * n / (n + 28 * packets + 16);
  const auto share = [&](Bytes came) {
    return static_cast<double>(came.count()) / (static_cast<double>(cell<Time>(row, "window").fs()) * 1e-15) / alone;
  };
  const report::ServiceAccount& ranks = *row.accounts()->accepted;
  return {share(ranks.mean), share(ranks.least.bytes),
          static_cast<double>(cell<std::int64_t>(row, "bound_ppm")) * 1e-6};
}

/// Messages of 64 KiB that are counted when their last byte comes: one more or less a rank and window.
constexpr double edge = 65536 / (400e-6 * 6.7e9);

}  // namespace

TEST_CASE("InfiniBand: shifts on a full fat-tree come within 3 % of the injection rate") {
  for (const int distance : {1, 4, 5, 11, 15}) {
    CAPTURE(distance);
    const Got g = got("shift", distance, "64 KiB");
    CHECK(g.bound == 1);
    CHECK(g.mean > 0.97);
    CHECK(g.mean < 1 + edge);
  }
}

TEST_CASE("InfiniBand: with no pattern all ranks get more than the fullest wire on the routes lets through") {
  for (const std::string pattern : {"permutation", "bit_complement", "tornado", "incast", "hotspot"}) {
    CAPTURE(pattern);
    // Short queues: a rank does not go on long before what it waits for has been let through.
    const Got g = got(pattern, 1, "64 KiB", {{"/library/depth", "2"}});
    CHECK(g.least < g.bound + edge);
    CHECK(g.mean > g.bound * 0.7);
  }
}

TEST_CASE("InfiniBand: a tapered fat-tree carries what its upper links do") {
  const Got g = got("shift", 8, "64 KiB", {{"/machine/topology/taper", "[2]"}});
  CHECK(g.bound == Approx(0.5));
  CHECK(g.mean < g.bound + edge);
  CHECK(g.mean > g.bound * 0.97);
}

TEST_CASE("InfiniBand: traffic is the same with trains and without") {
  const auto digest = [](const std::string& max_train) {
    return report::digest(rows_of(run, {{"/options/max_train", max_train},
                                        {"/scenario/pattern", "\"uniform\""},
                                        {"/scenario/loads", R"(["60 %"])"},
                                        {"/scenario/size", "\"5 KiB\""},
                                        {"/scenario/warm_up", "\"20 us\""},
                                        {"/scenario/window", "\"60 us\""}}));
  };
  CHECK(digest("1") == digest("64"));
}

TEST_CASE("InfiniBand: latency of traffic at low load is that of a write alone, and of the switches between") {
  const report::Rows rows = rows_of(
      run, {{"/scenario/size", "\"8 B\""}, {"/scenario/loads", R"(["0.02 %"])"}, {"/scenario/window", "\"2 ms\""}});
  const Time mean = cell<Time>(rows.rows.front(), "mean");
  CHECK(mean > 1_us);
  CHECK(mean < 2_us);
}

TEST_CASE("InfiniBand: a message of traffic is there with its last byte") {
  const report::Rows rows = rows_of(run, {{"/scenario/loads", R"(["1 %"])"}, {"/scenario/window", "\"2 ms\""}});
  // 64 KiB are 32 packets of 2,048 B and 28 around them, at 6.818 GB/s; they cross a switch each as they come.
  const Time wire = Time::from_fs(32 * 2076 * 146'666LL);
  CHECK(cell<Time>(rows.rows.front(), "p50") > wire);
  CHECK(cell<Time>(rows.rows.front(), "p50") < wire + 5_us);
}

TEST_CASE("InfiniBand: a rank has as many messages under way as a send queue holds") {
  const auto accepted = [](const std::string& depth) {
    const report::Rows rows = rows_of(run, {{"/library/depth", depth},
                                            {"/scenario/size", "\"8 B\""},
                                            {"/scenario/loads", R"(["2 %"])"},  // 10 messages a us, too many
                                            {"/scenario/warm_up", "\"20 us\""},
                                            {"/scenario/window", "\"100 us\""}});
    return static_cast<double>(cell<Bytes>(rows.rows.front(), "accepted").count());
  };
  const double one = accepted("1"), two = accepted("2"), four = accepted("4");
  // Of one under way: a write of 1 us and its acknowledgement, each through one or three switches of 0.2 us, the entry
  // and what the core does: 1.5 to 3.5 us.
  CHECK(one > 16 * 8 * (100 / 3.5));
  CHECK(one < 16 * 8 * (100 / 1.5));
  CHECK(two > one * 1.5);
  CHECK(two < one * 2.1);
  CHECK(four > two * 1.75);
  CHECK(four < two * 2.1);
}

TEST_CASE("InfiniBand: the bound is that of the slowest part on the way") {
  const auto bound = [](const Overrides& more) {
    Overrides all = {{"/scenario/loads", R"(["10 %"])"}, {"/scenario/window", "\"20 us\""}};
    all.insert(all.end(), more.begin(), more.end());
    return static_cast<double>(cell<std::int64_t>(rows_of(run, all).rows.front(), "bound_ppm")) * 1e-6;
  };
  const config::Override fast = {"/machine/topology/terminal_wire", R"({"kind": "infiniband", "speed": "fdr"})"};
  const config::Override slow = {"/machine/topology/terminal_wire", R"({"kind": "infiniband", "speed": "qdr"})"};
  // QDR carries 4 GB/s, FDR 56.25 x 64/66 / 8.
  CHECK(bound({fast, {"/machine/topology/wire/speed", "\"qdr\""}}) == Approx(4 / (56.25 * 64 / 66 / 8)).epsilon(1e-5));
  CHECK(bound({slow}) == 1);
  // A slot slower than all wires.
  CHECK(bound({{"/machine/topology/node/links/2/wire/lanes", "4"}}) == 1);
}

}  // namespace infiniband_fat_tree_test
