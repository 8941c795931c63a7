// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tsunagi::comm {

/// What the members of groups leave for each other in a call: one thing a member, until all have looked. By the group's
/// context and the number of its call.
template <class T>
class Board {
 public:
  void leave(int context, std::uint64_t call, int members, int rank, T what) {
    Call& c = calls_[{context, call}];
    c.left.resize(static_cast<std::size_t>(members));
    c.left[static_cast<std::size_t>(rank)] = std::move(what);
  }
  /// By rank, what has been left so far. Once for each member, which has left something itself.
  std::vector<std::optional<T>> look(int context, std::uint64_t call) {
    const auto it = calls_.find({context, call});
    Call& c = it->second;
    if (++c.looked < c.left.size()) return c.left;
    std::vector<std::optional<T>> out = std::move(c.left);
    calls_.erase(it);
    return out;
  }

 private:
  struct Call {
    std::vector<std::optional<T>> left;
    std::size_t looked = 0;
  };
  std::map<std::pair<int, std::uint64_t>, Call> calls_;
};

}  // namespace tsunagi::comm
