// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"

namespace tsunagi::test {

/// Exit 2, nothing on standard output, and it says this.
inline void expect_refusal(const Ended& end, const std::string& says) {
  CAPTURE(end.out, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

/// A wrong call: a refusal of one line. What the program did.
inline Ended expect_refused(const std::vector<std::string>& arguments, const std::string& says) {
  Ended end = run_program(arguments);
  CAPTURE(arguments);
  expect_refusal(end, says);
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  return end;
}

}  // namespace tsunagi::test
