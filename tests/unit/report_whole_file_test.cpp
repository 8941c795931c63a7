// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "report/whole_file.hpp"
#include "support/catch.hpp"

namespace report_whole_file_test {

using namespace tsunagi;

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

}  // namespace report_whole_file_test
