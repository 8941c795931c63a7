// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/extents.hpp"

#include <algorithm>
#include <map>

namespace tsunagi::host {

std::vector<Extent> copied(const std::vector<Extent>& written, std::uint64_t to, std::uint64_t from, Bytes n,
                           Time when) {
  const std::uint64_t end = from + unsigned_of(n);
  const auto end_of = [](const Extent& e) { return e.address + unsigned_of(e.length); };
  std::vector<const Extent*> over;
  for (const Extent& e : written)
    if (e.when <= when && e.address < end && end_of(e) > from) over.push_back(&e);
  std::stable_sort(over.begin(), over.end(), [](const Extent* a, const Extent* b) { return a->when < b->when; });
  // Painted one over the other: who wrote the bytes from a key to the next one.
  std::map<std::uint64_t, const Extent*> painted{{from, nullptr}, {end, nullptr}};
  for (const Extent* e : over) {
    const std::uint64_t first = std::max(e->address, from);
    const std::uint64_t last = std::min(end_of(*e), end);
    const Extent* behind = std::prev(painted.upper_bound(last))->second;
    painted.erase(painted.lower_bound(first), painted.lower_bound(last));
    painted[first] = e;
    painted.emplace(last, behind);
  }
  std::vector<Extent> out;
  for (auto p = painted.begin(); p->first != end; ++p) {
    const Extent* e = p->second;
    Extent piece;
    piece.address = to + (p->first - from);
    piece.length = Bytes(static_cast<std::int64_t>(std::next(p)->first - p->first));
    if (e != nullptr) {
      piece.origin = e->origin;
      piece.origin_offset = e->origin_offset + (p->first - e->address);
    }
    piece.when = when;
    out.push_back(piece);
  }
  return out;
}

}  // namespace tsunagi::host
