// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/blocks.hpp"

#include "units/parse.hpp"

namespace tsunagi::comm {

Blocks Blocks::split(int ranks, Bytes n, Bytes element) {
  const std::int64_t elements = units_of(n, element);
  std::vector<Bytes> sizes;
  Bytes left = n;
  for (int i = 0; i < ranks; ++i) {
    const Bytes size = std::min(left, element * (elements / ranks + (i < elements % ranks ? 1 : 0)));
    sizes.push_back(size);
    left -= size;
  }
  return {ranks, sizes, {}};
}

Blocks Blocks::from(int root) const {
  const int ranks = static_cast<int>(begins_.size()) - 1;
  std::vector<Bytes> sizes;
  for (int i = 0; i < ranks; ++i) sizes.push_back(size((root + i) % ranks));
  return {ranks, sizes, {}};
}

std::string Segments::refusal(int /*ranks*/, const CollectiveCall& c) {
  return c.segment > Bytes::zero() ? "" : "segments of at least 1 B, not " + to_string(c.segment);
}

}  // namespace tsunagi::comm
