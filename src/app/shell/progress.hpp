// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "runner/runner.hpp"

namespace tsunagi::app {

/// How long a run may take after Ctrl-C to hand over what it has: nobody minds, and it is time enough.
constexpr double patience_s = 0.4;

/// "4.562 ms": simulated time for people who watch it pass.
std::string rounded_time(Time t);

/// A line on standard error that says how far long work is, if somebody may be watching (stderr_is_watched): there
/// after a second, drawn over itself five times a second at most, gone when this ends. It has no escape codes, so that
/// dumb terminals and those without colours show it, too. For work of many runs, which is often started from a script
/// or with its output in a file, a plain line now and then where standard error is no terminal.
class ProgressLine {
 public:
  /// `command`: whose plain lines are written where no terminal is, after five seconds and every five from then on;
  /// null: there is nothing to be seen there.
  explicit ProgressLine(const char* command = nullptr);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool watched() const { return way_ != Way::silent; }
  double seconds() const;
  /// Shows `text`, unless it is too early for that.
  void draw(const std::string& text);
  /// Makes room for other lines.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Way { silent, drawn_over, lines };
  Way way_;
  const char* command_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;
  std::size_t drawn_ = 0;  // columns
};

/// Shows how far runs are while it lives: of several how many have ended, of one its rows and its simulated time, or
/// its iterations and how long the others will take if they take as long.
class RunProgress {
 public:
  /// `options`, with which the runs are run, tells it. `command`: as ProgressLine's.
  explicit RunProgress(runner::Options& options, const char* command = nullptr);

 private:
  std::string text(const runner::Glance& glance);
  std::string of_iterations(const runner::Glance& glance);

  ProgressLine line_;
  std::size_t done_ = 0;
  std::size_t total_ = 1;
  int iterations_ = 0;  // that were over when last looked, and how long ago that began
  double since_s_ = 0;
};

}  // namespace tsunagi::app
