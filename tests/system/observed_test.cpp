// SPDX-License-Identifier: Apache-2.0
// Whoever watches a run changes nothing of it.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "cluster/catalogs.hpp"
#include "cluster/observer.hpp"
#include "config/config.hpp"
#include "experiment/simulate.hpp"
#include "experiment/simulation.hpp"
#include "explain/history.hpp"
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "trace/catalog.hpp"

namespace observed_test {

using namespace tsunagi;

namespace {

/// Keeps all that happens, as `explain` does.
class Historian final : public Observer {
 public:
  void begin(const Machine& machine, const comm::Library&) override {
    history_ = std::make_unique<explain::History>(machine.channels());
  }
  net::Listener& stages() override { return *history_; }
  comm::Listener& calls() override { return *history_; }
  void end(Time) override { heard_ = history_->hops().size(); }
  std::size_t observed() const { return heard_; }

 private:
  std::unique_ptr<explain::History> history_;
  std::size_t heard_ = 0;
};

/// Writes it down, as `trace` does.
class Writer final : public Observer {
 public:
  Writer(std::string format, const std::filesystem::path& file) : format_(std::move(format)), output_(file.string()) {}
  void begin(const Machine& machine, const comm::Library&) override {
    trace_ = trace::open(format_, output_, machine.channels(), {}, "test");
    header_ = output_.written();
  }
  net::Listener& stages() override { return *trace_; }
  comm::Listener& calls() override { return *trace_; }
  void end(Time t) override {
    trace_->finish(t);
    output_.close();
    heard_ = static_cast<std::size_t>((output_.written() - header_).count());
  }
  std::size_t observed() const { return heard_; }

 private:
  std::string format_;
  trace::Output output_;
  Bytes header_;
  std::unique_ptr<trace::Trace> trace_;
  std::size_t heard_ = 0;
};

/// A run with an observer made for it; reports how much that heard.
template <class Make>
runner::Simulate observed(Make make) {
  return [make](const RunConfig& run, const std::string& findings, report::Recorder& recorder) {
    auto observer = make();
    runner::Counts counts = experiment::simulate(run, findings, recorder, &observer);
    counts.report = std::to_string(observer.observed());
    return counts;
  };
}

/// A shipped run at a size that takes no time.
RunConfig small(const std::filesystem::path& file, int max_train) {
  auto whole = config::read<RunConfig>(config::load(file), all_kinds());
  const auto scenario = config::resolved(whole).at("scenario");
  std::vector<config::Override> less{{"/options/max_train", std::to_string(max_train)}};
  for (const auto& [key, value] :
       {std::pair{"sizes", R"(["8 B", "5000 B"])"},
        {"iterations", scenario.at("kind") == "perftest" ? "2" : "1"},  // behind one that warms up
        {"faces", R"(["256 B"])"},
        {"messages", "2"},
        {"counts", "[2]"},
        {"scales", "[1]"},
        {"rounds", "2"},
        {"outstanding", "20"},
        {"large_iterations", "1"},
        {"large_warm_up", "1"}})
    if (scenario.contains(key)) less.push_back({"/scenario/" + std::string(key), value});
  if (scenario.contains("ranks") && scenario.at("ranks").is_number() && scenario.at("ranks") > 8)
    less.push_back({"/scenario/ranks", "8"});
  if (scenario.contains("ranks") && scenario.at("ranks").is_array()) less.push_back({"/scenario/ranks", "[2, 9]"});
  if (scenario.contains("copies")) {  // of which several are under way at a time
    less.push_back({"/scenario/sizes", scenario.at("sizes").empty() ? "[]" : R"(["256 KiB"])"});
    if (!scenario.at("alone").empty()) less.push_back({"/scenario/alone", R"(["256 KiB"])"});
  }
  if (scenario.at("kind") == "osu") less.push_back({"/scenario/window", "8"});
  if (scenario.contains("lattice")) less.push_back({"/scenario/grid", "[2, 2, 1, 1]"});
  if (scenario.contains("warm_up") && scenario.at("warm_up").is_number()) less.push_back({"/scenario/warm_up", "1"});
  if (scenario.contains("block") && scenario.at("block") != "0 B")
    less.push_back({"/scenario/sizes", R"(["1 KiB", "5 KiB"])"});
  if (scenario.contains("class")) {  // of NPB: all iterations where frames may be lost, since fewer are refused there
    const bool loses = config::resolved(whole).dump().find("pm_ethernet") != std::string::npos;
    for (const auto& [key, value] : {std::pair{"class", "\"S\""}, {"iterations", loses ? "20" : "1"}, {"ranks", "2"}})
      less.push_back({"/scenario/" + std::string(key), value});
  }
  if (scenario.at("kind") == "himeno") {
    less.push_back({"/machine/topology/nodes", "8"});
    less.push_back({"/scenario/size", "\"S\""});
    less.push_back({"/scenario/grid", "[2, 2, 2]"});
  }
  if (scenario.contains("loads")) {  // open-loop traffic, in a window of time
    less.push_back({"/scenario/loads", R"(["5 %", "70 %"])"});
    less.push_back({"/scenario/size", "\"256 B\""});
    for (const auto& [key, value] :
         {std::pair{"warm_up", "\"100 ns\""}, {"window", "\"200 ns\""}, {"cool_down", "\"100 ns\""}})
      less.push_back({"/scenario/" + std::string(key), value});
  }
  if (scenario.contains("transactions")) {  // which fit a page each
    less.push_back({"/scenario/sizes", R"(["8 B", "600 B"])"});
    less.push_back({"/scenario/transactions", "4"});
  }
  const std::string& library = whole.library.kind();
  for (const char* of_many : {"checkpoint", "receive_buffers"})
    if (scenario.at("kind") == of_many) less.push_back({"/machine/topology/nodes", "32"});
  if (scenario.at("kind") == "neighbours" && (library == "lanai" || library == "pm_myrinet"))  // 128 nodes
    less.push_back({"/scenario/sizes", R"(["600 B"])"});
  if ((library == "ethernet_datagram" || library == "pm_ethernet") && scenario.contains("sizes"))  // of a frame at most
    less.push_back({"/scenario/sizes", R"(["8 B", "600 B"])"});
  return config::read<RunConfig>(config::load(file, less), all_kinds());
}

runner::Outcome outcome(const RunConfig& run, const runner::Simulate& simulate) {
  runner::Outcome out = runner::run_one(run, simulate);
  CAPTURE(run.name, out.messages);
  REQUIRE(out.status == runner::Status::ok);
  REQUIRE(!out.rows.rows.empty());
  return out;
}

/// A run whose programs run before what arrives in their instant.
runner::Outcome late(const RunConfig& run) {
  return outcome(run, [](const RunConfig& r, const std::string& findings, report::Recorder& recorder) {
    sim::Simulation sim;
    sim.delay_alarms(true);
    return experiment::simulate(sim, r, findings, recorder);
  });
}

/// The rows are those of the run that nobody watches, and the observer heard of it.
void expect_unchanged(const runner::Outcome& seen, const runner::Outcome& alone) {
  CHECK(report::digest(seen.rows) == report::digest(alone.rows));
  CHECK(std::stoul(seen.report) > 0);
}

/// What nobody watches is simulated once, and held against each way to watch it.
void expect_unchanged_however_watched(const RunConfig& run, const test::TemporaryFolder& folder) {
  const runner::Outcome alone = outcome(run, experiment::simulation());
  CHECK(alone.report.empty());
  const std::string digest = report::digest(alone.rows);
  {
    INFO("programs run before what arrives in their instant");
    CHECK(report::digest(late(run).rows) == digest);
  }
  {
    INFO("its history is kept");
    expect_unchanged(outcome(run, observed([] { return Historian(); })), alone);
  }
  for (const std::string& format : trace::formats()) {
    INFO("traced: " << format);
    expect_unchanged(outcome(run, observed([&] { return Writer(format, folder.path() / "trace"); })), alone);
  }
}

constexpr std::size_t parts = 4;  // of the shipped runs by their names, so that no test takes long

/// Every `parts`-th of the shipped runs, in trains; packet by packet instead, if the environment asks for that (label
/// full).
void expect_unchanged_of_a_quarter(std::size_t quarter) {
  const int max_train = std::getenv("TSUNAGI_SINGLE_PACKETS") == nullptr ? 64 : 1;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TSUNAGI_TEST_CONFIGS "/runs"))
    if (entry.path().extension() == ".json") files.insert(entry.path());
  CHECK(files.size() >= 16);
  CHECK(trace::formats().size() == 3);
  const test::TemporaryFolder folder;
  std::size_t number = 0;
  for (const std::filesystem::path& file : files) {
    if (number++ % parts != quarter) continue;
    CAPTURE(file.string(), max_train);
    const RunConfig run = small(file, max_train);
    // FT's smallest class moves 4 MB each transposition; what carries it there IS has, too.
    if (run.scenario.kind() == "npb_ft" && run.library.kind() == "mpich_score") continue;
    expect_unchanged_however_watched(run, folder);
  }
}

}  // namespace

TEST_CASE("a run measures the same however it is watched, the first quarter of runs", "[observed]") {
  expect_unchanged_of_a_quarter(0);
}
TEST_CASE("a run measures the same however it is watched, the second quarter of runs", "[observed]") {
  expect_unchanged_of_a_quarter(1);
}
TEST_CASE("a run measures the same however it is watched, the third quarter of runs", "[observed]") {
  expect_unchanged_of_a_quarter(2);
}
TEST_CASE("a run measures the same however it is watched, the last quarter of runs", "[observed]") {
  expect_unchanged_of_a_quarter(3);
}

}  // namespace observed_test
