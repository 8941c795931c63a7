// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/facets/puts.hpp"
#include "scenarios/lattice_qcd/lattice.hpp"
#include "scenarios/process_grid.hpp"

namespace tsunagi::scenarios {

/// Which rank has which part of a lattice, which faces it sends to whom, and where these lie: in each partitioned
/// dimension one to each neighbour, of one parity (paper 001, 6.2; how large they are: Lattice).
class FaceLayout {
 public:
  /// A face that a rank sends, and the one that it gets from there.
  struct Side {
    int dimension = 0;
    bool up = false;
    int peer = 0;  ///< a rank
    Bytes size;
    Bytes face;  ///< offsets: among the faces to send
    Bytes halo;  ///< among those that come
    int send_tag() const { return 2 * dimension + (up ? 0 : 1); }
    int receive_tag() const { return 2 * dimension + (up ? 1 : 0); }
  };
  /// `grid`: ranks in x, y, z and t, as `lattice` is cut. Ranks are in their order.
  FaceLayout(const Lattice& lattice, std::vector<std::int64_t> grid);

  /// Places the ranks: that of each place of the grid; none: they stay in their order. Throws std::invalid_argument
  /// unless each rank is there once.
  void place(std::vector<std::int64_t> ranks_at);
  /// Places them so that no swap of two lessens the bytes times cables of a halo.
  void place_near(const comm::Puts& puts);

  /// Of each partitioned dimension the upper side and the lower one.
  std::vector<Side> sides_of(int rank) const;
  /// All faces of a rank, one way.
  Bytes size() const;

 private:
  int rank_at(int place) const { return static_cast<int>(ranks_at_[static_cast<std::size_t>(place)]); }
  int place_of(int rank) const;
  /// Bytes times cables of a halo.
  Bytes moved(const comm::Puts& puts) const;

  Lattice lattice_;
  ProcessGrid grid_;
  std::vector<std::int64_t> ranks_at_;
};

}  // namespace tsunagi::scenarios
