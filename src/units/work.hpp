// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "units/bytes.hpp"
#include "units/clock.hpp"
#include "units/rate.hpp"

namespace tsunagi {

/// Of floating-point operations.
enum class Precision : std::uint8_t { double_precision = 0, single = 1 };

/// What a computation is worth, whoever computes it: floating-point operations (an addition or a multiplication is one,
/// a fused one two) and the bytes that it moves between its processor and the memory.
struct Work {
  std::int64_t flops = 0;
  Bytes touched;
  Precision precision = Precision::double_precision;
};

/// How long `w` takes a processor: the longer of both, whole cycles of its peak and the bytes at the memory's rate
/// (roofline model: Williams, Waterman, Patterson, CACM 52(4), 2009). `flops_per_cycle` > 0.
inline Time roofline(const Work& w, const Clock& clock, std::int64_t flops_per_cycle, Rate memory) {
  const Time computed = clock.cycles((w.flops + flops_per_cycle - 1) / flops_per_cycle);
  const Time moved = memory.time(w.touched);
  return moved > computed ? moved : computed;
}

}  // namespace tsunagi
