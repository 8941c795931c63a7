// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/dependencies.hpp"

#include <algorithm>

namespace tsunagi::topo {

Dependencies::Dependencies(const Network& network, bool classes)
    : network_(network),
      classes_(static_cast<std::size_t>(classes ? std::max(1, network.routes().classes()) : 1)),
      rows_(network.all_ports() * classes_) {}

void Dependencies::add(std::size_t output, Hop held, int at, Hop wanted) {
  const std::size_t row = output * classes_;
  const std::size_t bit = static_cast<std::size_t>(wanted.port) * classes_;
  for (std::size_t h = first(held); h < end(held); ++h)
    for (std::size_t w = first(wanted); w < end(wanted); ++w) set(row + h, bit + w, at);
}

std::vector<RouterPort> Dependencies::circle() const {
  std::vector<Dependency> all;
  std::vector<RouterPort> outputs(network_.all_ports());
  for (int r = 0; r < network_.routers(); ++r)
    for (int p = 0; p < network_.ports(r); ++p) {
      outputs[network_.port_index(r, p)] = {r, p};
      if (network_.peer(r, p).kind == Network::Peer::Kind::router) list(r, p, all);
    }
  std::vector<RouterPort> out;
  for (const std::uint32_t c : dependency_cycle(static_cast<std::uint32_t>(rows_.size()), all))
    out.push_back(outputs[c / classes_]);
  return out;
}

void Dependencies::set(std::size_t channel, std::size_t bit, int to) {
  Row& row = rows_[channel];
  if (row.empty()) row.resize((static_cast<std::size_t>(network_.ports(to)) * classes_ + 63) / 64);
  row[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void Dependencies::list(int router, int port, std::vector<Dependency>& all) const {
  const std::size_t held = network_.port_index(router, port) * classes_;
  const std::size_t wanted = network_.port_index(network_.peer(router, port).number, 0) * classes_;
  for (std::size_t c = held; c < held + classes_; ++c)
    for (std::size_t bit = 0; bit < rows_[c].size() * 64; ++bit)
      if ((rows_[c][bit / 64] >> (bit % 64) & 1) != 0)
        all.push_back({static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(wanted + bit)});
}

}  // namespace tsunagi::topo
