// SPDX-License-Identifier: Apache-2.0
#include "runner/runner.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>

#include "config/config.hpp"
#include "runner/child.hpp"

namespace tsunagi::runner {
namespace {

/// While it lives, Ctrl-C does not end this process but makes a descriptor readable.
class InterruptWatch {
 public:
  InterruptWatch() {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    ::sigprocmask(SIG_BLOCK, &interrupt, &before_);
    fd_ = ::signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd_ < 0) {
      const int error = errno;
      ::sigprocmask(SIG_SETMASK, &before_, nullptr);
      throw std::system_error(error, std::generic_category(), "signalfd");
    }
  }
  ~InterruptWatch() {
    ::close(fd_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  int fd() const { return fd_; }
  const sigset_t& mask_before() const { return before_; }
  /// Consumes what is pending; true if there was a Ctrl-C.
  bool take() {
    signalfd_siginfo info{};
    bool any = false;
    while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) any = true;
    return any;
  }

 private:
  sigset_t before_{};
  int fd_ = -1;
};

/// Equal texts: equal simulations. Names and titles are for people.
std::string identity(RunConfig run) {
  run.name.clear();
  run.title.clear();
  return config::resolved(run).dump();
}

/// Runs a list of distinct configs, some at a time.
class Batch {
 public:
  Batch(std::vector<const RunConfig*> runs, const Simulate& simulate, const Options& options)
      : runs_(std::move(runs)), simulate_(simulate), options_(options), outcomes_(runs_.size()) {}

  std::vector<Outcome> run() {
    while (!interrupted_ && (next_ < runs_.size() || !active_.empty())) {
      start_children();
      wait_for_news();
    }
    for (Slot& slot : active_) outcomes_[slot.run] = slot.child->interrupt();
    return std::move(outcomes_);
  }

 private:
  struct Slot {
    std::size_t run;
    std::unique_ptr<Child> child;
    report::Cost before = {};  // of the attempts that were repeated
    bool over = false;

    double seconds_since_start() const { return before.wall_s + child->seconds_since_start(); }
  };

  std::unique_ptr<Child> attempt(std::size_t run, const std::string& lesson) {
    return std::make_unique<Child>(*runs_[run], lesson, simulate_, watch_.mask_before());
  }

  void start_children() {
    while (next_ < runs_.size() && active_.size() < static_cast<std::size_t>(options_.jobs)) {
      active_.push_back({next_, attempt(next_, {})});
      ++next_;
    }
  }

  /// Milliseconds until the first child runs out of time; -1: never.
  int patience() const {
    if (!options_.limit_wall_s) return -1;
    double least = 3600;
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
      if (polled[i + 1].revents != 0 && !active_[i].child->read_some()) end(active_[i], active_[i].child->finish());
    for (Slot& slot : active_)
      if (!slot.over && options_.limit_wall_s && slot.seconds_since_start() >= *options_.limit_wall_s)
        end(slot, slot.child->time_out(*options_.limit_wall_s));
    active_.erase(std::remove_if(active_.begin(), active_.end(), [](const Slot& s) { return s.over; }), active_.end());
  }

  void end(Slot& slot, Outcome outcome) {
    report::add_attempt(outcome.cost, slot.before);
    if (outcome.status == Status::ok && !outcome.lesson.empty()) {
      slot.before = outcome.cost;
      slot.child = attempt(slot.run, outcome.lesson);
      return;
    }
    if (outcome.status == Status::interrupted) interrupted_ = true;
    outcomes_[slot.run] = std::move(outcome);
    slot.over = true;
    ++done_;
    if (options_.progress) options_.progress(done_, runs_.size());
  }

  std::vector<const RunConfig*> runs_;
  const Simulate& simulate_;
  const Options& options_;
  InterruptWatch watch_;
  std::vector<Slot> active_;
  std::vector<Outcome> outcomes_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  bool interrupted_ = false;
};

}  // namespace

std::vector<Outcome> run_many(const std::vector<RunConfig>& runs, const Simulate& simulate, const Options& options) {
  if (options.jobs < 1) throw std::invalid_argument("run_many needs at least one job");
  std::map<std::string, std::size_t> known;
  std::vector<const RunConfig*> distinct;
  std::vector<std::size_t> index;
  for (const RunConfig& run : runs) {
    const auto [place, is_new] = known.emplace(identity(run), distinct.size());
    if (is_new) distinct.push_back(&run);
    index.push_back(place->second);
  }
  const std::vector<Outcome> outcomes = Batch(distinct, simulate, options).run();
  std::vector<Outcome> out;
  for (const std::size_t i : index) out.push_back(outcomes[i]);
  return out;
}

Outcome run_one(const RunConfig& run, const Simulate& simulate, const Options& options) {
  return run_many({run}, simulate, options).front();
}

}  // namespace tsunagi::runner
