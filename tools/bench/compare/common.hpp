// SPDX-License-Identifier: Apache-2.0
// What all drivers share: how they count their time, and what they print.
#pragma once

#include <sys/resource.h>

#include <cstdio>
#include <string>

namespace compare {

/// CPU seconds of this process so far.
inline double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/// One line that compare.py reads.
inline void report(const std::string& what, double hops, double seconds, double simulated_s) {
  std::printf("{\"name\": \"%s\", \"packet_hops\": %.0f, \"cpu_s\": %.6f, \"simulated_s\": %.9f}\n", what.c_str(), hops,
              seconds, simulated_s);
}

}  // namespace compare
