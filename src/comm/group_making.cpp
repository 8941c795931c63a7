// SPDX-License-Identifier: Apache-2.0
// What members of a group say to all others, and what they make of it: groups and windows.
#include <algorithm>
#include <utility>

#include "comm/collectives/catalog.hpp"
#include "comm/group.hpp"
#include "comm/window.hpp"

namespace tsunagi::comm {

Group::Said Group::tell_all(const char* call, std::vector<std::int64_t> values) {
  const int me = world_rank();
  const std::uint64_t number = world_->groups().enter_collective(*members_, me, call);
  const Calls::Scope scope(world_->calls(), me, {call, -1, any_tag, {}, false});
  const Bytes each = Bytes(8) * static_cast<std::int64_t>(values.size());
  world_->said().leave(members_->context, number, size(), rank_, std::move(values));
  Participant participant(*world_, *fiber_, *members_, rank_, number);
  const Buffer all = participant.reserve(each * size());
  CollectiveCall c{Collective::allgather, 0, part(all, each * rank_, each), all};
  Means m = means(*world_, members_->ranks, c);
  m.scratch -= all.size;
  const Algorithm& algorithm = choose(size(), c, "", m);
  adopt(c, algorithm, "", m);
  algorithm.run(participant, c);
  Said said{number, {}};
  for (const auto& numbers : world_->said().look(members_->context, number)) said.values.push_back(numbers.value());
  return said;
}

Group Group::split(int colour, int key) {
  const Said said = tell_all("split", {colour, key});
  std::vector<int> same;
  for (int i = 0; i < size(); ++i)
    if (said.values[static_cast<std::size_t>(i)][0] == colour) same.push_back(i);
  const auto key_of = [&](int i) { return said.values[static_cast<std::size_t>(i)][1]; };
  std::stable_sort(same.begin(), same.end(), [&](int a, int b) { return key_of(a) < key_of(b); });
  auto group = std::make_shared<Members>();
  group->context = world_->groups().context_of(*members_, said.call, colour);
  int mine = 0;
  for (const int i : same) {
    if (i == rank_) mine = static_cast<int>(group->ranks.size());
    group->ranks.push_back(in_world(i));
  }
  return {*world_, *fiber_, std::move(group), mine};
}

std::unique_ptr<Window> Group::window(const Buffer& b) {
  std::vector<std::int64_t> mine{b.size.count()};
  if (const RemoteMemory* remote = world_->library().facet<RemoteMemory>()) {
    mine.push_back(b.offset.count());
    mine.push_back(remote->shows(b) ? 1 : 0);
  }
  const Said said = tell_all("make a window", std::move(mine));
  std::vector<Window::Shown> shown;
  for (const std::vector<std::int64_t>& v : said.values)
    shown.push_back(v.size() == 1 ? Window::Shown{Bytes(v[0]), {}, false}
                                  : Window::Shown{Bytes(v[0]), Bytes(v[1]), v[2] != 0});
  auto group = std::make_shared<Members>();
  group->ranks = members_->ranks;
  group->context = world_->groups().context_of(*members_, said.call, 0);
  return std::make_unique<Window>(*world_, *fiber_, Group(*world_, *fiber_, group, rank_), b, std::move(shown));
}

}  // namespace tsunagi::comm
