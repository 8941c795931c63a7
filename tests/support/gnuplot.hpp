// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "support/catch.hpp"

namespace tsunagi::test {

/// Fails the test where there is no gnuplot: tools/packages.sh installs it, and a test that does nothing would pass.
inline void require_gnuplot() {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
    FAIL("this test needs gnuplot; sh tools/packages.sh installs it");
}

}  // namespace tsunagi::test
