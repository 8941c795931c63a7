// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace tsunagi::scenarios {

/// A class of NPB FT: points in x, y and z as powers of two; slabs are of planes in z, then in y.
struct FtClass {
  const char* name;
  int x_log2;
  int y_log2;
  int z_log2;
  int iterations;
  int points_log2() const { return x_log2 + y_log2 + z_log2; }
  std::int64_t points() const { return std::int64_t{1} << points_log2(); }
  int planes() const { return 1 << z_log2; }
  /// Floating-point operations as ft.f counts them for its Mflop/s: all that is timed.
  std::int64_t operations() const {
    constexpr double ln_2 = 0.6931471805599453;
    const double ln = points_log2() * ln_2;
    const double a_point = 14.8157 + 7.19641 * ln + (5.23518 + 7.21113 * ln) * iterations;
    return std::llround(static_cast<double>(points()) * a_point);
  }
};

}  // namespace tsunagi::scenarios
