// SPDX-License-Identifier: Apache-2.0
// The benchmark (docs/performance.md): micro benchmarks and whole runs (a) to (e) and (h), a process each.
//   bench [--format table|json|csv] [Google Benchmark's options]
// Times are CPU seconds of the simulating process.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "experiment/simulation.hpp"
#include "idle.hpp"
#include "runner/runner.hpp"

/// SystemC's library refers to it; this program has its own main and elaborates in children.
extern "C" int sc_main(int, char**) { return 0; }

namespace tsunagi::bench {
namespace {

RunConfig read(const std::string& file, const std::vector<config::Override>& overrides) {
  return config::read<RunConfig>(config::load(TSUNAGI_BENCH_CONFIGS "/" + file, overrides), all_kinds());
}

/// Runs `run` once; false (and the benchmark fails) unless it ended well.
bool run_once(benchmark::State& state, const RunConfig& run, const runner::Simulate& simulate, runner::Outcome& out) {
  out = runner::run_one(run, simulate);
  if (out.status == runner::Status::ok) return true;
  std::string why;
  for (const std::string& m : out.messages) why += m + "\n";
  state.SkipWithError(why.empty() ? "bad config" : why.c_str());
  return false;
}

/// A whole run: packet-hops a CPU second, wake-ups a packet-hop, memory.
void whole_run(benchmark::State& state, const RunConfig& run) {
  double seconds = 0;
  double hops = 0;
  double wakeups = 0;
  double rss = 0;
  for (auto _ : state) {
    runner::Outcome o;
    if (!run_once(state, run, experiment::simulation(), o)) return;
    state.SetIterationTime(o.cost.cpu_s);
    seconds += o.cost.cpu_s;
    hops += static_cast<double>(o.cost.packet_hops);
    wakeups += static_cast<double>(o.cost.wakeups);
    rss = std::max(rss, static_cast<double>(o.cost.peak_rss_bytes));
  }
  state.counters["packet_hops"] = benchmark::Counter(hops, benchmark::Counter::kAvgIterations);
  state.counters["packet_hops_per_cpu_s"] = hops / seconds;
  state.counters["wakeups_per_packet_hop"] = wakeups / hops;
  state.counters["peak_rss_MB"] = rss / 1e6;
}

/// (e): what a machine costs that does nothing.
void idle_machine(benchmark::State& state, const RunConfig& run) {
  double seconds = 0;
  std::int64_t links = 0;
  std::int64_t bytes = 0;
  double rss = 0;
  for (auto _ : state) {
    runner::Outcome o;
    if (!run_once(state, run, elaborate_only, o)) return;
    const IdleCost c = idle_cost(o.rows);
    state.SetIterationTime(c.cpu_s);
    seconds += c.cpu_s;
    links = c.links;
    bytes = c.rss_bytes;
    rss = static_cast<double>(o.cost.peak_rss_bytes);
  }
  const auto n = static_cast<double>(links);
  state.counters["links"] = n;
  state.counters["us_per_link"] = 1e6 * seconds / static_cast<double>(state.iterations()) / n;
  state.counters["bytes_per_link"] = static_cast<double>(bytes) / n;
  state.counters["peak_rss_MB"] = rss / 1e6;
}

void add(const std::string& name, const std::string& file, std::vector<config::Override> overrides = {}) {
  for (const int max_train : {1, 64}) {
    auto all = overrides;
    all.push_back({"/options/max_train", std::to_string(max_train)});
    benchmark::RegisterBenchmark((name + "/max_train:" + std::to_string(max_train)).c_str(), whole_run, read(file, all))
        ->UseManualTime()
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
}

void add_all() {
  add("hop/bare_link", "bare_hop.json");
  add("a/one_flow", "one_flow.json");
  add("b/ring_neighbours", "ring_neighbours.json");
  add("c/incast", "incast.json");
  add("d/torus_0.3", "torus.json");
  add("d/torus_0.6", "torus.json", {{"/scenario/loads", "[\"59.06 %\"]"}});
  benchmark::RegisterBenchmark("e/idle_machine", idle_machine, read("idle.json", {}))
      ->UseManualTime()
      ->Iterations(3)
      ->Unit(benchmark::kMillisecond);
  add("h/infiniband", "infiniband.json");
}

/// `--format json` as everywhere in tsunagi, in Google Benchmark's words.
std::vector<std::string> translate(int argc, char** argv) {
  std::vector<std::string> out{argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    std::string format;
    if (a == "--format" && i + 1 < argc) format = argv[++i];
    if (a.rfind("--format=", 0) == 0) format = a.substr(9);
    out.push_back(format.empty() ? a : "--benchmark_format=" + (format == "table" ? std::string("console") : format));
  }
  return out;
}

}  // namespace
}  // namespace tsunagi::bench

int main(int argc, char** argv) {
  std::vector<std::string> words = tsunagi::bench::translate(argc, argv);
  std::vector<char*> args;
  for (std::string& w : words) args.push_back(w.data());
  args.push_back(nullptr);
  int n = static_cast<int>(words.size());
  benchmark::Initialize(&n, args.data());
  if (benchmark::ReportUnrecognizedArguments(n, args.data())) return 2;
  try {
    tsunagi::bench::add_all();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench: %s\n", e.what());
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
