// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/ceiling.hpp"
#include "comm/facets/puts.hpp"
#include "fiber/fiber.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// A copy from one memory of a rank's node to another.
struct DeviceCopy {
  PutSide source;
  PutSide target;
  Bytes size;
  /// Of two devices the one that copies, by its place: the source writes, the target reads; empty: the source.
  std::string by = {};
};

/// Copies between the memories of a node's devices, as a program on one of them asks for them.
class DeviceCopies {
 public:
  virtual ~DeviceCopies() = default;
  /// Throws config::ConfigError if rank `rank` cannot have that copied: a place that is not there or not reached, too
  /// many bytes for one copy, an offset that the hardware does not take. Before time 0.
  virtual void check_copy(int rank, const DeviceCopy& c) const = 0;
  /// Copies; returns when the rank has seen that it has been done. The result is what the library's own timer says: of
  /// a call on a core from its begin to its end, of hardware what that counts.
  virtual Time copy(Fiber& f, int rank, const DeviceCopy& c) = 0;
  /// What bounds the bandwidth of such copies; a run that beats one fails.
  virtual std::vector<Ceiling> copy_ceilings(int rank, const DeviceCopy& c) const = 0;
};

}  // namespace tsunagi::comm
