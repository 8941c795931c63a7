// SPDX-License-Identifier: Apache-2.0
// Sweeps as jobs of Slurm, whose commands are scripts of ours here; tests/slurm has the real ones.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/sweep/slurm_site.hpp"

namespace sweep_submit_test {

using namespace tsunagi::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// The numbers of the tasks in the words of an sbatch: "--array=...".
std::string array_of(const std::string& call) {
  const auto begin = call.find("--array=");
  return begin == std::string::npos ? "" : call.substr(begin + 8, call.find('\n', begin) - begin - 8);
}

}  // namespace

TEST_CASE("submit: tasks and collector make the table that the sweep makes alone") {
  const SlurmSite site;
  site.slurm.set("runs", "");
  const Ended end = site.submit({"--shards", "4"});
  CHECK(end.exit_code == 0);
  CHECK(end.out == "submitted array 1: 4 of 4 shards\nsubmitted collector 2\n");
  CHECK(end.err == "40 of 40 points to simulate, in 4 of 4 shards\nthe collector will write " +
                       (site.results() / "results.csv").string() + "\nhow far they are: tsunagi sweep status s.json\n");
  CHECK(array_of(site.slurm.call(1)) == "1-4");
  CHECK_THAT(site.slurm.call(2), Catch::Contains("\n--dependency=afterany:1\n"));
  CHECK(site.results_there() == 40);
  CHECK(content(site.results() / "results.csv") == site.does("", {"--out", "alone"}).out);
  CHECK(content(site.results() / "slurm/1/jobs") == "1 array 0 4 4\n2 collector\n");
  const Ended table = site.does("status");
  CHECK(table.exit_code == 0);
  CHECK(table.err.empty());
  CHECK(table.out ==
        "state    points\ndone         40\nfailed        0\nrunning       0\nqueued        0\nmissing       0\n"
        "total        40\n");
  CHECK(content(site.slurm.at("asked")) == "--noheader\n--array\n--jobs=1,2\n--format=%F|%K|%T|%r\n");
  const Ended again = site.submit();
  CHECK(again.exit_code == 0);
  CHECK(again.err == "nothing to submit: all results are there, of 40 points; tsunagi sweep collect prints them\n");
  CHECK(site.slurm.call(3).empty());
}

TEST_CASE("submit: only shards that lack points, and that no job has, are submitted again") {
  const SlurmSite site;
  REQUIRE(site.submit({"--shards", "3"}).exit_code == 0);
  site.slurm.set("queue", "1|1|RUNNING|None\n1|2|PENDING|Resources\n1|3|PENDING|Resources\n2|N/A|PENDING|Dependency\n");
  const json first = site.status();
  CHECK(first["points"]["done"] == 0);
  CHECK(first["points"]["missing"] == 0);
  const std::size_t running = first["points"]["running"];
  CHECK(running + first["points"]["queued"].get<std::size_t>() == 40);
  CHECK(first["jobs"][0]["queued"] == 2);
  CHECK(first["jobs"][0]["waits_for"] == json({"Resources"}));
  CHECK_THAT(site.does("status").out, Catch::EndsWith("job  kind       tasks  queued  running  ended  waits for\n"
                                                      "  1  shards         3       2        1      0  Resources\n"
                                                      "  2  collector      1       1        0      0  Dependency\n"));
  CHECK(site.submit({"--shards", "3"}).err == "nothing to submit: jobs have all points that are missing, 40 of 40\n");

  site.slurm.set("queue", "1|1|RUNNING|None\n1|2|PENDING|Resources\n2|N/A|PENDING|Dependency\n");  // task 3 has died
  const std::size_t missing = site.status()["points"]["missing"];
  CHECK(missing > 0);
  CHECK_THAT(site.does("status").err, Catch::Contains("no job has the " + std::to_string(missing) + " points") &&
                                          Catch::Contains("s.results/slurm"));
  const Ended again = site.submit({"--shards", "3"});
  CHECK_THAT(again.err, Catch::StartsWith(std::to_string(missing) + " of 40 points to simulate, in 1 of 3 shards\n"));
  CHECK(array_of(site.slurm.call(3)) == "3");
  CHECK_THAT(site.slurm.call(4), Catch::Contains("--dependency=afterany:1:3\n"));  // 2 collects, too

  site.slurm.set("queue", "");  // all have died, but for what one of them had simulated
  REQUIRE(site.does("run", {"--shard", "1/3"}).exit_code == 0);
  CHECK(site.status()["points"]["missing"] == 40 - site.results_there());
  CHECK_THAT(site.submit({"--shards", "3"}).err, Catch::Contains(" in 2 of 3 shards\n"));
  CHECK(array_of(site.slurm.call(5)) == "2-3");
  CHECK_THAT(site.slurm.call(6), Catch::Contains("--dependency=afterany:5\n"));
}

TEST_CASE("submit: arrays are as large as the site allows") {
  const SlurmSite site;
  site.slurm.set("max_array_size", "2");
  const Ended end = site.submit({"--shards", "3", "--jobs", "2", "--", "-p", "short", "--time=5"});
  CHECK(end.out ==
        "submitted array 1: 1 of 3 shards\nsubmitted array 2: 1 of 3 shards\nsubmitted array 3: 1 of 3 shards\n"
        "submitted collector 4\n");
  for (int job = 1; job <= 3; ++job)
    CHECK_THAT(site.slurm.call(job), Catch::Contains("\n--cpus-per-task=2\n-p\nshort\n--time=5\n--array=1"));
  CHECK_THAT(site.slurm.call(4),
             Catch::Contains("\n-p\nshort\n--time=5\n--cpus-per-task=1\n--dependency=afterany:1:2:3\n"));
}

TEST_CASE("submit: tasks of several arrays run all shards, with what the command line set") {
  const SlurmSite site;
  site.slurm.set("max_array_size", "2");
  site.slurm.set("runs", "");
  const std::vector<std::string> set{"--set", R"(/scenario/sizes=["16 B"])"};
  REQUIRE(site.submit({"--shards", "3", "--format", "jsonl", set[0], set[1]}).exit_code == 0);
  CHECK(site.results_there() == 40);
  const std::string lines = content(site.results() / "results.jsonl");
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 40);
  CHECK_THAT(lines, Catch::Contains("\"size_bytes\":16"));
  CHECK_FALSE(fs::exists(site.results() / "results.csv"));
  CHECK(site.does("status", set).exit_code == 0);
  CHECK(site.does("status").exit_code == 2);  // another sweep
}

TEST_CASE("submit: without shards of one's own a task a point, a hundred at most") {
  const SlurmSite few;
  REQUIRE(few.submit().exit_code == 0);
  CHECK_THAT(few.slurm.call(1), Catch::Contains("/shard.sh\n0\n"));
  CHECK_THAT(content(few.results() / "slurm/1/jobs"), Catch::Contains(" 40\n"));
  const SlurmSite many(R"({"name": "seed", "path": "/options/seed", "range": {"from": 1, "to": 150, "step": 1}})");
  REQUIRE(many.submit().exit_code == 0);
  CHECK_THAT(content(many.results() / "slurm/1/jobs"), Catch::Contains(" 100\n"));
}

TEST_CASE("submit --dry-run writes scripts that submit by hand, and asks for nothing") {
  const SlurmSite site;
  const Ended dry = site.submit({"--dry-run", "--shards", "2"});
  CHECK(dry.exit_code == 0);
  CHECK_THAT(dry.err, Catch::EndsWith("nothing was submitted; this would:\n"));
  CHECK(site.slurm.call(1).empty());
  CHECK(site.status()["jobs"].empty());
  Surroundings nowhere = site.slurm.around(site.folder());
  nowhere.environment = {{"PATH", "/nonexistent"}};
  const Ended elsewhere = site.does_in(nowhere, "submit", {"--slurm", "--dry-run"});
  CHECK(elsewhere.exit_code == 0);
  CHECK_THAT(elsewhere.err, Catch::StartsWith("tsunagi: scontrol is not on the PATH; arrays have up to 1000 tasks"));
  site.slurm.set("runs", "");
  const std::string path = "PATH='" + site.slurm.at("bin").string() + "':$PATH ";
  REQUIRE(std::system((path + dry.out.substr(0, dry.out.size() - 1) + " >/dev/null").c_str()) == 0);
  CHECK(site.results_there() == 40);
  CHECK(site.status()["jobs"][1]["kind"] == "collector");
  CHECK(site.status()["points"]["done"] == 40);
}

TEST_CASE("submit: where there is no Slurm, or it refuses, is told, and nothing goes wrong") {
  const SlurmSite site;
  Surroundings nowhere = site.slurm.around(site.folder());
  nowhere.environment = {{"PATH", "/nonexistent"}};
  const Ended none = site.does_in(nowhere, "submit", {"--slurm"});
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.err, Catch::StartsWith("tsunagi: no Slurm to submit to: scontrol is not on the PATH; --dry-run ") &&
                           Catch::Contains("tsunagi sweep run --shard I/N"));
  CHECK_FALSE(fs::exists(site.results()));

  site.slurm.set("max_array_size", "2");
  site.slurm.set("fails_at", "2");
  const Ended second = site.submit({"--shards", "3"});
  CHECK(second.exit_code == 1);
  CHECK(second.out == "submitted array 1: 1 of 3 shards\n");
  CHECK_THAT(second.err, Catch::Contains("QOSMaxSubmitJobPerUserLimit") &&
                             Catch::EndsWith("tsunagi: what was submitted goes on; `scancel 1` ends it, the same "
                                             "command submits the rest\n"));
  site.slurm.unset("fails_at");
  site.slurm.set("says", "sbatch: the weather is fine");
  const Ended odd = site.submit({"--shards", "3"});
  CHECK(odd.exit_code == 1);
  CHECK_THAT(odd.err, Catch::Contains("sbatch tells no job's id, but: sbatch: the weather is fine") &&
                          Catch::EndsWith("tsunagi: nothing was submitted\n"));
  site.slurm.set("broken", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n");
  const Ended unknown = site.submit();
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err, Catch::Contains("which points jobs have already is not known: squeue says: slurm_load_jobs "
                                          "error: Unable to contact slurm controller (connect failure)"));
  const Ended status = site.does("status");
  CHECK(status.exit_code == 0);
  CHECK_THAT(status.err, Catch::Contains("what jobs are at is not known: squeue says: "));
  CHECK_THAT(status.out, !Catch::Contains("running") && Catch::Contains("missing      40\n"));
  CHECK(site.status()["points"]["running"].is_null());
  CHECK(site.status()["jobs"][0]["ended"].is_null());
  site.slurm.set("broken",
                 "slurm_load_jobs error: Invalid job id specified\n");  // it has forgotten them: all have ended
  CHECK(site.status()["jobs"][0]["running"] == 0);
  CHECK(site.does_in(nowhere, "status", {}).err ==
        "tsunagi: what jobs are at is not known: squeue is not on the PATH\n");
}

TEST_CASE("submit: Ctrl-C waits for the job that is being submitted, and submits no other") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const SlurmSite site;
    site.slurm.set("slow_at", "1");
    Surroundings impatient = site.slurm.around(site.folder());
    impatient.interrupt_after_ms = 200;
    impatient.interrupt_once = [&](const std::string&) { return std::filesystem::exists(site.slurm.at("slow")); };
    impatient.interrupt = signal;
    const Ended end = site.does_in(impatient, "submit", {"--slurm", "--shards", "2"});
    CHECK(end.exit_code == 130);
    CHECK(end.out == "submitted array 1: 2 of 2 shards\n");
    CHECK_THAT(end.err, Catch::EndsWith("`scancel 1` ends it, the same command submits the rest\n"));
    CHECK(site.slurm.call(2).empty());
    site.slurm.set("queue", "1|1|PENDING|None\n1|2|PENDING|None\n");
    CHECK(site.status()["points"]["queued"] == 40);
  }
}

TEST_CASE("submit refuses what it does not understand before it asks Slurm") {
  const SlurmSite site;
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"submit", "s.json"}, "submit to which scheduler? --slurm"},
      {{"submit", "s.json", "--slrum"}, "did you mean \"--slurm\"?"},
      {{"submit", "s.json", "--slurm", "--time=5"}, "unknown option \"--time=5\""},
      {{"submit", "s.json", "--slurm", "--time=5"}, "options for another program stand behind --"},
      {{"submit", "s.json", "--slurm", "--", "-a", "1-3"}, "sbatch's --array is not for sweeps"},
      {{"submit", "s.json", "--slurm", "--", "short"}, "\"short\" is none"},
      {{"submit", "s.json", "--slurm", "--shards", "0"}, "--shards must be 1 to 10000, not 0"},
      {{"submit", "s.json", "--slurm", "--shards", "-3"}, "--shards"},
      {{"submit", "s.json", "--slurm", "--shards", "99999999999999999999"}, "--shards"},
      {{"submit", "s.json", "--slurm", "--shards", "10001"}, "not 10001"},
      {{"submit", "s.json", "--slurm", "--format", "table"}, "unknown format \"table\""},
      {{"submit", "s.json", "--slurm", "--limit-time", "0"}, "--limit-time"},
      {{"submit", "s.json", "--slurm", "--jobs", "0"}, "--jobs"},
      {{"submit", "s.json", "--slurm", "--shard", "1/2"}, "--shard is for `tsunagi sweep run`, not for"},
      {{"submit", "/dev/stdin", "--slurm"}, "/dev/stdin"},
      {{"submit", "s.json", "--slurm", "--out", "a\\b"}, "name of a log file that holds a \"\\\""},
      {{"submit", "s.json", "--slurm", "--set", "/scenario/size=1"}, "/scenario"},
      {{"submit", "no.json", "--slurm"}, "no.json"},
      {{"run", "s.json", "--", "-p", "short"}, "-- is for `tsunagi sweep submit`, not for `tsunagi sweep run`"},
      {{"run", "s.json", "--slurm"}, "--slurm is for `tsunagi sweep submit`"},
      {{"status", "s.json", "--format", "csv"}, "unknown format \"csv\""},
      {{"status", "s.json"}, "there is no folder s.results"},
      {{"sumbit", "s.json"}, "did you mean \"submit\"?"}};
  for (const auto& [words, why] : wrong) {
    std::vector<std::string> all{"sweep"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended end = run_program(all, site.slurm.around(site.folder()));
    CAPTURE(words);
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains(why));
  }
  CHECK_FALSE(fs::exists(site.results()));
}

TEST_CASE("the collector leaves a table alone if it cannot make another one") {
  const SlurmSite site;
  site.slurm.set("runs", "");
  REQUIRE(site.submit({"--shards", "1"}).exit_code == 0);
  const fs::path table = site.results() / "results.csv";
  const std::string before = content(table);
  site.bench.vary(R"({"name": "seed", "path": "/options/seed", "values": [77]})");  // the folder is another sweep's now
  const std::string collect = "sh '" + site.slurm.at("collect").string() + "' 2>/dev/null";
  fs::copy_file(site.results() / "slurm/1/collect.sh", site.slurm.at("collect"));
  CHECK(std::system(collect.c_str()) != 0);
  CHECK(content(table) == before);
  CHECK(std::count_if(fs::directory_iterator(site.results()), {}, [](const fs::directory_entry& entry) {
          return entry.path().string().find(".part") != std::string::npos;
        }) == 0);
}

}  // namespace sweep_submit_test
