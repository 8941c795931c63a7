// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm/command.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "runner/interrupt_watch.hpp"
#include "sweep/slurm/script.hpp"

namespace tsunagi::sweep::slurm {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// In the child: a group of its own, so that a terminal's Ctrl-C is ours alone.
[[noreturn]] void become(const std::filesystem::path& file, const sigset_t& signals) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  ::execl("/bin/sh", "sh", file.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

Answer ask(const std::vector<std::string>& words) {
  std::FILE* const pipe = ::popen((quoted(words) + " 2>&1 </dev/null").c_str(), "re");
  if (pipe == nullptr) fail("cannot start " + words.front());
  Answer out;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) out.text.append(part.data(), n);
  out.code = code_of(::pclose(pipe));
  return out;
}

Ended run_script(const std::filesystem::path& file) {
  runner::InterruptWatch watch;
  const pid_t child = ::fork();
  if (child < 0) fail("cannot start a shell");
  if (child == 0) become(file, watch.mask_of_children());
  ::setpgid(child, child);  // whoever of us is first
  Ended out;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    pollfd polled{watch.fd(), POLLIN, 0};
    ::poll(&polled, 1, 20);
    if (!watch.take()) continue;
    ::kill(out.interrupted ? -child : child, SIGTERM);
    out.interrupted = true;
  }
  out.code = code_of(status);
  return out;
}

}  // namespace tsunagi::sweep::slurm
