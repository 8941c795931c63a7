// SPDX-License-Identifier: Apache-2.0
// Library mpi on two cards that are cabled to each other, and on 16 at a fat-tree.
#include <map>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace mpi_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr const char* run = "mpi_latency";

report::Rows rows(const std::string& test, const std::string& sizes, Overrides more = {}) {
  Overrides all = {{"/scenario/test", "\"" + test + "\""}, {"/scenario/sizes", sizes}};
  all.insert(all.end(), more.begin(), more.end());
  return rows_of(run, all);
}

/// Latencies by size in bytes.
std::map<std::int64_t, Time> latencies(const std::string& sizes, const Overrides& more = {}) {
  std::map<std::int64_t, Time> out;
  for (const report::Row& row : rows("latency", sizes, more).rows)
    out[cell<Bytes>(row, "size").count()] = cell<Time>(row, "latency");
  return out;
}

std::int64_t copies(const report::Row& row) {
  REQUIRE(row.accounts() != nullptr);
  return row.accounts()->by_core.copies;
}

/// Of a step, in a row of that size.
const report::StepAccount* step(const std::string& size, const std::string& name, const Overrides& more = {}) {
  static report::Rows kept;
  kept = rows("latency", "[\"" + size + "\"]", more);
  REQUIRE(kept.rows.front().accounts() != nullptr);
  return kept.rows.front().accounts()->find(name);
}

}  // namespace

TEST_CASE(
    "mpi: short messages go by slots, longer ones by the shared receive queue, those beyond the limit by a write") {
  // 5,120 B less two words and a header of 48.
  CHECK(step("5056 B", "poll a slot") != nullptr);
  CHECK(step("5056 B", "poll a receive's completion") == nullptr);
  CHECK(step("5057 B", "poll a slot") == nullptr);
  CHECK(step("5057 B", "poll a receive's completion") != nullptr);
  CHECK(step("17360 B", "post the write") == nullptr);
  CHECK(step("17361 B", "post the write") != nullptr);
}

TEST_CASE("mpi: a peer's slots are polled when it has sent some messages") {
  const Overrides few = {{"/scenario/warm_up", "0"}, {"/scenario/iterations", "10"}};
  CHECK(step("8 B", "poll a slot", few) == nullptr);
  const Overrides more = {{"/scenario/warm_up", "0"}, {"/scenario/iterations", "12"}};
  const report::StepAccount* s = step("8 B", "poll a slot", more);
  REQUIRE(s != nullptr);
  CHECK(s->calls == 4);  // two messages of each rank
  CHECK(step("8 B", "poll a slot", {{"/library/fast_path/slots", "0"}}) == nullptr);
  const Overrides first = {
      {"/scenario/warm_up", "0"}, {"/scenario/iterations", "1"}, {"/library/fast_path/after", "0"}};
  CHECK(step("8 B", "poll a slot", first)->calls == 2);
}

TEST_CASE("mpi: an eager message is copied twice, a longer one never") {
  for (const auto& [size, each] : {std::pair{"8 B", 2}, std::pair{"8 KiB", 2}, std::pair{"64 KiB", 0}}) {
    CAPTURE(size);
    const report::Rows r = rows("latency", std::string("[\"") + size + "\"]");
    CHECK(copies(r.rows.front()) == 2 * each * cell<std::int64_t>(r.rows.front(), "iterations"));
  }
}

TEST_CASE("mpi: a header that repeats the last one is a word") {
  // Inline up to 168 B: 8 and 8 of the slot's words and 8 of the header, or 48.
  const auto with = latencies(R"(["140 B", "144 B", "148 B"])");
  CHECK(with.at(148) - with.at(144) > 400_ns);
  CHECK(with.at(144) - with.at(140) < 50_ns);
  const auto without = latencies(R"(["100 B", "104 B", "108 B"])", {{"/library/repeated_limit", "\"0 B\""}});
  CHECK(without.at(108) - without.at(104) > 400_ns);
  CHECK(without.at(104) - without.at(100) < 50_ns);
}

TEST_CASE("mpi: memory is registered once") {
  const Overrides first = {{"/scenario/large_warm_up", "0"}, {"/scenario/large_iterations", "3"}};
  const report::StepAccount* s = step("64 KiB", "register memory", first);
  REQUIRE(s != nullptr);
  // Each rank what it sends from and what it receives into, 16 pages each.
  CHECK(s->calls == 4);
  CHECK(s->total == (40_us + 220_ns * 16) * 4);
  CHECK(step("8 KiB", "register memory") == nullptr);
}

TEST_CASE("mpi: a sender without slots goes on by the other way, and is told when they are free again") {
  for (const std::string slots : {"1", "2", "3", "16"}) {
    CAPTURE(slots);
    const report::Row row = rows("bw", R"(["64 B"])", {{"/library/fast_path/slots", slots}}).rows.front();
    CHECK(cell<Time>(row, "per_message") < 1_us);
  }
}

TEST_CASE("mpi: that slots are free is not answered by that slots are free") {
  // Of one slot or two each that is given back is told of, by a message in a slot.
  for (const std::string slots : {"1", "2"}) {
    CAPTURE(slots);
    const Overrides all = {
        {"/library/fast_path/slots", slots},
        {"/library/fast_path/after", "0"},
        {"/scenario", R"({"kind": "all_to_all", "by": "messages", "sizes": ["64 B"], "iterations": 1, "warm_up": 0})"}};
    const report::Row row = rows_of("mpi_allreduce", all).rows.front();
    REQUIRE(row.accounts() != nullptr);
    // Bruck: four messages of a rank, each of which is told of once at most.
    const report::StepAccount* cleared = row.accounts()->find("clear the slot");
    REQUIRE(cleared != nullptr);
    CHECK(cleared->calls <= 16 * 4 * 2);
  }
}

TEST_CASE("mpi: long messages over a window come near the link, both ways at once") {
  for (const auto& [test, least] : {std::pair{"bw", 0.98}, std::pair{"bibw", 1.9}}) {
    const report::Row row =
        rows(test, R"(["1 MiB"])",
             {{"/scenario/window", "16"}, {"/scenario/large_iterations", "2"}, {"/scenario/large_warm_up", "1"}})
            .rows.front();
    const double rate = static_cast<double>(cell<Bytes>(row, "bytes").count()) /
                        (static_cast<double>(cell<Time>(row, "time").fs()) * 1e-15);
    CHECK(rate > 4.93e9 * least);
    CHECK(rate < 2 * 5e9 * 2048 / 2076);
  }
}

TEST_CASE("mpi: the same with trains and without") {
  for (const std::string test : {"latency", "bw", "bibw"}) {
    CAPTURE(test);
    const auto digest = [&](const std::string& max_train) {
      return report::digest(
          rows(test, R"(["1 B", "300 B", "5050 B", "9000 B", "64 KiB"])", {{"/options/max_train", max_train}}));
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("mpi: the same with trains and without where receives are short and packets are refused") {
  // Packets wait in the card until it knows that no receive is posted: until then they take buffer space.
  const std::string scenario =
      R"({"kind": "all_to_all", "ranks": 6, "by": "messages", "sizes": ["1000 B", "17000 B"], "iterations": 1,
          "warm_up": 1})";
  const auto digest = [&](const std::string& max_train) {
    return report::digest(rows_of("mpi_allreduce", {{"/library/receives", "2"},
                                                    {"/library/depth", "2"},
                                                    {"/library/inline_limit", "\"0 B\""},
                                                    {"/options/max_train", max_train},
                                                    {"/scenario", scenario}}));
  };
  CHECK(digest("1") == digest("64"));
}

TEST_CASE("mpi: every scenario of two-sided messages runs on it") {
  const std::string library = R"({"$use": "../parts/mvapich2_1_9b.json"})";
  CHECK(rows_of("mpi_latency", {{"/scenario", R"({"kind": "ping_pong", "sizes": ["8 B", "64 KiB"]})"}}).rows.size() ==
        2);
  CHECK(rows_of("mpi_latency", {{"/scenario", R"({"kind": "stream", "sizes": ["64 KiB"]})"}}).rows.size() == 1);
  CHECK(rows_of("mpi_latency", {{"/scenario", R"({"kind": "random_pairs", "sizes": ["4 KiB"]})"}}).rows.size() == 1);
}

TEST_CASE("mpi: what does not fit is refused before time 0") {
  CHECK_THAT(refusal(run, {{"/library/eager_limit", "\"17361 B\""}}),
             Catch::Contains("do not fit a \"buffer\" of 17 KiB"));
  CHECK_THAT(refusal(run, {{"/library/rails", R"(["hca.port2"])"}}), Catch::Contains("hca has 1 port"));
  CHECK_THAT(refusal(run, {{"/library/header", "\"50 B\""}}), Catch::Contains("whole words of 8 B"));
  CHECK_THAT(refusal(run, {{"/scenario", R"({"kind": "ping_pong", "source": "gpu0"})"}}),
             Catch::Contains("library mpi moves host memory, not \"gpu0\""));
  CHECK_THAT(refusal(run, {{"/scenario", R"({"kind": "get"})"}}), Catch::Contains("reads nothing from other ranks"));
  CHECK_THAT(refusal(run, {{"/scenario", R"({"kind": "traffic", "loads": ["10 %"]})"}}),
             Catch::Contains("non-blocking"));
}

TEST_CASE("mpi: collectives go by the tables of the version") {
  const auto taken = [](const std::string& kind, const std::string& sizes, const Overrides& more = {}) {
    Overrides all = {
        {"/scenario", R"({"kind": ")" + kind + R"(", "iterations": 1, "warm_up": 0, "sizes": )" + sizes + "}"}};
    all.insert(all.end(), more.begin(), more.end());
    std::vector<std::string> out;
    for (const report::Row& row : rows_of("mpi_allreduce", all).rows)
      out.push_back(cell<std::string>(row, "algorithm"));
    return out;
  };
  using Names = std::vector<std::string>;
  CHECK(taken("broadcast", R"(["8 KiB", "8193 B"])") == Names{"binomial", "knomial"});
  CHECK(taken("all_to_all", R"(["2 KiB", "2049 B"])", {{"/scenario/by", "\"messages\""}}) ==
        Names{"bruck", "scattered"});
  CHECK(taken("all_to_all", R"(["8 B"])", {{"/scenario/by", "\"messages\""}, {"/scenario/ranks", "8"}}) ==
        Names{"scattered"});
  CHECK(taken("broadcast", R"(["64 KiB"])", {{"/library/collectives/broadcast", "[]"}}) == Names{"scatter_allgather"});
}

}  // namespace mpi_test
