// SPDX-License-Identifier: Apache-2.0
// What users and their machines do to sweeps by mistake, and that nothing is lost or wrongly reused by it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace sweep_care_test {

using namespace tsunagi::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string run_file = TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json";
const std::string small_run =
    R"({"$use": ")" + run_file + R"(", "scenario": {"iterations": 1, "sizes": ["8 B", "64 B"]}})";

std::string sweep_text(const std::string& axes, const std::string& name = "s") {
  return R"({"name": )" + json(name).dump() + R"(, "run": )" + small_run + R"(, "axes": [)" + axes + "]}";
}

const std::string seeds = R"({"name": "seed", "path": "/options/seed", "values": [1, 2]})";

std::vector<std::string> varied(const std::vector<std::string>& more) {
  std::vector<std::string> out{
      "run", run_file, "--set", "/scenario/iterations=1", "--set", R"(/scenario/sizes=["8 B", "64 B"])"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

TEST_CASE("sweep: a kind that nobody knows is refused before anything runs") {
  const TemporaryFolder folder;
  for (const std::string path : {"/library/kind", "/scenario/kind"}) {
    const auto file =
        folder.write("s.json", sweep_text(R"({"name": "kind", "path": ")" + path + R"(", "values": ["nope"]})"));
    const Ended end = run_program({"sweep", "run", file.string(), "--out", (folder.path() / "r").string()});
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains("s.json:1:") && Catch::Contains("unknown kind \"nope\""));
    CHECK_FALSE(fs::exists(folder.path() / "r"));
    CHECK(run_program(varied({"--vary", path + "=nope"})).exit_code == 2);
  }
}

TEST_CASE("sweep: a name that leads out of the folder is refused") {
  const TemporaryFolder folder;
  for (const std::string name : {"../x", "/tmp/x", "..", ".x", "a/b", "a\nb", "-x"}) {
    CAPTURE(name);
    const auto file = folder.write("s.json", sweep_text(seeds, name));
    const Ended end = run_program({"sweep", "plan", file.string()});
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains("cannot name files") || Catch::Contains("control character"));
  }
  CHECK(run_program({"sweep", "plan", folder.write("s.json", sweep_text(seeds, "my sweep 2.0")).string()}).exit_code ==
        0);
}

TEST_CASE("sweep: files that can be read only once are") {
  const TemporaryFolder folder;
  const std::string sweep = folder.write("s.json", sweep_text(seeds)).string();
  const std::string run = folder.write("r.json", small_run).string();
  const std::string program = std::getenv("TSUNAGI_BIN");
  const std::string out = (folder.path() / "out").string();
  REQUIRE(std::system(("cat " + sweep + " | " + program + " sweep plan /dev/stdin --format csv > " + out).c_str()) ==
          0);
  CHECK_THAT(content(out), Catch::StartsWith("index,point,seed\n0,"));
  const std::string vary = " run /dev/stdin --vary /options/seed=1,2 --format csv > ";
  REQUIRE(std::system(("cat " + run + " | " + program + vary + out).c_str()) == 0);
  CHECK_THAT(content(out), Catch::StartsWith("seed,size_bytes,"));
}

TEST_CASE("sweep run tells why points failed, each reason once, and what to do") {
  const TemporaryFolder folder;
  const auto file = folder.write("s.json", sweep_text(R"({"name": "limit", "path": "/options/limit_simulated_time",
      "values": ["1 ns", "10 ms"]}, {"name": "seed", "path": "/options/seed", "values": [1, 2, 3]})"));
  const auto run = [&](const std::string& out) {
    return run_program({"sweep", "run", file.string(), "--jobs", "1", "--out", (folder.path() / out).string()});
  };
  const Ended end = run("r");
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::StartsWith("tsunagi: point limit=1 ns seed=1 (") &&
                          Catch::Contains(") and 2 more failed: the run is not over at its limit") &&
                          Catch::Contains("--retry-failed") &&
                          Catch::EndsWith("6 points: 3 done, 3 failed, 0 skipped\n"));
  CHECK(end.err.find("failed:") == end.err.rfind("failed:"));
  CHECK_THAT(run("r").err, Catch::Contains(" and 2 more failed: "));
}

TEST_CASE("sweep: results of other models are refused") {
  const TemporaryFolder folder;
  const auto file = folder.write("s.json", sweep_text(seeds));
  const auto run = [&] {
    return run_program({"sweep", "run", file.string(), "--out", (folder.path() / "r").string()});
  };
  REQUIRE(run().exit_code == 0);
  json manifest = json::parse(content(folder.path() / "r/sweep.json"));
  const std::string version = run_program({"--version"}).out;
  const std::string models = manifest["tsunagi"];
  CHECK("tsunagi " + models + "\n" == version);
  CHECK_THAT(models, Catch::Matches("[0-9.]+\\+models\\.[0-9a-f]{16}"));
  manifest["tsunagi"] = models.substr(0, models.size() - 16) + "0123456789abcdef";
  folder.write("r/sweep.json", manifest.dump());
  const Ended other = run();
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Catch::Contains("+models.0123456789abcdef") && Catch::Contains(models) &&
                            Catch::Contains("name another folder with --out"));
}

TEST_CASE("sweep: a folder that has lost its sweep.json goes on") {
  const TemporaryFolder folder;
  const auto file = folder.write("s.json", sweep_text(seeds));
  const fs::path manifest = folder.path() / "r/sweep.json";
  const auto sweep = [&](const std::string& action) {
    return run_program({"sweep", action, file.string(), "--out", (folder.path() / "r").string()});
  };
  REQUIRE(sweep("run").exit_code == 0);
  const std::string before = content(manifest);
  const std::string digest = sweep("collect").err;
  fs::remove(manifest);
  const std::string lost =
      "tsunagi: " + (folder.path() / "r").string() + " has lost its sweep.json, but holds 2 results of this sweep\n";
  CHECK(sweep("collect").err == lost + digest);
  CHECK(sweep("run").err == lost + "2 points: 0 done, 0 failed, 2 skipped\n");
  CHECK(content(manifest) == before);
  fs::remove(manifest);
  folder.write("s.json", sweep_text(R"({"name": "seed", "path": "/options/seed", "values": [2, 3]})"));
  const Ended other = sweep("run");
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Catch::Contains("holds other files and no results of a sweep"));
}

TEST_CASE("sweep: a folder in place of a result is told, the others go on") {
  const TemporaryFolder folder;
  const auto file = folder.write("s.json", sweep_text(seeds));
  const auto sweep = [&](const std::string& action) {
    return run_program({"sweep", action, file.string(), "--out", (folder.path() / "r").string()});
  };
  REQUIRE(sweep("run").exit_code == 0);
  fs::path blocked;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "r/points"))
    if (entry.is_regular_file() && blocked.empty()) blocked = entry.path();
  fs::remove(blocked);
  fs::create_directory(blocked);
  const Ended end = sweep("run");
  CHECK(end.exit_code == 1);
  CHECK(end.err ==
        "tsunagi: cannot read " + blocked.string() + ": Is a directory\n2 points: 0 done, 1 failed, 1 skipped\n");
  const Ended collected = sweep("collect");
  CHECK(collected.exit_code == 1);
  CHECK_THAT(collected.err, Catch::Contains(blocked.string()) && Catch::Contains("1 ok, 0 failed, 1 missing"));
}

TEST_CASE("run --vary prints what has ended when it is interrupted") {
  Surroundings impatient;
  impatient.interrupt_after_ms = 2500;
  const Ended end = run_program({"run", run_file, "--set", R"(/scenario/sizes=["8 B"])", "--vary",
                                 "/scenario/iterations=1,2,1000000", "--jobs", "1", "--format", "csv"},
                                impatient);
  CHECK(end.exit_code == 130);
  CHECK_THAT(end.out, Catch::StartsWith("iterations_axis,") && Catch::Contains("\n1,") && Catch::Contains("\n2,"));
  CHECK(std::count(end.out.begin(), end.out.end(), '\n') == 3);
  CHECK(end.err == "interrupted: these are the rows of 2 of 3 points; `tsunagi sweep` keeps what has ended\n");
}

TEST_CASE("run --vary prints its rows when they cannot be drawn") {
  require_gnuplot();
  const std::vector<std::string> words{"--vary", "/options/seed=1,2", "--format", "csv"};
  std::vector<std::string> drawn = words;
  drawn.insert(drawn.end(), {"--term", "--y", "latnecy"});
  const Ended end = run_program(varied(drawn));
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("unknown column \"latnecy\"; did you mean \"latency\"?"));
  CHECK(end.out == run_program(varied(words)).out);
}

TEST_CASE("run: --plot and --out that name one file are refused before anything runs") {
  require_gnuplot();
  const TemporaryFolder folder;
  const std::string plot = (folder.path() / "p.svg").string();
  for (const std::string name : {"p.svg", "p.dat", "./p.gp"}) {
    const Ended end = run_program(varied({"--plot", plot, "--out", (folder.path() / name).string()}));
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains("--plot would write "));
    CHECK(fs::is_empty(folder.path()));
  }
}

}  // namespace sweep_care_test
