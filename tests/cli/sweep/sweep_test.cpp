// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "support/catch.hpp"
#include "support/documents.hpp"
#include "support/program.hpp"
#include "support/sweep/sweep_bench.hpp"
#include "support/temporary_folder.hpp"

namespace sweep_test {

using namespace tsunagi::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string run_file = TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json";

const std::string seeds = R"({"name": "seed", "path": "/options/seed", "range": {"from": 1, "to": 12, "step": 1}})";

/// When each result was written.
std::map<fs::path, fs::file_time_type> written_in(const fs::path& results) {
  std::map<fs::path, fs::file_time_type> out;
  for (const fs::path& file : files_of(results).results) out[file] = fs::last_write_time(file);
  return out;
}

/// The digest line of collect: digest and how many are ok, failed, missing.
std::string digest(const SweepBench& sweep, const std::string& out) {
  const std::string err = sweep.does("collect", out).err;
  return err.substr(std::min(err.find("digest "), err.size()));
}

std::string tally(std::size_t done, std::size_t skipped) {
  return std::to_string(done + skipped) + " points: " + std::to_string(done) + " done, 0 failed, " +
         std::to_string(skipped) + " skipped\n";
}

using Clock = std::chrono::steady_clock;

/// Starts `sweep run`; its output is lost.
pid_t start(const SweepBench& sweep, const std::string& out, const std::string& shard = "1/1") {
  const char* program = std::getenv("TSUNAGI_BIN");
  const std::string folder = sweep.at(out).string();
  const std::string file = sweep.file();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    ::execl(program, program, "sweep", "run", file.c_str(), "--out", folder.c_str(), "--jobs", "2", "--shard",
            shard.c_str(), nullptr);
    ::_exit(127);
  }
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("sweep runs, collects as CSV, and says how it went") {
  const SweepBench sweep(R"({"name": "seed", "path": "/options/seed", "values": [1, 2]},
                       {"name": "train", "path": "/options/max_train", "values": [1, 64]})");
  const Ended end = run_program({"sweep", sweep.file(), "--out", sweep.at("r").string()});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.err, Catch::StartsWith("4 points: 4 done, 0 failed, 0 skipped\n") &&
                          Catch::Contains("note: train changes nothing") && Catch::Contains("\ndigest "));
  CHECK_THAT(end.out, Catch::StartsWith("point,seed,train,row,measure,value,unit\n") &&
                          Catch::Contains(",2,64,0,latency,") && Catch::Contains(",fs\n"));
  CHECK(std::count(end.out.begin(), end.out.end(), '\n') == 1 + 4 * 4);
  CHECK(sweep.does("run", "r").err == "4 points: 0 done, 0 failed, 4 skipped\n");
  CHECK(sweep.does("collect", "r").out == end.out);
}

TEST_CASE("sweep plan lists the points and runs nothing") {
  const SweepBench sweep(seeds);
  const Ended table = sweep.does("plan", "r");
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, Catch::Contains("index  point") && Catch::Contains("seed"));
  const std::string csv = sweep.does("plan", "r", {"--format", "csv"}).out;
  CHECK_THAT(csv, Catch::StartsWith("index,point,seed\n0,") && Catch::EndsWith(",12\n"));
  const std::string lines = sweep.does("plan", "r", {"--format", "jsonl"}).out;
  CHECK(json::parse(lines.substr(0, lines.find('\n')))["seed"] == 1);
  CHECK_FALSE(fs::exists(sweep.at("r")));
}

TEST_CASE("a sweep that is killed again and again ends as if undisturbed, and loses nothing") {
  const SweepBench sweep(R"({"name": "seed", "path": "/options/seed", "values": [1, 2, 3, 4, 5, 6, 7, 8]})", 30);
  const auto begin = Clock::now();
  REQUIRE(wait_for(start(sweep, "calm")) == 0);
  const Clock::duration calm_time = Clock::now() - begin;
  const std::string calm = digest(sweep, "calm");
  REQUIRE_THAT(calm, Catch::Contains("8 ok, 0 failed, 0 missing"));
  std::mt19937 random(20240607);  // NOLINT: the same shares in every run of the test
  for (const int signal : {SIGKILL, SIGINT}) {
    const std::string out = "killed_by_" + std::to_string(signal);
    std::map<fs::path, fs::file_time_type> kept;
    int interrupted = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const pid_t pid = start(sweep, out);
      std::this_thread::sleep_for(calm_time * (random() % 70) / 100);
      ::kill(pid, signal);
      const int code = wait_for(pid);
      CHECK((code == 128 + signal || code == 0));
      interrupted += code == 0 ? 0 : 1;
      const auto now = written_in(sweep.at(out));
      for (const auto& [file, time] : kept) CHECK((now.count(file) == 1 && now.at(file) == time));
      kept = now;
    }
    CHECK(interrupted > 0);
    const Ended rest = sweep.does("run", out);
    CHECK(rest.exit_code == 0);
    CHECK(rest.err == tally(8 - kept.size(), kept.size()));  // nothing that had ended is simulated again
    for (const auto& [file, time] : kept) CHECK(fs::last_write_time(file) == time);
    CHECK(digest(sweep, out) == calm);
    CHECK(files_of(sweep.at(out)).results.size() == 8);
    CHECK(files_of(sweep.at(out)).parts == 0);
  }
}

TEST_CASE("shards write one folder together") {
  const SweepBench sweep(seeds);
  REQUIRE(sweep.does("run", "alone").exit_code == 0);
  std::vector<pid_t> shards;
  for (const char* shard : {"1/3", "2/3", "3/3"}) shards.push_back(start(sweep, "together", shard));
  for (const pid_t shard : shards) CHECK(wait_for(shard) == 0);
  CHECK(digest(sweep, "together") == digest(sweep, "alone"));
  CHECK(sweep.does("run", "together").err == "12 points: 0 done, 0 failed, 12 skipped\n");
}

TEST_CASE("damaged and half-written results are made again") {
  const SweepBench sweep(seeds);
  REQUIRE(sweep.does("run", "r").exit_code == 0);
  const std::string whole = digest(sweep, "r");
  const SweepFiles files = files_of(sweep.at("r"));
  REQUIRE(files.results.size() == 12);
  fs::resize_file(files.results[3], 40);
  std::ofstream(files.results[5]) << "not JSON";
  fs::copy_file(files.results[0], files.results[7], fs::copy_options::overwrite_existing);
  const fs::path leftover = files.results[1].string() + ".part.0123456789abcdef-1-0123456789abcdef";
  std::ofstream(leftover) << "{";
  fs::last_write_time(leftover, fs::file_time_type::clock::now() - std::chrono::hours(2));
  CHECK_THAT(digest(sweep, "r"), Catch::Contains("9 ok, 0 failed, 3 missing"));
  const Ended again = sweep.does("run", "r");
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, Catch::Contains(files.results[3].string() + " is damaged: it is cut or no JSON") &&
                            Catch::Contains("it is the result of point") &&
                            Catch::EndsWith("12 points: 3 done, 0 failed, 9 skipped\n"));
  CHECK(digest(sweep, "r") == whole);
  CHECK(files_of(sweep.at("r")).parts == 0);
}

TEST_CASE("failed points are kept, told and repeated on demand") {
  const SweepBench sweep(R"({"name": "limit", "path": "/options/limit_simulated_time", "values": ["1 us", "10 ms"]},
                       {"name": "sizes", "path": "/scenario/sizes", "values": [["8 B"], ["1 TiB"]]})");
  const Ended end = sweep.does("run", "r");
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::EndsWith("4 points: 1 done, 3 failed, 0 skipped\n"));
  CHECK_THAT(sweep.does("run", "r").err, Catch::EndsWith("4 points: 0 done, 3 failed, 1 skipped\n"));
  const Ended lines = sweep.does("collect", "r", {"--format", "jsonl"});
  CHECK(lines.exit_code == 1);
  CHECK_THAT(lines.out,
             Catch::Contains("\"error\":\"the run is not over at its limit") && Catch::Contains("latency_fs"));
  CHECK_THAT(lines.err, Catch::Contains("limit=1 us") && Catch::Contains("1 ok, 3 failed, 0 missing"));
  const Ended retried = sweep.does("run", "r", {"--retry-failed", "--limit-simulated-time", "10ms"});
  CHECK_THAT(retried.err, Catch::EndsWith("4 points: 1 done, 2 failed, 1 skipped\n"));
}

TEST_CASE("equal points are simulated once") {
  const SweepBench sweep(R"({"name": "size", "path": "/scenario/sizes/0", "values": ["1 KiB", "1024 B", "2 KiB"]})");
  CHECK(sweep.does("run", "r").err == "3 points: 2 done, 0 failed, 1 skipped\n");
  const std::string csv = sweep.does("collect", "r").out;
  const std::string latency = ",1024,0,latency,";  // of both, though they were written differently
  CHECK(csv.find(latency) != std::string::npos);
  CHECK(csv.find(latency) != csv.rfind(latency));
  CHECK(files_of(sweep.at("r")).results.size() == 2);
}

TEST_CASE("a result folder that is not the sweep's is refused, one that cannot be made is an error") {
  const SweepBench sweep(seeds);
  sweep.write("photos/cat.jpg", "x");
  const Ended photos = sweep.does("run", "photos");
  CHECK(photos.exit_code == 2);
  CHECK_THAT(photos.err, Catch::Contains("holds other files") && Catch::Contains("--out"));
  REQUIRE(sweep.does("run", "r", {"--shard", "1/6"}).exit_code == 0);
  const Ended other = sweep.does("run", "r", {"--set", "/scenario/iterations=2"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Catch::Contains("another sweep"));
  CHECK(sweep.does("collect", "nowhere").exit_code == 2);
  const Ended unwritable = run_program({"sweep", "run", sweep.file(), "--out", "/proc/results"});
  CHECK(unwritable.exit_code == 1);
  CHECK_THAT(unwritable.err, Catch::Contains("cannot make the folder /proc/results"));
}

TEST_CASE("sweep refuses what it does not understand before it runs anything") {
  const SweepBench sweep(seeds);
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"sweep"}, "which sweep?"},
      {{"sweep", "run"}, "which sweep?"},
      {{"sweep", "rum", sweep.file()}, "did you mean \"run\"?"},
      {{"sweep", sweep.file(), "--shard", "1/2"}, "tsunagi sweep run"},
      {{"sweep", "run", sweep.file(), "--shard", "3/2"}, "from 1 to N"},
      {{"sweep", "run", sweep.file(), "--limit-memory", "much"}, "--limit-memory"},
      {{"sweep", "run", sweep.file(), "--limit-time", "0"}, "--limit-time"},
      {{"sweep", "run", sweep.file(), "--jobs", "0"}, "--jobs"},
      {{"sweep", "collect", sweep.file(), "--format", "table"}, "unknown format"},
      {{"sweep", "run", sweep.file(), "--format", "csv"}, "--format is for `tsunagi sweep plan`, "},
      {{"sweep", "plan", sweep.file(), "--wide"}, "--wide is for `tsunagi sweep collect`, `tsunagi sweep`, not for"},
      {{"sweep", "collect", sweep.file(), "--wide", "--format", "jsonl"}, "--wide is for csv, not for jsonl"},
      {{"sweep", sweep.file(), "--wide", "--format", "sqlite"}, "--wide is for csv, not for sqlite"},
      {{"sweep", "plan", sweep.file(), "--jobs", "2"}, "not for `tsunagi sweep plan`"},
      {{"sweep", sweep.file(), "--term"}, "--term is for `tsunagi sweep plot`, not for `tsunagi sweep`"},
      {{"sweep", "plan", sweep.file(), "--set", "/options/seed=1"}, "axis \"seed\" sets /options/seed"},
      {{"run", run_file, "--set", "/options/seed=1", "--vary", "/options/seed=2,3"}, "axis \"seed\" sets"},
      {{"sweep", "plan", run_file}, "is no sweep, but of type \"run\""},
      {{"sweep", "collect", sweep.file(), "--out", "/nonexistent"},
       "there is no folder /nonexistent: run the sweep first"},
      {{"sweep", "run", sweep.at("no.json").string()}, "no.json"}};
  for (const auto& [words, why] : wrong) {
    const Ended end = run_program(words);
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains(why));
  }
}

TEST_CASE("the sweep that docs/sweeps.md shows runs as shown, where it says") {
  const std::string text = content(root / "docs/sweeps.md");
  const std::string fence = "```json\n";
  const auto begin = text.find(fence) + fence.size();
  CHECK_THAT(text.substr(0, begin), Catch::Contains("as `credits.json` beside the folder `configs`"));
  const TemporaryFolder folder;
  fs::create_directory_symlink(TSUNAGI_TEST_CONFIGS, folder.path() / "configs");
  const std::string shown = text.substr(begin, text.find("```", begin) - begin);
  const std::string file = folder.write("credits.json", shown).string();
  const Ended plan = run_program({"sweep", "plan", file, "--set", "/scenario/messages=3", "--format", "csv"});
  CHECK(plan.err.empty());
  CHECK_THAT(plan.out, Catch::StartsWith("index,point,flight_fs,size_bytes\n") && Catch::Contains(",10000000,4096\n") &&
                           Catch::Contains(",70000000,65536\n") && !Catch::Contains(",70000000,4096\n"));
}

TEST_CASE("run --vary prints one table with the axes in front") {
  const std::vector<std::string> words{"run",     run_file,
                                       "--set",   "/scenario/iterations=1",
                                       "--vary",  "/scenario/sizes=[\"8 B\"],[\"16 B\"]",
                                       "--vary",  "/options/max_train=1,64",
                                       "--format"};
  const auto as = [words](const std::string& format) {
    std::vector<std::string> all = words;
    all.push_back(format);
    return run_program(all);
  };
  CHECK_THAT(as("table").out, Catch::Contains("sizes") && Catch::Contains("max_train") && Catch::Contains("latency"));
  CHECK_THAT(as("csv").out, Catch::StartsWith("sizes,max_train,size_bytes,iterations,latency_fs"));
  const json out = json::parse(as("json").out);
  REQUIRE(out["rows"].size() == 4);
  CHECK(out["rows"][2]["size_bytes"] == 16);
  CHECK(out["rows"][2]["max_train"] == 1);
}

TEST_CASE("a run that varies and lacks points says in JSON that it is incomplete, and has no digest") {
  const Ended end =
      run_program({"run", TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json", "--set", R"(/scenario/sizes=["8 B"])",
                   "--vary", "/options/limit_simulated_time=1us,10ms", "--format", "json"});
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.out, Catch::Contains("\"incomplete\": true") && !Catch::Contains("\"digest\""));
}

TEST_CASE("run --vary tells which point failed and prints the others") {
  const Ended end = run_program({"run", run_file, "--set", "/scenario/sizes=[\"8 B\"]", "--vary",
                                 "/options/limit_simulated_time=1us,10ms", "--format", "csv"});
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::Contains("limit_simulated_time=1us") && Catch::Contains("not over at its limit"));
  CHECK(std::count(end.out.begin(), end.out.end(), '\n') == 2);
  CHECK(run_program({"run", run_file, "--vary", "/options/sed=1"}).exit_code == 2);
}

}  // namespace sweep_test
