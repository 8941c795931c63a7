// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "topo/crossbars_shape.hpp"

namespace tsunagi::sr8000 {

/// Nodes by opposite corners, the lowest and the highest number among them.
struct Box {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const Box& a, const Box& b) { return a.first == b.first && a.last == b.last; }
};

/// Places of a line, from the first to the last.
struct Places {
  int first = 0;
  int last = 0;
  int count() const { return last - first + 1; }
  bool have(int place) const { return first <= place && place <= last; }
};

/// Where broadcasts and barriers go on from one relay or crossbar of the network. Pure. Broadcasts reach the
/// serialising crossbar in dimension order, as everything else; from there they spread from the last dimension down to
/// the first, over each wire at most once: a relay hands its own node the copy itself, so that its crossbars leave it
/// out. Barriers are told to the crossbars of the first dimension, then to those of the next one, up to the last.
class Ways {
 public:
  /// Of router `place`; line `serialising` along the last crossed dimension has the serialising crossbar.
  Ways(const topo::CrossbarsShape& shape, int place, int serialising);

  bool is_relay() const { return dimension_ == relay; }
  bool serialises() const { return serialises_; }
  /// Of a crossbar: it is of the last dimension, where a barrier is complete.
  bool is_last() const { return dimension_ == shape_.crossed().back(); }
  /// The port towards the serialising crossbar; not of that one itself.
  int to_serialising() const { return to_serialising_; }
  /// Sets `ports` to those that a spreading broadcast to `b` leaves by that came by port `in`; at the serialising
  /// crossbar, which it has just reached, -1.
  void spread(const Box& b, int in, std::vector<int>& ports) const;
  /// A relay's port that a barrier leaves by that came by port `in`.
  int up(int in) const { return up_[static_cast<std::size_t>(in)]; }
  /// A relay's port to its node.
  int node_port() const { return shape_.node_port(); }

  /// The node at a place of a crossbar's line.
  int node(int place) const { return shape_.node(dimension_, line_, place); }
  /// Places of a crossbar's line that belong to a box, of which it has some.
  Places places(const Box& b) const { return places(b, dimension_); }
  /// Whether a box is one and has a node.
  bool contains(const Box& b, int node) const;

 private:
  static constexpr int relay = -1;
  void find_relay(int to);
  Places places(const Box& b, int d) const {
    return {shape_.coordinate(static_cast<int>(b.first), d), shape_.coordinate(static_cast<int>(b.last), d)};
  }
  const topo::CrossbarsShape& shape_;
  int dimension_ = relay;
  int line_ = 0;  // of a crossbar
  int node_ = 0;  // of a relay
  bool serialises_ = false;
  int to_serialising_ = 0;
  std::vector<int> up_;
};

}  // namespace tsunagi::sr8000
