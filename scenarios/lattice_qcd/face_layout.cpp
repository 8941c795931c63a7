// SPDX-License-Identifier: Apache-2.0
#include "scenarios/lattice_qcd/face_layout.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace tsunagi::scenarios {

FaceLayout::FaceLayout(const Lattice& lattice, std::vector<std::int64_t> grid)
    : lattice_(lattice),
      grid_(std::move(grid), {}, lattice.ranks()),
      ranks_at_(static_cast<std::size_t>(lattice.ranks())) {
  std::iota(ranks_at_.begin(), ranks_at_.end(), 0);
}

void FaceLayout::place(std::vector<std::int64_t> ranks_at) {
  std::vector<std::int64_t> all = ranks_at;
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all.size() != ranks_at_.size() || all[i] != static_cast<std::int64_t>(i))
      throw std::invalid_argument("names each of the ranks 0 to " + std::to_string(ranks_at_.size() - 1) + " once");
  if (!all.empty()) ranks_at_ = std::move(ranks_at);
}

int FaceLayout::place_of(int rank) const {
  return static_cast<int>(std::find(ranks_at_.begin(), ranks_at_.end(), rank) - ranks_at_.begin());
}

std::vector<FaceLayout::Side> FaceLayout::sides_of(int rank) const {
  std::vector<Side> out;
  Bytes end;
  for (int d = 0; d < grid_.dimensions(); ++d) {
    if (!lattice_.partitioned(d)) continue;
    for (const bool up : {true, false}) {
      const Bytes n = lattice_.face(d);
      out.push_back({d, up, rank_at(*grid_.neighbour(place_of(rank), d, up ? 1 : -1)), n, end, end});
      end += n;
    }
  }
  return out;
}

Bytes FaceLayout::size() const {
  Bytes out;
  for (int d = 0; d < grid_.dimensions(); ++d)
    if (lattice_.partitioned(d)) out += lattice_.face(d) * 2;
  return out;
}

Bytes FaceLayout::moved(const comm::Puts& puts) const {
  Bytes sum;
  for (int rank = 0; rank < lattice_.ranks(); ++rank)
    for (const Side& s : sides_of(rank)) sum += s.size * puts.cables(rank, s.peer);
  return sum;
}

void FaceLayout::place_near(const comm::Puts& puts) {
  Bytes least = moved(puts);
  for (bool better = true; better;) {
    better = false;
    for (std::size_t i = 0; i < ranks_at_.size(); ++i)
      for (std::size_t j = i + 1; j < ranks_at_.size(); ++j) {
        std::swap(ranks_at_[i], ranks_at_[j]);
        if (const Bytes now = moved(puts); now < least) {
          least = now;
          better = true;
        } else {
          std::swap(ranks_at_[i], ranks_at_[j]);
        }
      }
  }
}

}  // namespace tsunagi::scenarios
