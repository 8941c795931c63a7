// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/space.hpp"

#include <utility>

namespace tsunagi::sweep {

Space::Space(std::vector<std::size_t> lengths) : lengths_(std::move(lengths)) {
  for (const std::size_t n : lengths_) size_ = size_ > limit / n ? limit + 1 : size_ * n;
}

Indices Space::at(std::size_t point) const {
  Indices out(lengths_.size());
  for (std::size_t d = lengths_.size(); d-- > 0; point /= lengths_[d]) out[d] = point % lengths_[d];
  return out;
}

std::size_t Space::combinations(const std::vector<std::size_t>& chosen) const {
  std::size_t n = 1;
  for (const std::size_t d : chosen) n *= lengths_[d];
  return n;
}

std::size_t Space::combination(const std::vector<std::size_t>& chosen, const Indices& point) const {
  std::size_t n = 0;
  for (const std::size_t d : chosen) n = n * lengths_[d] + point[d];
  return n;
}

Indices Space::point_with(const std::vector<std::size_t>& chosen, std::size_t combination) const {
  Indices out(lengths_.size());
  for (std::size_t k = chosen.size(); k-- > 0; combination /= lengths_[chosen[k]])
    out[chosen[k]] = combination % lengths_[chosen[k]];
  return out;
}

}  // namespace tsunagi::sweep
