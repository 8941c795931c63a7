// SPDX-License-Identifier: Apache-2.0
// A disk that is full: one clear message, exit 1, nothing lost and nothing half-written.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace full_disk_test {

using namespace tsunagi::test;
namespace fs = std::filesystem;

namespace {

const std::string run_file = TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json";

/// Files of at most that many bytes, that of standard error included.
Surroundings room_for(std::size_t bytes) {
  Surroundings out;
  out.largest_file = bytes;
  return out;
}

std::size_t half_written(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().string().find(".part") != std::string::npos) ++count;
  return count;
}

void failed(const Ended& end, const std::string& why) {
  CAPTURE(end.err);
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::StartsWith("tsunagi: ") && Catch::Contains(why) && Catch::Contains("File too large"));
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
}

/// A sweep of eight seeds, the first three of which have been simulated.
class Begun {
 public:
  Begun() {
    folder_.write("base.json", R"({"$use": ")" + run_file + R"(", "scenario": {"iterations": 1, "sizes": ["8 B"]}})");
    file_ = folder_.write(
        "s.json",
        R"({"run": "base.json", "axes": [{"name": "seed_of_all_random_numbers_of_the_run", "path": "/options/seed",
      "range": {"from": 1, "to": 8, "step": 1}}]})");
    does("run", "calm");
    fs::copy(at("calm"), at("r"), fs::copy_options::recursive);
    std::vector<fs::path> results;
    for (const auto& entry : fs::recursive_directory_iterator(at("r") / "points"))
      if (entry.is_regular_file()) results.push_back(entry.path());
    REQUIRE(results.size() == 8);
    for (std::size_t i = 3; i < results.size(); ++i) fs::remove(results[i]);
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  Ended does(const std::string& action, const std::string& out, std::vector<std::string> more = {},
             const Surroundings& where = {}) const {
    std::vector<std::string> words{"sweep", action, file_.string(), "--out", at(out).string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, where);
  }

 private:
  TemporaryFolder folder_;
  fs::path file_;
};

}  // namespace

TEST_CASE("full disk: a sweep keeps what had ended and goes on when there is room") {
  const Begun sweep;
  failed(sweep.does("run", "r", {}, room_for(200)), "cannot write " + sweep.at("r").string() + "/points/");
  CHECK(half_written(sweep.at("r")) == 0);
  CHECK(sweep.does("run", "r").err == "8 points: 5 done, 0 failed, 3 skipped\n");
  CHECK(sweep.does("collect", "r").err == sweep.does("collect", "calm").err);
}

TEST_CASE("full disk: a sweep on a file system of 24 KiB keeps what had ended, and goes on when it is larger") {
  const Begun sweep;
  // In a mount namespace of its own: nothing stays mounted, whatever happens.
  const fs::path script = sweep.at("small_disk.sh");
  std::ofstream(script) << R"(set -u
cd "$1"
mkdir disk
mount -t tmpfs -o size=24k none disk || exit 3
"$TSUNAGI_BIN" sweep run s.json --out disk/r --jobs 2 2> first.err
echo $? > first.code
find disk -name '*.part*' > parts
find disk/r/points -type f | wc -l > kept
mount -o remount,size=4m disk || exit 3
"$TSUNAGI_BIN" sweep run s.json --out disk/r --jobs 2 2> second.err
"$TSUNAGI_BIN" sweep collect s.json --out disk/r > /dev/null 2> digest
)";
  const std::string own = ::geteuid() == 0 ? "unshare -m" : "unshare -rm";
  const int status = std::system((own + " sh " + script.string() + " " + sweep.at("").string() + " 2>&1").c_str());
  if (status != 0) {
    WARN("no file system can be mounted here; the tests with a limit of the size of files stand for this one");
    return;
  }
  CHECK(content(sweep.at("first.code")) == "1\n");
  const std::string first = content(sweep.at("first.err"));
  CHECK_THAT(first, Catch::StartsWith("tsunagi: cannot write disk/r/points/") &&
                        Catch::EndsWith(": No space left on device\n"));
  CHECK(std::count(first.begin(), first.end(), '\n') == 1);
  CHECK(content(sweep.at("parts")).empty());
  const int kept = std::stoi(content(sweep.at("kept")));
  CHECK(kept > 0);
  CHECK(kept < 8);
  CHECK(content(sweep.at("second.err")) ==
        "8 points: " + std::to_string(8 - kept) + " done, 0 failed, " + std::to_string(kept) + " skipped\n");
  CHECK(content(sweep.at("digest")) == sweep.does("collect", "calm").err);
}

TEST_CASE("full disk: a result folder that cannot be begun can be begun later") {
  const Begun sweep;
  failed(sweep.does("run", "new", {}, room_for(130)), "cannot write " + (sweep.at("new") / "sweep.json").string());
  CHECK(half_written(sweep.at("new")) == 0);
  CHECK(sweep.does("run", "new").exit_code == 0);
}

TEST_CASE("full disk: a database that could not be written is the one before") {
  const Begun sweep;
  const fs::path database = sweep.at("calm") / "results.sqlite";
  REQUIRE(sweep.does("collect", "calm", {"--format", "sqlite"}).exit_code == 0);
  const std::string before = content(database);
  const Ended end = sweep.does("collect", "calm", {"--format", "sqlite"}, room_for(5000));
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::StartsWith("tsunagi: cannot write " + database.string()));
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  CHECK(content(database) == before);
  CHECK(half_written(sweep.at("calm")) == 0);
}

TEST_CASE("full disk: a plot that could not be written is the one before") {
  require_gnuplot();
  const Begun sweep;
  const fs::path picture = sweep.at("calm") / "s.svg";
  REQUIRE(sweep.does("plot", "calm").exit_code == 0);
  const std::string before = content(picture);
  // Else where they were found is told, too, and that seeds change nothing.
  const std::vector<std::string> told{"--configs", TSUNAGI_TEST_CONFIGS, "-q"};
  failed(sweep.does("plot", "calm", told, room_for(130)), "cannot write " + (sweep.at("calm") / "s.dat").string());
  const Ended end = sweep.does("plot", "calm", told, room_for(before.size() / 2));
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::StartsWith("tsunagi: gnuplot "));
  CHECK(content(picture) == before);
  CHECK(half_written(sweep.at("calm")) == 0);
}

TEST_CASE("full disk: tables and pictures that could not be written are told, the file before stays") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("out", "before");
  failed(run_program({"run", run_file, "--set", "/scenario/iterations=1", "--out", file.string()}, room_for(100)),
         "cannot write " + file.string());
  failed(run_program({"draw", run_file, "--out", file.string()}, room_for(100)), "cannot write " + file.string());
  CHECK(content(file) == "before");
  CHECK(half_written(folder.path()) == 0);
  failed(run_program({"sweep", "plan", TSUNAGI_TEST_CONFIGS "/sweeps/torus_load.json"}, room_for(200)),
         "cannot write to standard output");
}

}  // namespace full_disk_test
