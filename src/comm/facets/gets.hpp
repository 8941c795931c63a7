// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/buffer.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// A library's reads of other ranks' memory.
class Gets {
 public:
  virtual ~Gets() = default;
  /// Throws config::ConfigError if rank `rank` cannot fetch `b` of rank `peer`. Before time 0.
  virtual void check_get(int /*rank*/, int /*peer*/, const Buffer& /*b*/) const {}
  /// Fetches `b` of rank `peer`, at its place and offset, to `b`'s target at rank `rank`; returns when it is there.
  virtual void get(Fiber& f, int rank, int peer, const Buffer& b) = 0;
};

}  // namespace tsunagi::comm
