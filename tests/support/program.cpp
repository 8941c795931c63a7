// SPDX-License-Identifier: Apache-2.0
#include "support/program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace tsunagi::test {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File temporary_file() {
  File file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error("no temporary file");
  return file;
}

std::string content(std::FILE* file) {
  std::string out;
  std::array<char, 4096> buffer{};
  std::rewind(file);
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file)) out.append(buffer.data(), n);
  return out;
}

/// The writing end of a pipe that nobody reads.
int closed_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  ::close(ends[0]);
  return ends[1];
}

[[noreturn]] void become(const char* program, const std::vector<std::string>& arguments, const Surroundings& s, int out,
                         int err) {
  std::vector<char*> argv{const_cast<char*>(program)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  for (const auto& [name, value] : s.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (!s.folder.empty() && ::chdir(s.folder.c_str()) != 0) ::_exit(127);
  if (s.largest_file > 0) {
    const rlimit limit{s.largest_file, s.largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_DFL);  // not as our caller may have it
  }
  if (s.stack > 0) {
    const rlimit limit{s.stack, s.stack};
    ::setrlimit(RLIMIT_STACK, &limit);
  }
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::execv(program, argv.data());
  ::_exit(127);
}

/// The first child of a process. Throws std::runtime_error if there is none.
pid_t child_of(pid_t parent) {
  pid_t child = 0;
  std::ifstream("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children") >> child;
  if (child <= 0) throw std::runtime_error("there is no child process");
  return child;
}

/// A terminal, and what was written to it, up to what it buffers.
class Terminal {
 public:
  Terminal() {
    const winsize size{24, 80, 0, 0};
    if (::openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
  }
  ~Terminal() {
    ::close(master_);
    ::close(slave_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  int slave() const { return slave_; }
  const std::string& content() {
    std::array<char, 4096> buffer{};
    ::fcntl(master_, F_SETFL, O_NONBLOCK);
    for (ssize_t n = 0; (n = ::read(master_, buffer.data(), buffer.size())) > 0;)
      content_.append(buffer.data(), static_cast<std::size_t>(n));
    return content_;
  }

 private:
  int master_ = -1;
  int slave_ = -1;
  std::string content_;
};

/// Until the program is to be interrupted; `err` is what it has said.
void wait_to_interrupt(const Surroundings& s, const std::function<std::string()>& err) {
  const auto nap = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  nap(s.interrupt_after_ms);
  for (int i = 0; i < 600 && s.interrupt_once && !s.interrupt_once(err()); ++i) nap(50);
}

}  // namespace

Ended run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  const char* program = std::getenv("TSUNAGI_BIN");
  if (program == nullptr) throw std::runtime_error("TSUNAGI_BIN does not name the program under test");
  const File out = temporary_file();
  const File err = temporary_file();
  std::optional<Terminal> terminal;
  if (surroundings.terminal) terminal.emplace();
  const int to = surroundings.closed_output ? closed_pipe() : ::fileno(out.get());
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) become(program, arguments, surroundings, to, terminal ? terminal->slave() : ::fileno(err.get()));
  if (surroundings.closed_output) ::close(to);
  const auto said = [&] { return terminal ? terminal->content() : content(err.get()); };
  if (surroundings.interrupt_after_ms > 0) {
    wait_to_interrupt(surroundings, said);
    ::kill(surroundings.interrupt_child ? child_of(pid) : pid, surroundings.interrupt);
  }
  int status = 0;
  rusage used{};
  ::wait4(pid, &status, 0, &used);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == 127) throw std::runtime_error(std::string("cannot start ") + program);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {code, content(out.get()), said(), static_cast<std::size_t>(used.ru_maxrss) * 1024,
          seconds(used.ru_utime) + seconds(used.ru_stime)};
}

}  // namespace tsunagi::test
