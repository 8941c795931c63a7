// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sweep/results/run.hpp"
#include "unit/runner/runner_fixture.hpp"

namespace tsunagi::test {

/// 32 hexadecimal digits that follow from a text.
inline std::string id_of(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}{:016x}", h * 0x9e3779b97f4a7c15u, h);
}

/// Points along one axis, "what": each fake run is told its value. Equal values are equal points.
inline sweep::Points fake_points(const std::vector<std::string>& values) {
  sweep::Points points;
  points.size = values.size();
  points.axes = {"what"};
  points.at = [values](std::size_t i) {
    return sweep::Point{id_of(values[i]), {{"what", values[i]}}, {{"/scenario/what", values[i]}}};
  };
  points.config = [](const sweep::Point& point) {
    return config::read<RunConfig>(config::parse(run_text("base"), "base.json", point.overrides), fake_kinds());
  };
  return points;
}

/// Measures the length of its orders; "throw" throws, "sleep" takes a minute, "grow" takes 200 MiB.
inline runner::Counts fake_sweep_simulate(const RunConfig& run, const std::string&, report::Recorder& recorder) {
  const std::string& what = what_of(run);
  if (what == "throw") throw std::runtime_error("rank 0 waits for rank 1");
  if (what == "limit") throw std::runtime_error("limit " + std::to_string(run.options.limit_simulated_time.fs()));
  if (what == "sleep") std::this_thread::sleep_for(std::chrono::seconds(60));
  if (what == "grow") {
    const std::vector<char> large(200'000'000, 'x');
    std::this_thread::sleep_for(std::chrono::seconds(large[1] == 'x' ? 60 : 0));
  }
  recorder.rate("bandwidth", "size", "latency");
  recorder.row()
      .bytes("size", 8_B)
      .time("latency", Time::from_fs(static_cast<std::int64_t>(what.size()) * 1'000'000))
      .count("iterations", 100)
      .text("mode", what);
  return {1, 2, 3_us};
}

}  // namespace tsunagi::test
