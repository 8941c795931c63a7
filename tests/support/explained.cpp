// SPDX-License-Identifier: Apache-2.0
#include "support/explained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "explain/path.hpp"

namespace tsunagi::test {

std::string unexplained(const explain::History& history) {
  std::map<std::uint64_t, std::pair<Time, Time>> lives;  // of packets: when they were ready first, and arrived last
  for (const net::Hop& h : history.hops()) {
    const auto life = lives.emplace(h.item, std::pair{h.ready.head, h.arrived.tail}).first;
    life->second.first = std::min(life->second.first, h.ready.head);
    life->second.second = std::max(life->second.second, h.arrived.tail);
  }
  const std::size_t each = lives.size() / 1000 + 1;
  std::size_t number = 0;
  for (const auto& [item, life] : lives) {
    if (number++ % each != 0) continue;
    const explain::Path path = explain::walk(history, item, life.first, life.second);
    Time at = life.first;
    for (const explain::Segment& s : path.segments) {
      if (s.begin != at || s.kind == explain::Kind::unexplained)
        return fmt::format("packet {} from {} fs, {} of {}: {}..{} fs", item, at.fs(), s.what, s.device, s.begin.fs(),
                           s.end.fs());
      at = s.end;
    }
    if (at != life.second) return fmt::format("packet {} ends at {} fs, not {} fs", item, at.fs(), life.second.fs());
  }
  return {};
}

}  // namespace tsunagi::test
