// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/framing.hpp"
#include "net/slot.hpp"

namespace tsunagi::net {

/// What follows a delivery that waits at a port: made when that one has gone, in its place in the queue. So a long
/// message takes no more memory there than a short one, and waits as if all of it were there.
class Supply {
 public:
  /// What follows in a queue, and by how much later in the port's order of comings (`Channel::take_orders`).
  struct Next {
    Delivery delivery;
    std::uint64_t later = 0;
  };
  virtual ~Supply() = default;
  /// Whether there is more of flow class `c`; then it is put into `next`. Not asked again once there is not.
  virtual bool next(flow::FlowClass c, Next& next) = 0;
};

}  // namespace tsunagi::net
