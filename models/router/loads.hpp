// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/router/routing.hpp"

namespace tsunagi::router {

/// What of all terminals' traffic passes each output of a grid's routers, on the paths of `Routing`. Pure. A pair's
/// path is one straight stretch a dimension, of which only the ends are noted; one pass over the outputs adds them up.
/// So the work is terminals^2 x dimensions, however long the paths are.
class Loads {
 public:
  /// `weight(from, to)`, from 0 on, goes from one terminal to the other; all together below 2^63.
  Loads(const Routing& routing, const std::function<std::int64_t(int, int)>& weight);
  /// What passes the output `port` of `router`.
  std::int64_t of(int router, int port) const { return passing_[index(router, port)]; }
  /// The most that one terminal sends.
  std::int64_t most_sent() const { return most_sent_; }
  /// Stretches that were noted: what the work grows with.
  std::int64_t stretches() const { return stretches_; }

 private:
  std::size_t index(int router, int port) const {
    return static_cast<std::size_t>(router) * static_cast<std::size_t>(grid_.ports()) + static_cast<std::size_t>(port);
  }
  void note(int from, int to, std::int64_t weight);
  void add_up(int d, bool up);

  const topo::Grid& grid_;
  std::vector<std::int64_t> passing_;
  std::int64_t most_sent_ = 0;
  std::int64_t stretches_ = 0;
};

}  // namespace tsunagi::router
