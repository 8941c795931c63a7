// SPDX-License-Identifier: Apache-2.0
// What the SimGrid drivers share.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <simgrid/s4u.hpp>
#include <string>

namespace compare {

namespace sg = simgrid::s4u;

/// CPU seconds of this process so far.
inline double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/// One line that compare.sh reads.
inline void report(const char* what, double hops, double seconds, double simulated_s) {
  std::printf("{\"name\": \"%s\", \"packet_hops\": %.0f, \"cpu_s\": %.6f, \"simulated_s\": %.9f}\n", what, hops,
              seconds, simulated_s);
}

/// Sizes, not data: what a message carries.
inline void* nothing() {
  static int token = 0;
  return &token;
}

}  // namespace compare
