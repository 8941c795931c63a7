// SPDX-License-Identifier: Apache-2.0
#include "runner/stream.hpp"

#include <malloc.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "runner/child.hpp"
#include "runner/interrupt_watch.hpp"

namespace tsunagi::runner {
namespace {

/// How often memory is looked at.
constexpr double memory_period_s = 0.01;

/// How often whoever watches is told.
constexpr double watch_period_s = 0.2;

using Clock = std::chrono::steady_clock;

/// How often, and how many times, a process is asked for while there is none and none of ours will end.
constexpr std::chrono::milliseconds crowd_period(100);
constexpr int crowd_patience = 100;

/// The system is out of processes, memory or descriptors for the moment.
bool is_crowded(const std::error_code& error) {
  using std::errc;
  return error == errc::resource_unavailable_try_again || error == errc::not_enough_memory ||
         error == errc::too_many_files_open || error == errc::too_many_files_open_in_system;
}

/// Runs tasks, some at a time.
class Stream {
 public:
  Stream(const NextTask& next, const Simulate& simulate, const Options& options)
      : next_(next), simulate_(simulate), options_(options) {}

  bool run() {
#ifdef __GLIBC__
    // What planning has left behind is put in order once here; else each child does so, in pages that it copies first.
    ::malloc_trim(0);
#endif
    while (!interrupted_ && (more_ || !held_.empty() || !active_.empty())) {
      if (has_room()) start_child();
      if (!active_.empty() || !held_.empty())
        wait_for_news();  // else a signal is not ours to take: nothing is cut short
    }
    for (Slot& slot : active_) slot.child->ask_to_stop();
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.patience_s));
    for (Slot& slot : active_) {
      Outcome outcome = slot.child->interrupt(deadline);
      report::add_attempt(outcome.cost, slot.before);
      slot.task.ended(std::move(outcome));
    }
    for (Attempt& attempt : held_) attempt.task.ended({});
    return !interrupted_;
  }

 private:
  /// A run that is to be begun, for the first time or again.
  struct Attempt {
    Task task;
    std::string findings;
    report::Cost before = {};  // of the attempts that were repeated
  };
  struct Slot {
    Task task;
    std::unique_ptr<Child> child;
    report::Cost before = {};
    bool over = false;

    double seconds_since_start() const { return before.wall_s + child->seconds_since_start(); }
  };

  /// While the system has no more to give, one of ours must end first.
  bool has_room() const {
    if (crowded_ > 0 && !active_.empty()) return false;
    return (more_ || !held_.empty()) && active_.size() < static_cast<std::size_t>(options_.jobs);
  }

  void start_child() {
    if (held_.empty()) {
      std::optional<Task> task = next_();
      more_ = task.has_value();
      if (!more_ || !task->config) return;
      held_.push_back({std::move(*task), {}});
    }
    const Attempt& first = held_.back();
    try {
      auto child = std::make_unique<Child>(first.task.config, first.findings, simulate_, watch_.mask_of_children());
      active_.push_back({first.task, std::move(child), first.before});
      held_.pop_back();
      crowded_ = 0;
    } catch (const std::system_error& error) {
      const bool mine = error.code() == std::errc::too_many_files_open;  // nobody else gives any back
      if (!is_crowded(error.code()) || (active_.empty() && (mine || ++crowded_ > crowd_patience))) throw;
      crowded_ = std::max(crowded_, 1);
      if (active_.empty()) std::this_thread::sleep_for(crowd_period);
    }
  }

  /// Milliseconds until something has to be done without news; -1: never.
  int patience() const {
    if (has_room() || active_.empty()) return 0;
    if (!options_.limit_wall_s && !options_.limit_memory && !options_.watch) return -1;
    double least = options_.limit_memory ? memory_period_s : options_.watch ? watch_period_s : 3600;
    if (options_.limit_wall_s)
      for (const Slot& slot : active_) least = std::min(least, *options_.limit_wall_s - slot.seconds_since_start());
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
    tell_watch();
  }

  void tell_watch() {
    if (!options_.watch || active_.empty() || Clock::now() < watch_next_) return;
    watch_next_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(watch_period_s));
    Glance all;
    for (const Slot& slot : active_) {
      const Glance one = slot.child->glance();
      all = {all.rows + one.rows, one.simulated, one.done, one.all};
    }
    options_.watch(all);
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
    slot.over = true;
    crowded_ = 0;
    if (outcome.status == Status::ok && !outcome.findings.empty()) {
      held_.push_back({std::move(slot.task), outcome.findings, outcome.cost});
      return;
    }
    if (outcome.status == Status::interrupted) interrupted_ = true;
    slot.task.ended(std::move(outcome));
  }

  const NextTask& next_;
  const Simulate& simulate_;
  const Options& options_;
  InterruptWatch watch_;
  std::vector<Slot> active_;
  std::vector<Attempt> held_;
  bool more_ = true;
  int crowded_ = 0;  // times in a row that the system had no process for us
  bool interrupted_ = false;
  Clock::time_point watch_next_ = Clock::now();
};

}  // namespace

bool run_stream(const NextTask& next, const Simulate& simulate, const Options& options) {
  if (options.jobs < 1) throw std::invalid_argument("a stream of runs needs at least one job");
  return Stream(next, simulate, options).run();
}

}  // namespace tsunagi::runner
