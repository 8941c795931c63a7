// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "topo/grid.hpp"
#include "topo/routes/adaptive.hpp"
#include "topo/routes/choice.hpp"

namespace tsunagi::topo {

/// Any of the fewest hops of a grid, where least waits. A packet's directions are those of GridRoutes. It keeps to
/// a network of virtual channels of its own for each set of directions in all dimensions but the last, as no circle of
/// waiting closes among packets that agree on those (Linder and Harden, "An Adaptive and Fault Tolerant Wormhole
/// Routing Strategy for k-ary n-cubes", IEEE ToC 40(1), 1991); where dimensions wrap, in a class further on for each
/// dateline passed. So n dimensions of more than one router need 2^(n-1) classes in a mesh, n + 1 times as many in a
/// torus.
class GridMinimalAdaptive final : public AdaptiveRoutes {
 public:
  explicit GridMinimalAdaptive(std::shared_ptr<const Grid> grid);
  void ways(int router, const Trip& trip, Draws draws, Ways& out) const override;
  int classes() const override;
  /// Directions are given, so what goes from a coordinate of a dimension to the next takes one of the cables between
  /// these two, that way; and what goes along one dimension alone has one way.
  void for_own_cuts(const Weight& weight, const std::function<std::int64_t(int, int)>& capacity,
                    const std::function<void(const Cut&)>& visit) const override;

 private:
  std::shared_ptr<const Grid> grid_;
  int extents_ = 0;  // dimensions of more than one router; the others need no classes
  int last_ = -1;    // of those
};

/// Over a router that is drawn for each packet, in dimension order to it and from it (Valiant and Brebner, "Universal
/// Schemes for Parallel Communication", STOC 1981); or, if `minimal`, by whichever is cheaper at the first router, that
/// way or the direct one (UGAL: Singh 2005, see `least_costly`). Between terminals of one router there is the direct
/// way only. Classes of the second stage lie behind those of the first; direct ways use those of either. In a wrapped
/// dimension a packet that does not cross the dateline uses either class, as GridRoutes have it. Which, is drawn for
/// each packet.
class GridValiant final : public AdaptiveRoutes {
 public:
  GridValiant(std::shared_ptr<const Grid> grid, bool minimal, const ChoiceConfig& choice)
      : grid_(std::move(grid)), choice_(choice), minimal_(minimal) {}
  void ways(int router, const Trip& trip, Draws draws, Ways& out) const override;
  int classes() const override;

 private:
  int stage_classes() const { return grid_->wraps() ? 2 : 1; }
  /// What a packet remembers: it is in stage 0 or 1 and turns, or has turned, at router `turn`; where it may use either
  /// of a dimension's classes, it uses `lane`.
  struct Course {
    int stage;
    int turn;
    int lane;
  };
  Way way(int router, const Trip& trip, Course c) const;
  Way direct(int router, const Trip& trip, int stage, int lane) const;
  Way detour(int router, const Trip& trip, int turn, int lane) const;

  std::shared_ptr<const Grid> grid_;
  ChoiceConfig choice_;
  bool minimal_;
};

}  // namespace tsunagi::topo
