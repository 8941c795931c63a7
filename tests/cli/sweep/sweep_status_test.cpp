// SPDX-License-Identifier: Apache-2.0
// How far sweeps are, whoever runs them.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/sweep/slurm_site.hpp"

namespace sweep_status_test {

using namespace tsunagi::test;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("status tells of any sweep how far it is, also without a scheduler") {
  const SlurmSite site(R"({"name": "limit", "path": "/options/limit_simulated_time", "values": ["1 ns", "10 ms"]},
                     {"name": "seed", "path": "/options/seed", "range": {"from": 1, "to": 20, "step": 1}})");
  REQUIRE(site.does("run", {"--shard", "1/2"}).exit_code < 2);
  const std::size_t there = site.results_there();
  REQUIRE((there > 0 && there < 40));
  const json partly = site.status();
  CHECK(partly["points"]["total"] == 40);
  CHECK(partly["points"]["missing"] == 40 - there);
  CHECK(partly["points"]["running"].is_null());
  CHECK(partly["sweep"] == "s");
  CHECK(partly["folder"] == "s.results");
  REQUIRE(site.does("run").exit_code == 1);
  const Ended end = site.does("status");
  CHECK(end.exit_code == 1);
  CHECK(end.out == "state    points\ndone         20\nfailed       20\nmissing       0\ntotal        40\n");
  CHECK_THAT(end.err, Catch::Contains(") and 19 more failed: the run is not over at its limit") &&
                          Catch::Contains("--retry-failed"));
  CHECK_FALSE(fs::exists(site.slurm.at("asked")));
  CHECK_THAT(site.submit().err, Catch::StartsWith("nothing to submit: all results are there, of 40 points"));
  CHECK_THAT(site.submit({"--retry-failed"}).err, Catch::StartsWith("20 of 40 points to simulate, in "));
  CHECK_THAT(content(site.results() / "slurm/1/shard.sh"), Catch::Contains(" --retry-failed "));
}

TEST_CASE("status and submit go on where the list of jobs or a result was damaged") {
  const SlurmSite site;
  site.slurm.set("runs", "");
  REQUIRE(site.submit({"--shards", "2"}).exit_code == 0);
  fs::path damaged;
  for (const auto& entry : fs::recursive_directory_iterator(site.results() / "points"))
    if (entry.is_regular_file()) damaged = entry.path();
  fs::resize_file(damaged, 20);
  fs::resize_file(site.results() / "slurm/1/jobs", 18);
  const Ended end = site.does("status");
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.err, Catch::Contains("slurm/1/jobs:2: is no job") && Catch::Contains(" is damaged: ") &&
                          Catch::Contains("no job has the point that is missing"));
  CHECK_THAT(end.out, Catch::Contains("missing       1\n"));
  CHECK_THAT(site.submit({"--shards", "2"}).out, Catch::StartsWith("submitted array 3: 1 of 2 shards\n"));
  CHECK(site.status()["points"]["done"] == 40);
}

}  // namespace sweep_status_test
