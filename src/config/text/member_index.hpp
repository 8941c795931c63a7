// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: members of an object by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/value.hpp"

namespace tsunagi::config::detail {

/// Finds members by name, also among many; members may be added while it lives, none renamed or removed.
class MemberIndex {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// `members` outlives this, at its place.
  explicit MemberIndex(const std::vector<Member>& members) : members_(&members) {}

  /// Where the member is, or `none`.
  std::size_t find(std::string_view name) {
    if (members_->size() <= few) {
      for (std::size_t i = 0; i < members_->size(); ++i)
        if ((*members_)[i].name == name) return i;
      return none;
    }
    for (; indexed_ < members_->size(); ++indexed_) places_.emplace((*members_)[indexed_].name, indexed_);
    const auto found = places_.find(std::string(name));
    return found == places_.end() ? none : found->second;
  }

 private:
  static constexpr std::size_t few = 16;
  const std::vector<Member>* members_;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t indexed_ = 0;
};

}  // namespace tsunagi::config::detail
