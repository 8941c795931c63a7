// SPDX-License-Identifier: Apache-2.0
#include "comm/world/calls.hpp"

#include <algorithm>

#include "units/parse.hpp"

namespace tsunagi::comm {

namespace {

std::string text_of(const Calls::Entry& e) {
  std::string out = e.name;
  if (e.peer >= 0) out += " with rank " + std::to_string(e.peer);
  if (e.tag != any_tag) out += ", tag " + std::to_string(e.tag);
  if (e.size > Bytes::zero()) out += ", " + to_string(e.size);
  return out;
}

}  // namespace

std::string Calls::text(int rank) const {
  std::string out;
  const std::vector<Entry>& stack = of_[static_cast<std::size_t>(rank)];
  for (auto e = stack.rbegin(); e != stack.rend(); ++e) out += (out.empty() ? "in " : ", in ") + text_of(*e);
  return out;
}

std::string Calls::circle() const {
  const auto next = [&](int rank) {
    const std::vector<Entry>& stack = of_[static_cast<std::size_t>(rank)];
    return stack.empty() || !stack.back().blocks_on_peer ? -1 : stack.back().peer;
  };
  std::vector<int> walk(of_.size(), -1);  // from which rank on the first walk began that came here
  for (int first = 0; first < static_cast<int>(of_.size()); ++first) {
    int at = first;
    for (; at >= 0 && walk[static_cast<std::size_t>(at)] < 0; at = next(at)) walk[static_cast<std::size_t>(at)] = first;
    if (at < 0 || walk[static_cast<std::size_t>(at)] != first) continue;
    std::vector<int> way{at};
    while (next(way.back()) != at) way.push_back(next(way.back()));
    std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
    std::string out = "ranks wait for each other in a circle:";
    for (const int r : way) out += " rank " + std::to_string(r) + " " + text(r) + ";";
    out.pop_back();
    return out;
  }
  return {};
}

}  // namespace tsunagi::comm
