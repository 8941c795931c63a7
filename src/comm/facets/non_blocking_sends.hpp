// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/buffer.hpp"
#include "comm/request.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// A library's own sends, without a tag, that return before the buffer may be used again.
class NonBlockingSends {
 public:
  virtual ~NonBlockingSends() = default;
  /// Throws config::ConfigError if `isend` does not take `b`. Before time 0.
  virtual void check_isend(int /*from*/, int /*to*/, const Buffer& /*b*/) const {}
  /// Starts to send `b` and returns when the caller may go on; the request tells how far it got.
  virtual Request isend(Fiber& f, int from, int to, const Buffer& b) = 0;
};

}  // namespace tsunagi::comm
