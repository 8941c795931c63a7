// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>

#include "app/shell/output.hpp"
#include "app/shell/progress.hpp"
#include "experiment/simulation.hpp"
#include "sweep/collect/collect.hpp"
#include "sweep/results/progress.hpp"
#include "units/parse.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

/// "I/N", 1 <= I <= N.
sweep::Shard shard_of(const std::string& text) {
  sweep::Shard out;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, out.number);
  if (number.ec == std::errc() && number.ptr != end && *number.ptr == '/') {
    const auto count = std::from_chars(number.ptr + 1, end, out.count);
    if (count.ec == std::errc() && count.ptr == end && out.number >= 1 && out.number <= out.count) return out;
  }
  throw UsageError(fmt::format("--shard \"{}\": write I/N with I from 1 to N, for example 3/16", text));
}

/// The limit that an option gives, if it does. Throws UsageError.
template <class Q>
std::optional<Q> limit(const po::variables_map& values, const char* name, Q (*parse)(std::string_view), Q least,
                       Q most) {
  if (values.count(name) == 0) return std::nullopt;
  try {
    const Q out = parse(values[name].as<std::string>());
    if (least <= out && out <= most) return out;
    throw UsageError(
        fmt::format("--{} must be {} to {}, not {}", name, to_string(least), to_string(most), to_string(out)));
  } catch (const UnitError& e) {
    throw UsageError(fmt::format("--{}: {}", name, e.what()));
  }
}

}  // namespace

void add_sweep_orders(CommandLine& line) {
  line.option("jobs,j", po::value<int>()->value_name("N"), "simulations at a time (default: one a core)");
  line.option("shard", po::value<std::string>()->value_name("I/N"),
              "run: only part I of N; parts may share the folder");
  line.option("limit-time", po::value<double>()->value_name("SECONDS"),
              "stop a point that takes longer; it has failed");
  line.option("limit-memory", po::value<std::string>()->value_name("SIZE"),
              "stop a point that uses more, e.g. 512MiB; it has failed");
  line.option("limit-simulated-time", po::value<std::string>()->value_name("TIME"),
              "in place of the run's own limit_simulated_time, e.g. 10ms");
  line.flag("retry-failed", "run, submit: simulate failed points again");
}

int jobs(const po::variables_map& values) {
  if (values.count("jobs") == 0) return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (values["jobs"].as<int>() < 1) throw UsageError("--jobs needs at least 1");
  return values["jobs"].as<int>();
}

sweep::Orders sweep_orders(const po::variables_map& values) {
  sweep::Orders orders;
  orders.runner.jobs = jobs(values);
  if (values.count("limit-time") != 0) orders.runner.limit_wall_s = values["limit-time"].as<double>();
  if (orders.runner.limit_wall_s && !(*orders.runner.limit_wall_s > 0))
    throw UsageError("--limit-time needs more than 0");
  orders.runner.limit_memory = limit(values, "limit-memory", parse_bytes, 1_B, Bytes(std::int64_t{1} << 60));
  orders.limit_simulated_time =
      limit(values, "limit-simulated-time", parse_time, RunOptions::least_limit, RunOptions::most_limit);
  orders.retry_failed = values.count("retry-failed") != 0;
  if (values.count("shard") != 0) orders.shard = shard_of(values["shard"].as<std::string>());
  return orders;
}

sweep::Tally run_with_progress(const sweep::Points& points, sweep::Results& results, sweep::Orders orders) {
  ProgressLine bar;
  sweep::Tally known;
  known.left = points.size;
  const auto draw = [&bar, &known, shards = orders.shard.count] {
    bar.draw(sweep::progress_line(known, bar.seconds(), shards));
  };
  Complaints complaints;
  orders.progress = [&](const sweep::Tally& tally) {
    known = tally;
    draw();
  };
  if (bar.watched()) orders.runner.watch = [&draw](const runner::Glance&) { draw(); };
  orders.complaint = [&](const std::string& line) {
    bar.clear();
    complaints.tell(line);
  };
  const sweep::Tally tally = sweep::run(points, results, experiment::simulation(), orders);
  bar.clear();
  complaints.end();
  return tally;
}

void Failures::add(const sweep::Point& point, const sweep::Result& result) {
  constexpr std::size_t most = 5;
  ++points_;
  const std::string message = result.messages.empty() ? "no message" : result.messages.front();
  const auto known =
      std::find_if(causes_.begin(), causes_.end(), [&](const Cause& cause) { return cause.message == message; });
  if (known != causes_.end()) {
    ++known->points;
  } else if (causes_.size() < most) {
    causes_.push_back({message, sweep::name_of(point), 1});
  } else {
    ++others_;
  }
}

void Failures::tell() const {
  for (const Cause& cause : causes_)
    write_stderr(fmt::format("tsunagi: point {}{} failed: {}\n", cause.point,
                             cause.points == 1 ? "" : fmt::format(" and {} more", cause.points - 1), cause.message));
  if (others_ > 0) write_stderr(fmt::format("tsunagi: and {} more failed otherwise\n", others_));
  if (points_ > 0) write_stderr("tsunagi: what failed is kept so; --retry-failed simulates it again\n");
}

void Complaints::tell(const std::string& line) {
  if (++count_ <= 10) write_stderr("tsunagi: " + line + "\n");
}

void Complaints::end() {
  if (count_ > 10) write_stderr(fmt::format("tsunagi: and {} more like these\n", count_ - 10));
}

void tell_idle(const std::vector<std::string>& axes) {
  for (const std::string& axis : axes) {
    const bool seed = axis == "seed" || (axis.size() > 5 && axis.compare(axis.size() - 5, 5, "/seed") == 0);
    write_note(fmt::format("note: {} changes nothing: all rows are the same whatever it is{}\n", axis,
                           seed ? "; nothing in this run is drawn from it" : ""));
  }
}

}  // namespace tsunagi::app
