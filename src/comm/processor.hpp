// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/buffer.hpp"
#include "comm/fiber.hpp"

namespace tsunagi::comm {

/// What computes for a rank: plain time and no costs of its own, unless a library has a core for it.
class Processor {
 public:
  virtual ~Processor() = default;
  /// Is busy for that time.
  virtual void compute(Fiber& f, int /*rank*/, Time t) { f.wait_for(t); }
  /// Copies `from` to `to`, both of that rank and equally long.
  virtual void copy(Fiber& /*f*/, int /*rank*/, const Buffer& /*to*/, const Buffer& /*from*/) {}
  /// Combines `n` bytes of two operands of a reduction into one of them.
  virtual void combine(Fiber& /*f*/, int /*rank*/, Bytes /*n*/) {}
};

}  // namespace tsunagi::comm
