// SPDX-License-Identifier: Apache-2.0
// PM's messages between all ranks of a run's machine, whatever it is over.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace tsunagi::test {

/// All ranks send to all others at once, each `count` messages of lengths that say who sends which; what does not come
/// once and in its order. Losses, few buffers: `more`.
inline std::string pm_all_to_all(const std::string& run, int count, const Overrides& more) {
  return in_child([&] {
    ProgramBench b(run, more);
    std::string wrong;
    b.all([&](comm::Rank& r) {
      auto pm = r.buffered();
      const int others = r.size() - 1;
      std::multiset<std::pair<int, std::int64_t>> came;
      std::vector<Bytes> last(static_cast<std::size_t>(r.size()));
      int sent = 0;
      while (static_cast<int>(came.size()) < others * count || sent < others * count) {
        bool moved = false;
        if (sent < others * count) {
          const int peer = (r.id() + 1 + sent % others) % r.size();
          if (pm.get_buffer(peer, Bytes(1 + sent / others * 37 + r.id()))) {
            pm.send_buffer();
            ++sent;
            moved = true;
          }
        }
        while (const auto m = pm.look()) {
          came.insert({m->peer, m->size.count()});
          if (m->size <= std::exchange(last[static_cast<std::size_t>(m->peer)], m->size))
            wrong += std::to_string(r.id()) + " has messages of " + std::to_string(m->peer) + " in another order\n";
          pm.release(*m);
          moved = true;
        }
        if (!moved) pm.wait();
      }
      for (int peer = 0; peer < r.size(); ++peer)
        for (int i = 0; peer != r.id() && i < count; ++i)
          if (came.count({peer, 1 + i * 37 + peer}) != 1)
            wrong += std::to_string(r.id()) + " misses message " + std::to_string(i) + " of " + std::to_string(peer) +
                     " or has it twice\n";
    });
    try {
      b.run();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return wrong;
  });
}

inline Overrides with(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace tsunagi::test
