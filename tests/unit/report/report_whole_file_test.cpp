// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "report/whole_file.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace report_whole_file_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("a pipe that takes nothing for the moment is waited for") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  const std::string text(1 << 20, 'x');
  std::size_t read = 0;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = ::read(ends[0], part.data(), part.size())) > 0;) read += static_cast<std::size_t>(n);
  });
  CHECK(report::write_all(ends[1], text) == 0);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  CHECK(read == text.size());
}

TEST_CASE("of many writers of a new file one writes it, and nothing is left beside it") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "f";
  std::vector<pid_t> writers;
  for (int i = 0; i < 8; ++i) {
    writers.push_back(::fork());
    if (writers.back() == 0) ::_exit(report::write_new_file(file, std::to_string(i)) ? i : 100);
  }
  std::vector<int> wrote;
  for (const pid_t writer : writers) {
    int status = 0;
    ::waitpid(writer, &status, 0);
    if (WEXITSTATUS(status) != 100) wrote.push_back(WEXITSTATUS(status));
  }
  REQUIRE(wrote.size() == 1);
  CHECK(content(file) == std::to_string(wrote.front()));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK_THROWS_WITH(report::write_new_file(folder.path() / "none" / "f", "x"), Catch::Contains("cannot write"));
}

}  // namespace report_whole_file_test
