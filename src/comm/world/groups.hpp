// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tsunagi::comm {

/// Who belongs to a group: world ranks by their rank in it, and what keeps its messages apart from others'. Collectives
/// use context + 1.
struct Members {
  std::vector<int> ranks;
  int context = 0;
};

/// The groups of a run's ranks: which there are, and which collective call each member is in.
class Groups {
 public:
  /// One of all ranks, for a start.
  explicit Groups(int ranks);
  std::shared_ptr<const Members> everybody() const { return everybody_; }
  /// Ranks 0 .. n - 1; always the same group.
  std::shared_ptr<const Members> first(int n);
  /// The context of the group that the members of `group` with a colour make in their n-th call.
  int context_of(const Members& group, std::uint64_t call, std::int64_t colour);
  /// Rank `rank` enters its next collective call in a group; `what` says which. Throws std::runtime_error if another
  /// one's call with the same number is a different one. Returns the number.
  std::uint64_t enter_collective(const Members& group, int rank, const std::string& what);
  /// What those with one context have in common; made by the first who asks.
  std::shared_ptr<void> shared(int context, const std::function<std::shared_ptr<void>()>& make) {
    std::shared_ptr<void>& s = shared_[context];
    if (s == nullptr) s = make();
    return s;
  }

 private:
  struct Collective {
    std::string what;
    int first = 0;  // who came first
    std::size_t entered = 0;
  };
  /// Two contexts, the second for collectives.
  int take_context();

  int contexts_ = 0;
  std::shared_ptr<const Members> everybody_;
  std::map<int, std::shared_ptr<const Members>> first_;  // by how many
  std::map<std::tuple<int, std::uint64_t, std::int64_t>, int> splits_;
  std::map<std::pair<int, int>, std::uint64_t> numbers_;             // of collective calls, by context and rank
  std::map<std::pair<int, std::uint64_t>, Collective> collectives_;  // by context and number
  std::map<int, std::shared_ptr<void>> shared_;                      // by context
};

}  // namespace tsunagi::comm
