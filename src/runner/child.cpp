// SPDX-License-Identifier: Apache-2.0
#include "runner/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>

#include "config/config.hpp"
#include "config/text/printable.hpp"
#include "runner/message.hpp"
#include "units/parse.hpp"

namespace tsunagi::runner {
namespace {

std::int64_t microseconds(const timeval& t) { return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_usec; }

void send(int fd, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = ::write(fd, text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the parent has gone
    sent += static_cast<std::size_t>(n);
  }
}

Outcome failure(Status status, std::vector<std::string> messages) {
  Outcome out;
  out.status = status;
  out.messages = std::move(messages);
  return out;
}

/// What came of a simulation that returned.
Outcome outcome_of(const Counts& counts, const report::Rows& rows) {
  Outcome out;
  if (counts.stopped)
    out = failure(Status::interrupted, {"interrupted"});
  else if (!counts.problems.empty())
    out = failure(Status::failed, counts.problems);
  else
    out.status = Status::ok;
  out.incomplete = counts.stopped;
  if (!counts.stopped) out.findings = counts.findings;
  if (counts.findings.empty()) out.rows = rows;  // else they are worth nothing
  out.counters = counts.counters;
  out.report = counts.report;
  out.cost.wakeups = counts.wakeups;
  out.cost.packet_hops = counts.packet_hops;
  out.cost.simulated = counts.simulated;
  return out;
}

/// Why a simulation threw; called while what it threw is handled.
Outcome thrown() {
  try {
    throw;
  } catch (const config::ConfigError& e) {
    Outcome out = failure(Status::config_error, {});
    for (const config::Message& message : e.messages()) out.messages.push_back(message.line());
    out.config_errors = e.messages();
    return out;
  } catch (const std::bad_alloc&) {
    return failure(Status::failed, {"the simulation ran out of memory"});
  } catch (const std::exception& e) {
    return failure(Status::failed, {config::told_by(e)});
  } catch (...) {
    return failure(Status::failed, {"the simulation threw something that is no std::exception"});
  }
}

Outcome simulate_here(const std::function<RunConfig()>& config, const std::string& findings, const Simulate& simulate,
                      Oversight& by) {
  report::Recorder recorder;
  recorder.on_row(
      [&by](std::size_t rows) { by.rows.store(static_cast<std::int64_t>(rows), std::memory_order_relaxed); });
  recorder.on_iteration([&by](int done, int all) {
    by.done.store(done, std::memory_order_relaxed);
    by.all.store(all, std::memory_order_relaxed);
  });
  try {
    return outcome_of(simulate(config(), findings, recorder), recorder.rows());
  } catch (...) {
    Outcome out = thrown();
    out.rows = recorder.rows();
    out.incomplete = true;
    return out;
  }
}

/// The child's whole life. Results go through the pipe only: what the simulation prints
/// becomes standard error. _exit, so that nothing of the parent is flushed or destroyed twice.
[[noreturn]] void live(const std::function<RunConfig()>& config, const std::string& findings, const Simulate& simulate,
                       const sigset_t& signals, int fd, pid_t parent, Oversight& by) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  become_overseen(by);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  send(fd, pack(simulate_here(config, findings, simulate, by)));
  std::fflush(nullptr);
  ::_exit(0);
}

/// Waits until there is something to read, or its end; false if there was nothing by `deadline`.
bool is_readable(int fd, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd polled{fd, POLLIN, 0};
    const int n = ::poll(&polled, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (n >= 0 || errno != EINTR) return n > 0;
  }
}

std::string why_no_message(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* hint = signal == SIGKILL ? "; the system may have run out of memory" : "";
    return fmt::format("the simulation was ended by signal {} ({}){}", signal, ::strsignal(signal), hint);
  }
  return fmt::format("the simulation process ended with code {} and without a result", WEXITSTATUS(status));
}

}  // namespace

Child::Child(const std::function<RunConfig()>& config, const std::string& findings, const Simulate& simulate,
             const sigset_t& signals)
    : start_(std::chrono::steady_clock::now()) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::close(ends[0]);
    live(config, findings, simulate, signals, ends[1], parent, *oversight_);
  }
  const int error = errno;
  ::close(ends[1]);
  fd_ = ends[0];
  if (pid_ < 0) {
    ::close(fd_);
    throw std::system_error(error, std::generic_category(), "cannot start a process");
  }
}

Child::~Child() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    report::Cost unused;
    reap(unused);
  }
  ::close(fd_);
}

Glance Child::glance() const {
  return {oversight_->rows, Time::from_fs(oversight_->simulated_fs), oversight_->done, oversight_->all};
}

double Child::seconds_since_start() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Child::read_some() {
  std::array<char, 8192> some;  // on a stack that may have 64 KiB; nobody sets it to zero
  ssize_t n = 0;
  do {
    n = ::read(fd_, some.data(), some.size());
  } while (n < 0 && errno == EINTR);
  if (n > 0) received_.append(some.data(), static_cast<std::size_t>(n));
  return n > 0;
}

int Child::reap(report::Cost& cost) {
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  cost.wall_s = seconds_since_start();
  cost.cpu_s = static_cast<double>(microseconds(usage.ru_utime) + microseconds(usage.ru_stime)) / 1e6;
  cost.peak_rss_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  return status;
}

Outcome Child::finish() {
  report::Cost measured;
  const int status = reap(measured);
  Outcome out;
  try {
    out = unpack(received_);
  } catch (const std::runtime_error&) {
    out = failure(Status::failed, {why_no_message(status)});
  }
  if (out.cost.simulated == Time::zero()) out.cost.simulated = glance().simulated;
  out.cost.wall_s = measured.wall_s;
  out.cost.cpu_s = measured.cpu_s;
  out.cost.peak_rss_bytes = measured.peak_rss_bytes;
  return out;
}

Outcome Child::kill_and_reap(Status status, std::string message) {
  ::kill(pid_, SIGKILL);
  Outcome out = failure(status, {std::move(message)});
  reap(out.cost);
  return out;
}

Outcome Child::time_out(double limit_s) {
  return kill_and_reap(Status::failed, fmt::format("the simulation took longer than {:g} s and was stopped", limit_s));
}

Bytes Child::resident() const {
  std::ifstream statm(fmt::format("/proc/{}/statm", pid_));
  std::int64_t pages_of_program = 0;
  std::int64_t pages = 0;
  statm >> pages_of_program >> pages;  // a failed reading leaves zero
  return Bytes(pages * ::sysconf(_SC_PAGESIZE));
}

Outcome Child::too_large(Bytes limit) {
  const Outcome killed = kill_and_reap(Status::failed, {});
  return too_large_outcome(limit, killed.cost);
}

Outcome Child::too_large_outcome(Bytes limit, const report::Cost& cost) {
  Outcome out =
      failure(Status::failed, {fmt::format("the simulation used more than {} and was stopped", to_string(limit))});
  out.cost = cost;
  return out;
}

Outcome Child::interrupt(std::chrono::steady_clock::time_point deadline) {
  ask_to_stop();
  while (is_readable(fd_, deadline))
    if (!read_some()) {
      Outcome out = finish();
      return out.findings.empty() ? out : failure(Status::interrupted, {"interrupted"});
    }
  return kill_and_reap(Status::interrupted, "interrupted");
}

}  // namespace tsunagi::runner
