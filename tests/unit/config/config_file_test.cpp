// SPDX-License-Identifier: Apache-2.0
// What can be named as a config file: files, pipes and FIFOs that somebody writes, and nothing that never ends.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "config/text/file_text.hpp"
#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_file_test {

using namespace world;

namespace {

std::string load_complaint(const std::string& file) {
  try {
    config::load(file);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return {};
}

/// "/dev/fd/N" of the reading end of a pipe, which this closes.
class Pipe {
 public:
  Pipe() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~Pipe() { ::close(ends_[0]); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  std::string name() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  void write(const std::string& text) const { REQUIRE(::write(ends_[1], text.data(), text.size()) > 0); }
  void close() const { ::close(ends_[1]); }

 private:
  std::array<int, 2> ends_{};
};

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(150)); }

}  // namespace

TEST_CASE("devices are refused as config files") {
  CHECK(load_complaint("/dev/zero") == "/dev/zero: cannot be read: is a device");
  CHECK(load_complaint("/dev/null") == "/dev/null: cannot be read: is a device");
  const Folder folder(std::vector<std::pair<std::string, std::string>>{{"m.json", R"({"$use": "/dev/zero"})"}});
  const auto document = config::load("m.json");
  REQUIRE(document.problems.size() == 1);
  CHECK(document.problems[0].line() == "m.json:1:10: \"$use\" of \"/dev/zero\" fails: is a device");
}

TEST_CASE("a FIFO that nobody writes to is refused, one with a writer is read") {
  const Folder folder(std::vector<std::pair<std::string, std::string>>{});
  REQUIRE(::mkfifo("fifo", 0600) == 0);
  CHECK(load_complaint("fifo") == "fifo: cannot be read: is a FIFO that nobody writes to");
  std::thread late([] {
    pause();
    std::ofstream("fifo") << R"({"low": 5})";
  });
  CHECK(config::read<Options>(config::load("fifo"), kinds()).low == 5);
  late.join();
}

TEST_CASE("a pipe is read until its writer closes it, however slow that is") {
  const Pipe pipe;
  std::thread slow([&] {
    pause();
    pipe.write("{\"low\":");
    pause();
    pipe.write(" 6}");
    pipe.close();
  });
  CHECK(config::read<Options>(config::load(pipe.name()), kinds()).low == 6);
  slow.join();
  const Pipe empty;
  empty.close();
  CHECK_THAT(load_complaint(empty.name()), Catch::Contains(":1:1: syntax error"));
}

TEST_CASE("a used file outside of the config's folder that is no JSON is not shown") {
  const Folder folder({{"d/m.json", R"({"$use": "../secret"})"},
                       {"d/n.json", R"({"$use": "own"})"},
                       {"d/own", "swordfish"},
                       {"secret", "swordfish:x"}});
  const auto problem = [](const std::string& file) { return config::load(file).problems.at(0).line(); };
  CHECK(problem("d/m.json") == "secret:1:1: syntax error while parsing value - invalid literal");
  CHECK_THAT(problem("d/n.json"), Catch::Contains("last read: 's'"));
}

TEST_CASE("what says that it is a file and lets one wait is refused") {
  std::string why;
  if (::access("/proc/kmsg", R_OK) != 0) return;  // the system's log, which is the kernel's to show
  CHECK_FALSE(config::detail::read_text("/proc/kmsg", why));
}

TEST_CASE("a pipe that nobody writes to any more ends with a signal that is blocked, too") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const Pipe held;
  std::thread later([main = ::pthread_self()] {
    pause();
    ::pthread_kill(main, SIGTERM);
  });
  CHECK(load_complaint(held.name()) == held.name() + ": cannot be read: interrupted");
  later.join();
  held.close();
  int taken = 0;
  ::sigwait(&blocked, &taken);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(taken == SIGTERM);
}

TEST_CASE("what programs keep in their folders is read as it lies there: no link, no device, no FIFO") {
  const Folder folder(std::vector<std::pair<std::string, std::string>>{{"kept", "text"}});
  std::string why;
  CHECK(config::detail::read_own_text("kept", why) == "text");
  REQUIRE(::symlink("kept", "link") == 0);
  REQUIRE(::mkfifo("fifo", 0600) == 0);
  const auto refused = [&why](const char* file) {
    CHECK_FALSE(config::detail::read_own_text(file, why));
    return why;
  };
  CHECK(refused("link") == "is a symbolic link");
  CHECK(refused("fifo") == "is no regular file");
  CHECK(refused("/dev/zero") == "is no regular file");
  CHECK(refused(".") == "Is a directory");
  CHECK(refused("gone") == "No such file or directory");
  REQUIRE(::truncate("kept", off_t{1} << 40) == 0);
  CHECK(refused("kept") == "is larger than 1024 MiB");
}

TEST_CASE("a document knows the files that it was read from") {
  const Folder folder({{"m.json", R"({"$use": "parts/a.json", "options": {"$use": "parts/b.json"}})"},
                       {"parts/a.json", R"({"topology": {"$use": "b.json"}, "x": {"$use": "gone.json"}})"},
                       {"parts/b.json", "{}"},
                       {"o.json", "{}"}});
  const auto document = config::load("m.json", {{"/name", R"({"$use": "o.json"})"}, {"/options", "1"}});
  std::vector<std::string> names;
  for (const auto& file : document.files) names.push_back(file.string());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"m.json", "o.json", "parts/a.json", "parts/b.json"});
}

}  // namespace config_file_test
