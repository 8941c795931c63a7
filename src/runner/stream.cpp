// SPDX-License-Identifier: Apache-2.0
#include "runner/stream.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "runner/child.hpp"
#include "runner/interrupt_watch.hpp"

namespace tsunagi::runner {
namespace {

/// How often memory is looked at.
constexpr double memory_period_s = 0.01;

/// Runs tasks, some at a time.
class Stream {
 public:
  Stream(const NextTask& next, const Simulate& simulate, const Options& options)
      : next_(next), simulate_(simulate), options_(options) {}

  bool run() {
    while (!interrupted_ && (more_ || !active_.empty())) {
      if (has_room()) start_child();
      wait_for_news();
    }
    for (Slot& slot : active_) slot.task.ended(slot.child->interrupt());
    return !interrupted_;
  }

 private:
  struct Slot {
    Task task;
    std::unique_ptr<Child> child;
    report::Cost before = {};  // of the attempts that were repeated
    bool over = false;

    double seconds_since_start() const { return before.wall_s + child->seconds_since_start(); }
  };

  bool has_room() const { return more_ && active_.size() < static_cast<std::size_t>(options_.jobs); }

  std::unique_ptr<Child> attempt(const Task& task, const std::string& lesson) {
    return std::make_unique<Child>(task.config, lesson, simulate_, watch_.mask_before());
  }

  void start_child() {
    std::optional<Task> task = next_();
    more_ = task.has_value();
    if (!more_ || !task->config) return;
    auto child = attempt(*task, {});
    active_.push_back({std::move(*task), std::move(child)});
  }

  /// Milliseconds until something has to be done without news; -1: never.
  int patience() const {
    if (has_room() || active_.empty()) return 0;
    double least = options_.limit_memory ? memory_period_s : 3600;
    if (options_.limit_wall_s)
      for (const Slot& slot : active_) least = std::min(least, *options_.limit_wall_s - slot.seconds_since_start());
    else if (!options_.limit_memory)
      return -1;
    return static_cast<int>(std::ceil(std::max(0.0, least) * 1000));
  }

  void wait_for_news() {
    std::vector<pollfd> polled{{watch_.fd(), POLLIN, 0}};
    for (const Slot& slot : active_) polled.push_back({slot.child->fd(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), patience()) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    if (watch_.take()) {
      interrupted_ = true;
      return;
    }
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (polled[i + 1].revents != 0 && !active_[i].child->read_some()) end(active_[i], finished(*active_[i].child));
    for (Slot& slot : active_)
      if (!slot.over) enforce_limits(slot);
    active_.erase(std::remove_if(active_.begin(), active_.end(), [](const Slot& s) { return s.over; }), active_.end());
  }

  void enforce_limits(Slot& slot) {
    if (options_.limit_wall_s && slot.seconds_since_start() >= *options_.limit_wall_s)
      end(slot, slot.child->time_out(*options_.limit_wall_s));
    else if (options_.limit_memory && slot.child->resident() > *options_.limit_memory)
      end(slot, slot.child->too_large(*options_.limit_memory));
  }

  /// The outcome of a child that ended itself; too much memory is too much, whether it was seen in time or not.
  Outcome finished(Child& child) {
    Outcome out = child.finish();
    if (out.status == Status::ok && options_.limit_memory && out.cost.peak_rss_bytes > options_.limit_memory->count())
      return Child::too_large_outcome(*options_.limit_memory, out.cost);
    return out;
  }

  void end(Slot& slot, Outcome outcome) {
    report::add_attempt(outcome.cost, slot.before);
    if (outcome.status == Status::ok && !outcome.lesson.empty()) {
      slot.before = outcome.cost;
      slot.child = attempt(slot.task, outcome.lesson);
      return;
    }
    if (outcome.status == Status::interrupted) interrupted_ = true;
    slot.over = true;
    slot.task.ended(std::move(outcome));
  }

  const NextTask& next_;
  const Simulate& simulate_;
  const Options& options_;
  InterruptWatch watch_;
  std::vector<Slot> active_;
  bool more_ = true;
  bool interrupted_ = false;
};

}  // namespace

bool run_stream(const NextTask& next, const Simulate& simulate, const Options& options) {
  if (options.jobs < 1) throw std::invalid_argument("a stream of runs needs at least one job");
  return Stream(next, simulate, options).run();
}

}  // namespace tsunagi::runner
