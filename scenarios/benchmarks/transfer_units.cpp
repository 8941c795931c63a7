// SPDX-License-Identifier: Apache-2.0
#include "scenarios/benchmarks/transfer_units.hpp"

namespace tsunagi::scenarios {

std::vector<Bytes> TransferUnits::places(std::int64_t n, UnitOrder order, stats::RandomStream& random) const {
  std::vector<Bytes> out;
  out.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) out.push_back(at(order == UnitOrder::sequential ? i : random.below(count())));
  return out;
}

}  // namespace tsunagi::scenarios
