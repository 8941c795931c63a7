// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "units/work.hpp"

namespace tsunagi::scenarios {

/// A lattice of four dimensions cut among ranks, and what the kernels of QUDA's Wilson dslash have to do on a rank's
/// part of one parity (half of the sites): numbers a site are those of its source and of paper 001.
class Lattice {
 public:
  /// `sites` and `ranks` in x, y, z, t. Throws std::invalid_argument, saying why, for a lattice that is not divisible,
  /// or a local extent that is odd or below 2.
  Lattice(std::vector<std::int64_t> sites, std::vector<std::int64_t> ranks, Precision p);

  int ranks() const;
  /// Whether faces cross to other ranks in that dimension.
  bool partitioned(int dimension) const { return ranks_[static_cast<std::size_t>(dimension)] > 1; }
  /// Sites of a parity, and of those on one face of a dimension.
  std::int64_t sites() const;
  std::int64_t face_sites(int dimension) const;
  /// Half spinors of 12 reals on one parity: 12 KB and 96 KB over n in the paper (6.2).
  Bytes face(int dimension) const { return real() * (12 * face_sites(dimension)); }

  /// All faces: a spinor is read and a half spinor written, a site and way.
  Work pack() const;
  /// 1,320 operations and, of neighbours none of which is in a cache yet, 1,440 B (single precision) a site: eight
  /// links of 18 reals, eight neighbours and the result of 24 reals; less what is the boundary's, a link, a neighbour
  /// and an eighth of the operations each. A GPU with a cache of that size reads a neighbour again only where what came
  /// meanwhile, the traffic of a slice of the lattice (x runs fastest), has displaced it.
  /// `adds`: the result is added to a vector, which is read, too (QUDA's xpay, 48 operations a site).
  Work interior(Bytes cache, bool adds) const;
  /// Both sides of a dimension: a half spinor that came, a link, and the result read and written, a site.
  Work boundary(int dimension) const;
  /// What a rank keeps: both parities of four links of 18 reals a site, six vectors of 24 reals of one parity (the
  /// solver's four, its right-hand side, one between two dslashes), and all faces three times, to send and twice to
  /// get.
  Bytes memory() const;
  /// `streamed` vectors of 24 reals a site read or written.
  Work vectors(int streamed) const;

 private:
  Bytes real() const { return Bytes(precision_ == Precision::single ? 4 : 8); }
  /// How often a spinor is read from memory by the interior.
  std::int64_t reads(Bytes cache) const;
  /// Neighbours of sites that other ranks have.
  std::int64_t outside() const;
  std::int64_t local(std::size_t dimension) const { return sites_[dimension] / ranks_[dimension]; }

  std::vector<std::int64_t> sites_;
  std::vector<std::int64_t> ranks_;
  Precision precision_;
};

}  // namespace tsunagi::scenarios
