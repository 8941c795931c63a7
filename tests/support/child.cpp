// SPDX-License-Identifier: Apache-2.0
#include "support/child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <stdexcept>

#include "support/catch.hpp"

namespace tsunagi::test {

namespace {

int failed_checks = 0;

/// Counts the checks that fail, which do not end a test: Catch's own count of a child dies with it.
class FailedChecks final : public AssertionListener {
 public:
  using AssertionListener::AssertionListener;
  void ended(bool ok) override { failed_checks += ok ? 0 : 1; }
};
CATCH_REGISTER_LISTENER(FailedChecks)

}  // namespace

std::string in_child(const std::function<std::string()>& f) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no child");
  if (child == 0) {
    int code = 0;
    std::string text;
    failed_checks = 0;
    try {
      text = f();
    } catch (const std::exception& e) {
      text = e.what();
      code = 1;
    } catch (...) {  // what a REQUIRE throws
      code = 1;
    }
    if (failed_checks > 0) {
      std::cout.flush();  // where Catch has said what failed
      text = std::to_string(failed_checks) + " checks failed in it; " + text;
      code = 1;
    }
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(ends[1], text.data() + done, text.size() - done);
      if (n <= 0) ::_exit(2);
      done += static_cast<std::size_t>(n);
    }
    ::_exit(code);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the child failed: " + text);
  return text;
}

}  // namespace tsunagi::test
