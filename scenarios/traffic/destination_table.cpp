// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/destination_table.hpp"

#include <algorithm>

namespace tsunagi::scenarios {

void DestinationTable::add(const std::vector<Entry>& destinations) {
  std::int64_t sum = 0;
  for (const Entry& e : destinations) steps_.push_back({sum += e.weight, e.to});
  end_.push_back(steps_.size());
}

std::int64_t DestinationTable::sum(int from) const {
  return begin(from) == end(from) ? 0 : steps_[end(from) - 1].up_to;
}

std::int64_t DestinationTable::weight(int from, int to) const {
  const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(begin(from));
  const auto last = steps_.begin() + static_cast<std::ptrdiff_t>(end(from));
  const auto it = std::lower_bound(first, last, to, [](const Step& s, int rank) { return s.to < rank; });
  if (it == last || it->to != to) return 0;
  return it->up_to - (it == first ? 0 : std::prev(it)->up_to);
}

int DestinationTable::draw(int from, stats::RandomStream& random) const {
  const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(begin(from));
  const auto last = steps_.begin() + static_cast<std::ptrdiff_t>(end(from));
  const std::int64_t at = random.below(sum(from));
  return std::upper_bound(first, last, at, [](std::int64_t v, const Step& s) { return v < s.up_to; })->to;
}

}  // namespace tsunagi::scenarios
