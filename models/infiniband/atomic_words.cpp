// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/atomic_words.hpp"

#include <algorithm>

namespace tsunagi::infiniband {

bool AtomicWords::take(std::uint64_t address, User& user) {
  const bool free =
      std::none_of(taken_.begin(), taken_.end(), [address](const Taken& t) { return t.address == address; });
  taken_.push_back({address, &user});
  return free;
}

void AtomicWords::give_back(std::uint64_t address, const flow::Cause& by) {
  const auto at = [this, address] {
    return std::find_if(taken_.begin(), taken_.end(), [address](const Taken& t) { return t.address == address; });
  };
  taken_.erase(at());
  if (const auto next = at(); next != taken_.end()) next->user->word_taken(by);
}

}  // namespace tsunagi::infiniband
