// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "topo/network.hpp"

namespace tsunagi::topo {

/// What of all terminals' traffic passes each output of a network's routers, on its routes. Pure.
class Loads {
 public:
  /// `weight(from, to)`, from 0 on, goes from one terminal to the other, and 0 from one to itself; all together below
  /// 2^63. Asked once a pair.
  Loads(const Network& network, const Weight& weight);
  /// What passes the output `port` of `router`.
  std::int64_t of(int router, int port) const { return passing_[network_.port_index(router, port)]; }
  /// The most that one terminal sends.
  std::int64_t most_sent() const { return most_sent_; }

 private:
  const Network& network_;
  std::vector<std::int64_t> passing_;
  std::int64_t most_sent_ = 0;
};

}  // namespace tsunagi::topo
