// SPDX-License-Identifier: Apache-2.0
#include "scenarios/lattice_qcd/lattice.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace tsunagi::scenarios {

namespace {

constexpr std::size_t lattice_dimensions = 4;
constexpr const char* names[lattice_dimensions] = {"x", "y", "z", "t"};

}  // namespace

Lattice::Lattice(std::vector<std::int64_t> sites, std::vector<std::int64_t> ranks, Precision p)
    : sites_(std::move(sites)), ranks_(std::move(ranks)), precision_(p) {
  if (sites_.size() != lattice_dimensions || ranks_.size() != lattice_dimensions)
    throw std::invalid_argument("a lattice and its grid have four dimensions, x, y, z and t");
  for (std::size_t d = 0; d < lattice_dimensions; ++d) {
    const auto refuse = [&](const std::string& why) {
      throw std::invalid_argument(std::to_string(sites_[d]) + " sites in " + names[d] + " over " +
                                  std::to_string(ranks_[d]) + " ranks " + why);
    };
    if (ranks_[d] < 1 || sites_[d] % ranks_[d] != 0) refuse("are not equally many each");
    if (local(d) < 2) refuse("are fewer than two each");
    if (local(d) % 2 != 0) refuse("are an odd number each: both parities have to be as large");
  }
}

int Lattice::ranks() const {
  std::int64_t n = 1;
  for (const std::int64_t r : ranks_) n *= r;
  return static_cast<int>(n);
}

std::int64_t Lattice::sites() const {
  std::int64_t n = 1;
  for (std::size_t d = 0; d < lattice_dimensions; ++d) n *= local(d);
  return n / 2;
}

std::int64_t Lattice::face_sites(int dimension) const { return sites() / local(static_cast<std::size_t>(dimension)); }

std::int64_t Lattice::outside() const {
  std::int64_t n = 0;
  for (std::size_t d = 0; d < lattice_dimensions; ++d)
    if (partitioned(static_cast<int>(d))) n += 2 * face_sites(static_cast<int>(d));
  return n;
}

Work Lattice::pack() const {
  const std::int64_t n = outside();
  return {12 * n, real() * (36 * n), precision_};  // the projection to half spinors is 12 additions
}

std::int64_t Lattice::reads(Bytes cache) const {
  // Links, a spinor and a result a site, as long as spinors are read once.
  const Bytes traffic = real() * (8 * 18 + 24 + 24);
  std::int64_t slice = 1;  // sites between a spinor's use by its neighbours in a dimension and by its own
  std::int64_t out = 1;
  for (std::size_t d = 0; d < lattice_dimensions; ++d) {
    if (traffic * slice > cache * 2) out += 2;  // half of them are of the other parity
    slice *= local(d);
  }
  constexpr std::int64_t neighbours = 8;
  return cache == Bytes::zero() ? neighbours : std::min(out, neighbours);
}

Work Lattice::interior(Bytes cache, bool adds) const {
  const std::int64_t elsewhere = outside();
  const std::int64_t reals = 8 * 18 * sites() - 18 * elsewhere + 24 * sites();
  // Neighbours elsewhere would be read, too, if none were in the cache.
  const std::int64_t spinors = std::min(8 * sites() - elsewhere, reads(cache) * sites());
  const std::int64_t added = adds ? sites() : 0;
  return {1320 * sites() - 165 * elsewhere + 48 * added, real() * (reals + 24 * (spinors + added)), precision_};
}

Bytes Lattice::memory() const { return real() * ((2 * 4 * 18 + 6 * 24) * sites() + 3 * 12 * outside()); }

Work Lattice::boundary(int dimension) const {
  const std::int64_t n = 2 * face_sites(dimension);
  // A link times two colour vectors, 132, and their sum with the result, 24; 12 + 18 + 2 * 24 reals.
  return {156 * n, real() * (78 * n), precision_};
}

Work Lattice::vectors(int streamed) const {
  return {24 * streamed * sites(), real() * (24 * streamed * sites()), precision_};
}

}  // namespace tsunagi::scenarios
