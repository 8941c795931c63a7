// SPDX-License-Identifier: Apache-2.0
// PM's messages between all ranks of a run's machine, whatever it is over.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace tsunagi::test {

/// All ranks send to all others at once, each `count` messages of lengths that say who sends which: "all came by 12
/// us", and numbers that stand for when, else what does not come once, or is not in its order. Losses, few buffers:
/// `more`; `findings`: of the run before, in trains.
inline std::string pm_traffic(const std::string& run, int count, const Overrides& more, int max_train,
                              const std::string& findings = {}) {
  const std::string again = "again ";
  const std::string out = in_child([&] {
    ProgramBench b(run, more, max_train, findings);
    std::string wrong;
    std::vector<std::uint64_t> when(static_cast<std::size_t>(b.ranks()));
    Time last;
    b.all([&](comm::Rank& r) {
      auto pm = r.buffered();
      const int others = r.size() - 1;
      std::map<int, std::int64_t> next;
      int sent = 0, came = 0;
      while (came < others * count || sent < others * count) {
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
          if (m->size.count() != 1 + next[m->peer]++ * 37 + m->peer)
            wrong += std::to_string(r.id()) + " has " + std::to_string(m->size.count()) + " B of " +
                     std::to_string(m->peer) + " out of turn\n";
          ++came;
          std::uint64_t& seen = when[static_cast<std::size_t>(r.id())];
          seen = seen * 0x100000001b3u ^ static_cast<std::uint64_t>(r.now().fs());
          last = std::max(last, r.now());
          pm.release(*m);
          moved = true;
        }
        if (!moved) pm.wait();
      }
    });
    try {
      if (const std::string found = b.attempt(); !found.empty()) return again + found;
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return wrong.empty() ? fmt::format("all came by {} us {:x}", last.fs() / 1'000'000'000, fmt::join(when, " "))
                         : wrong;
  });
  if (out.compare(0, again.size(), again) != 0) return out;
  return pm_traffic(run, count, more, max_train, out.substr(again.size()));
}

/// The same packet by packet and in trains: "" if all comes once, in order, and at the same times.
inline std::string pm_all_to_all(const std::string& run, int count, const Overrides& more) {
  const std::string single = pm_traffic(run, count, more, 1), trains = pm_traffic(run, count, more, 64);
  return single == trains && single.rfind("all came", 0) == 0 ? "" : single + "\nin trains: " + trains + "\n";
}

inline Overrides with(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace tsunagi::test
