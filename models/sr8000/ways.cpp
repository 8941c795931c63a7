// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/ways.hpp"

namespace tsunagi::sr8000 {

Ways::Ways(const topo::CrossbarsShape& shape, int place, int serialising) : shape_(shape) {
  const int last = shape.crossed().back();
  const int to = shape.node(last, serialising, 0);  // a node at the serialising crossbar
  if (shape.has_relays() && place < shape.nodes()) {
    node_ = place;
    find_relay(to);
    return;
  }
  for (const int d : shape.crossed())
    if (place >= shape.first_crossbar(d)) dimension_ = d;
  line_ = place - shape.first_crossbar(dimension_);
  serialises_ = dimension_ == last && line_ == serialising;
  to_serialising_ = shape.coordinate(to, dimension_);
}

void Ways::find_relay(int to) {
  const std::vector<int>& crossed = shape_.crossed();
  up_.assign(static_cast<std::size_t>(node_port()) + 1, crossed.front());
  to_serialising_ = crossed.back();
  for (std::size_t i = crossed.size() - 1; i > 0; --i) {
    const int d = crossed[i - 1];
    up_[static_cast<std::size_t>(d)] = crossed[i];
    if (shape_.coordinate(node_, d) != shape_.coordinate(to, d)) to_serialising_ = d;
  }
}

void Ways::spread(const Box& b, int in, std::vector<int>& ports) const {
  ports.clear();
  if (!is_relay()) {
    const Places all = places(b);
    for (int p = all.first; p <= all.last; ++p)
      if (p != in) ports.push_back(p);
    return;
  }
  // Relays whose coordinates differ in lower dimensions alone are reached from here, if those in between are right.
  bool right = true;
  for (int d = in - 1; d >= 0 && right; --d) {
    const Places all = places(b, d);
    const bool mine = all.have(shape_.coordinate(node_, d));
    if (all.count() > (mine ? 1 : 0)) ports.push_back(d);
    right = mine;
  }
  if (right) ports.push_back(node_port());
}

bool Ways::contains(const Box& b, int node) const {
  const auto nodes = static_cast<std::uint32_t>(shape_.nodes());
  if (b.first >= nodes || b.last >= nodes) return false;
  for (int d = 0; d < shape_.dimensions(); ++d) {
    const int at = shape_.coordinate(node, d);
    if (at < shape_.coordinate(static_cast<int>(b.first), d) || at > shape_.coordinate(static_cast<int>(b.last), d))
      return false;
  }
  return true;
}

}  // namespace tsunagi::sr8000
