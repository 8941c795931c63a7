// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::host {

/// Who is told of each write of a packet to a memory, in the order in which they come: for instruments, which look
/// without being part of the machine.
class WriteListener {
 public:
  virtual ~WriteListener() = default;
  /// `n` bytes from `address` on, which can be seen from `when` (now or later) on; `origin` as their packet says it.
  virtual void written(std::uint64_t address, Bytes n, std::uint32_t origin, Time when) = 0;
};

}  // namespace tsunagi::host
