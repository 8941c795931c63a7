// SPDX-License-Identifier: Apache-2.0
// What can be named as a config file: files, pipes and FIFOs that somebody writes, and nothing that never ends.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

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
