// SPDX-License-Identifier: Apache-2.0
#include "app/shell/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/shell/output.hpp"
#include "sweep/results/progress.hpp"

namespace tsunagi::app {
namespace {

constexpr auto first_after = std::chrono::seconds(1);
constexpr auto period = std::chrono::milliseconds(200);
constexpr auto period_of_lines = std::chrono::seconds(5);

/// A longer line would not be drawn over.
std::size_t columns_of_stderr() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string rounded_time(Time t) {
  constexpr std::pair<const char*, double> units[] = {{"s", 1e15}, {"ms", 1e12}, {"us", 1e9}, {"ns", 1e6}};
  const auto fs = static_cast<double>(t.fs());
  for (const auto& [name, size] : units)
    if (fs >= size) return fmt::format("{:.4g} {}", fs / size, name);
  return fmt::format("{:.4g} ns", fs / 1e6);
}

ProgressLine::ProgressLine(const char* command)
    : way_(stderr_is_watched()                 ? Way::drawn_over
           : command != nullptr && !is_quiet() ? Way::lines
                                               : Way::silent),
      command_(command),
      next_(begin_) {
  next_ += way_ == Way::lines ? period_of_lines : first_after;
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void ProgressLine::draw(const std::string& text) {
  if (!watched() || Clock::now() < next_) return;
  if (way_ == Way::lines) {
    next_ = Clock::now() + period_of_lines;
    return write_note(fmt::format("tsunagi {}: {}\n", command_, text));
  }
  next_ = Clock::now() + period;
  const std::string line = text.substr(0, columns_of_stderr() - 1);
  const std::size_t before = std::exchange(drawn_, line.size());
  write_progress(fmt::format("\r{:<{}}", line, before));
}

void ProgressLine::clear() {
  if (drawn_ > 0) write_progress(fmt::format("\r{:{}}\r", "", std::exchange(drawn_, 0)));
}

RunProgress::RunProgress(runner::Options& options, const char* command) : line_(command) {
  if (!line_.watched()) return;
  options.progress = [this](std::size_t done, std::size_t total) {
    done_ = done;
    total_ = total;
  };
  options.watch = [this](const runner::Glance& glance) { line_.draw(text(glance)); };
}

std::string RunProgress::of_iterations(const runner::Glance& glance) {
  const double now = line_.seconds();
  if (glance.done != std::exchange(iterations_, glance.done)) since_s_ = now;
  std::string out = fmt::format("iteration {} of {}, simulated {}, {}", std::min(glance.done + 1, glance.all),
                                glance.all, rounded_time(glance.simulated), sweep::clock(now));
  if (glance.done > 0)
    out += fmt::format(", about {} left", sweep::clock(std::max(0.0, since_s_ / glance.done * glance.all - now)));
  return out;
}

std::string RunProgress::text(const runner::Glance& glance) {
  const std::string clock = sweep::clock(line_.seconds());
  if (total_ > 1) return fmt::format("{} of {} runs, {}", done_, total_, clock);
  if (glance.all > 1) return of_iterations(glance);
  return fmt::format("{} row{}, simulated {}, {}", glance.rows, glance.rows == 1 ? "" : "s",
                     rounded_time(glance.simulated), clock);
}

}  // namespace tsunagi::app
