// SPDX-License-Identifier: Apache-2.0
#include "comm/world/groups.hpp"

#include <numeric>
#include <stdexcept>

namespace tsunagi::comm {

Groups::Groups(int ranks) {
  auto all = std::make_shared<Members>();
  all->ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(all->ranks.begin(), all->ranks.end(), 0);
  all->context = take_context();
  everybody_ = std::move(all);
}

int Groups::take_context() {
  contexts_ += 2;
  return contexts_ - 2;
}

std::shared_ptr<const Members> Groups::first(int n) {
  if (n == static_cast<int>(everybody_->ranks.size())) return everybody_;
  std::shared_ptr<const Members>& group = first_[n];
  if (group == nullptr) {
    auto members = std::make_shared<Members>();
    members->ranks.assign(everybody_->ranks.begin(), everybody_->ranks.begin() + n);
    members->context = take_context();
    group = std::move(members);
  }
  return group;
}

int Groups::context_of(const Members& group, std::uint64_t call, std::int64_t colour) {
  const auto [it, fresh] = splits_.emplace(std::tuple(group.context, call, colour), 0);
  if (fresh) it->second = take_context();
  return it->second;
}

std::uint64_t Groups::enter_collective(const Members& group, int rank, const std::string& what) {
  const std::uint64_t number = numbers_[{group.context, rank}]++;
  const std::pair key(group.context, number);
  const auto [it, fresh] = collectives_.emplace(key, Collective{what, rank, 0});
  if (it->second.what != what)
    throw std::runtime_error("collective calls do not match: as its call " + std::to_string(number) +
                             " in a group of " + std::to_string(group.ranks.size()) + ", rank " + std::to_string(rank) +
                             " does " + what + ", but rank " + std::to_string(it->second.first) + " " +
                             it->second.what);
  if (++it->second.entered == group.ranks.size()) collectives_.erase(it);
  return number;
}

}  // namespace tsunagi::comm
