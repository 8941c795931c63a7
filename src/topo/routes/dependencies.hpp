// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topo/network.hpp"
#include "topo/routes/deadlock.hpp"

namespace tsunagi::topo {

/// Dependencies of virtual channels, each once: for a channel a bit for every channel of the router that it leads to.
/// Channels are the classes of the routers' outputs, or these where nobody tells the classes apart.
class Dependencies {
 public:
  Dependencies(const Network& network, bool classes);

  /// Who came to router `at` by `held`, the output of that index, leaves it by `wanted`.
  void add(std::size_t output, Hop held, int at, Hop wanted);
  /// Outputs whose packets can wait for each other, round in a circle; empty: there is none.
  std::vector<RouterPort> circle() const;

 private:
  using Row = std::vector<std::uint64_t>;
  std::size_t first(Hop h) const {
    return h.channel_class == Hop::any_class || classes_ == 1 ? 0 : static_cast<std::size_t>(h.channel_class);
  }
  std::size_t end(Hop h) const { return h.channel_class == Hop::any_class ? classes_ : first(h) + 1; }
  void set(std::size_t channel, std::size_t bit, int to);
  void list(int router, int port, std::vector<Dependency>& all) const;

  const Network& network_;
  std::size_t classes_;
  std::vector<Row> rows_;  // by channel; none of those that nobody holds
};

}  // namespace tsunagi::topo
