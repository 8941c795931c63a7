// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <map>

#include "runner/stream.hpp"
#include "support/catch.hpp"
#include "sweep/results/progress.hpp"
#include "unit/sweep/sweep_fixture.hpp"

namespace sweep_run_test {

using namespace tsunagi;
using namespace tsunagi::test;
using sweep::MemoryResults;
using sweep::Orders;
using sweep::Tally;

namespace {

/// Results that count how often each point was kept.
class CountingResults final : public sweep::Results {
 public:
  std::optional<sweep::Result> find(const std::string& id) const override { return memory.find(id); }
  bool keep(const sweep::Result& result) override {
    ++kept[result.id];
    return memory.keep(result);
  }
  MemoryResults memory;
  std::map<std::string, int> kept;
};

Orders two_jobs() {
  Orders orders;
  orders.runner.jobs = 2;
  return orders;
}

}  // namespace

TEST_CASE("a sweep simulates each point once, equal ones too") {
  CountingResults results;
  const Tally tally = run(fake_points({"a", "bb", "a", "ccc", "bb"}), results, fake_sweep_simulate, two_jobs());
  CHECK(tally.done == 3);
  CHECK(tally.skipped == 2);
  CHECK(tally.failed == 0);
  CHECK(tally.left == 0);
  CHECK(results.kept.size() == 3);
  for (const auto& [id, times] : results.kept) CHECK(times == 1);
  const auto bb = results.find(id_of("bb"));
  REQUIRE(bb);
  CHECK(bb->ok);
  CHECK(std::get<Time>(*bb->rows.rows.at(0).find("latency")) == 2_ns);
  CHECK(bb->coordinates.at(0).value == "bb");
  CHECK(bb->cost.packet_hops == 2);
}

TEST_CASE("what is there is skipped, what failed is repeated on demand only") {
  CountingResults results;
  run(fake_points({"a", "throw"}), results, fake_sweep_simulate, two_jobs());
  const Tally again = run(fake_points({"a", "throw", "b"}), results, fake_sweep_simulate, two_jobs());
  CHECK(again.done == 1);
  CHECK(again.failed == 1);
  CHECK(again.skipped == 1);
  CHECK(results.kept[id_of("throw")] == 1);
  Orders retry = two_jobs();
  retry.retry_failed = true;
  CHECK(run(fake_points({"a", "throw", "throw"}), results, fake_sweep_simulate, retry).failed == 1);
  CHECK(results.kept[id_of("throw")] == 2);
  CHECK(results.find(id_of("throw"))->messages.front() == "rank 0 waits for rank 1");
}

TEST_CASE("a point whose config cannot be read fails alone") {
  sweep::MemoryResults results;
  sweep::Points points = fake_points({"a", "b", "c"});
  const auto good = points.config;
  points.config = [good](sweep::Point point) {
    if (point.coordinates[0].value == "b") point.overrides.push_back({"/scenario/size", "\"8 lightyears\""});
    return good(point);
  };
  const Tally tally = run(points, results, fake_sweep_simulate, two_jobs());
  CHECK(tally.done == 2);
  CHECK(tally.failed == 1);
  CHECK_THAT(results.find(id_of("b"))->messages.at(0),
             Catch::Contains("/scenario/size") && Catch::Contains("lightyears"));
}

// Only what never ends by itself stands under a limit of wall time: anything else might pass it on a loaded machine.
TEST_CASE("a point that takes too long is stopped") {
  sweep::MemoryResults results;
  Orders orders = two_jobs();
  orders.runner.limit_wall_s = 0.2;
  const Tally tally = run(fake_points({"sleep"}), results, fake_sweep_simulate, orders);
  CHECK(tally.failed == 1);
  CHECK_THAT(results.find(id_of("sleep"))->messages.at(0), Catch::Contains("longer than 0.2 s and was stopped"));
}

TEST_CASE("a point that takes too much memory is stopped, and only that one") {
  sweep::MemoryResults results;
  Orders orders = two_jobs();
  orders.runner.limit_memory = 128_MiB;
  const Tally tally = run(fake_points({"grow", "a"}), results, fake_sweep_simulate, orders);
  CHECK(tally.failed == 1);
  CHECK(tally.done == 1);
  CHECK(results.find(id_of("grow"))->messages.at(0) == "the simulation used more than 128 MiB and was stopped");
}

TEST_CASE("the limit of simulated time replaces that of the points") {
  sweep::MemoryResults results;
  Orders orders = two_jobs();
  orders.limit_simulated_time = 7_ns;
  run(fake_points({"limit"}), results, fake_sweep_simulate, orders);
  CHECK(results.find(id_of("limit"))->messages.at(0) == "limit 7000000");
}

TEST_CASE("shards share the points out by id") {
  std::vector<std::string> values;
  for (int i = 0; i < 30; ++i) values.push_back("p" + std::to_string(i));
  MemoryResults together;
  std::size_t done = 0;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    Orders orders = two_jobs();
    orders.shard = {number, 3};
    const Tally tally = run(fake_points(values), together, fake_sweep_simulate, orders);
    CHECK(tally.done > 0);
    CHECK(tally.done < values.size());
    CHECK(tally.skipped == 0);
    done += tally.done;
  }
  CHECK(done == values.size());
  CHECK(run(fake_points(values), together, fake_sweep_simulate, two_jobs()).skipped == values.size());
}

TEST_CASE("Ctrl-C keeps what had ended and leaves the rest") {
  sweep::MemoryResults results;
  Orders orders;
  orders.progress = [](const Tally& tally) {
    if (tally.done == 2) ::raise(SIGINT);
  };
  const Tally tally = run(fake_points({"a", "b", "sleep", "c"}), results, fake_sweep_simulate, orders);
  CHECK(tally.interrupted);
  CHECK(tally.done == 2);
  CHECK(tally.left == 2);
  CHECK_FALSE(results.find(id_of("sleep")));
}

TEST_CASE("what cannot be kept ends the sweep") {
  class FullDisk final : public sweep::Results {
    std::optional<sweep::Result> find(const std::string&) const override { return std::nullopt; }
    bool keep(const sweep::Result&) override {
      throw std::system_error(ENOSPC, std::generic_category(), "cannot write");
    }
  } results;
  CHECK_THROWS_AS(run(fake_points({"a", "sleep"}), results, fake_sweep_simulate, two_jobs()), std::system_error);
}

TEST_CASE("in memory, too, the first good result of a point stays") {
  sweep::MemoryResults results;
  const auto result = [](bool ok, const std::string& message) {
    sweep::Result out;
    out.id = id_of("a");
    out.ok = ok;
    out.messages = {message};
    return out;
  };
  CHECK(results.keep(result(false, "failed")));
  CHECK(results.keep(result(true, "first")));
  CHECK_FALSE(results.keep(result(true, "second")));
  CHECK_FALSE(results.keep(result(false, "failed again")));
  CHECK(results.find(id_of("a"))->messages.front() == "first");
}

TEST_CASE("progress and its end are told in one line each") {
  Tally tally{498, 2, 0, 500};
  CHECK(sweep::progress_line(tally, 50, 1) == "[############............] 500/1000, 2 failed, 10.0/s, 0:50 left");
  CHECK(sweep::summary_line(tally) == "1000 points: 498 done, 2 failed, 0 skipped, 500 left");
  CHECK(sweep::summary_line({1, 0, 0, 0}) == "1 point: 1 done, 0 failed, 0 skipped");
  CHECK_THAT(sweep::progress_line({0, 0, 0, 0}, 0, 1), Catch::Contains("0/0"));
}

}  // namespace sweep_run_test
