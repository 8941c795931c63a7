// SPDX-License-Identifier: Apache-2.0
// Ranks of a shipped run with a window each, and what lies where.
#pragma once

#include <functional>
#include <string>

#include "comm/window.hpp"
#include "system/program_bench.hpp"

namespace tsunagi::test {

constexpr Bytes window_at = 1_MiB;

/// The ranks of a shipped run; each has 512 KiB of its own from 0 on and a window of 512 KiB behind 1 MiB.
struct Windows : ProgramBench {
  explicit Windows(const std::string& run, const Overrides& overrides = {}) : ProgramBench(run, overrides) {
    world().check_data();
    world().set_scratch(4_MiB, 4_MiB);
  }
  void every(const std::function<void(comm::Rank&, comm::Group&, comm::Window&)>& f) {
    all([this, f](comm::Rank& r) {
      fill(r.id());
      comm::Group g = r.world();
      const auto w = g.window({window_at, 512_KiB, {}, {}});
      f(r, g, *w);
    });
  }
  /// What the rank has.
  void fill(int rank) { world().ledger()->fill(rank, {{}, 512_KiB, {}, {}}, std::to_string(rank)); }
  void expect(int rank, Bytes at, Bytes n, int of, Bytes from) {
    world().ledger()->expect(rank, {at, n, {}, {}}, std::to_string(of), from, "window");
  }
};

}  // namespace tsunagi::test
