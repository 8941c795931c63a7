// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/dragonfly_routes.hpp"

#include <algorithm>
#include <vector>

#include "topo/routes/adaptive.hpp"

namespace tsunagi::topo {

namespace {

/// Who stands where, and which links lead to which group.
class DragonflyWays {
 public:
  struct Router {
    std::uint16_t group;
    std::uint16_t number;  // in its group
  };
  struct Terminal {
    Router at;
    std::uint16_t port;
  };

  DragonflyWays(const DragonflyShape& shape, std::int64_t seed)
      : groups_(static_cast<std::uint32_t>(shape.groups)),
        parallel_(static_cast<std::uint32_t>(shape.parallel())),
        seed_(static_cast<std::uint32_t>(seed)) {
    for (int r = 0; r < shape.all_routers(); ++r) {
      routers_.push_back(
          {static_cast<std::uint16_t>(r / shape.routers), static_cast<std::uint16_t>(r % shape.routers)});
      for (int t = 0; t < shape.each; ++t)
        terminals_.push_back({routers_.back(), static_cast<std::uint16_t>(shape.first_terminal() + t)});
    }
    for (int j = 0; j < shape.all_links(); ++j)
      gateways_.push_back({static_cast<std::uint16_t>(j / shape.links),
                           static_cast<std::uint16_t>(shape.first_global() + j % shape.links)});
  }

  const Router& router(int r) const { return routers_[static_cast<std::size_t>(r)]; }
  const Terminal& terminal(std::uint32_t t) const { return terminals_[t]; }
  std::uint32_t groups() const { return groups_; }

  /// Neither of two groups, all others alike.
  std::uint32_t third_group(std::uint32_t from, std::uint32_t to, const Trip& trip) const {
    return third_group(from, to, pick_of(groups_ - 2, mix_of(trip.mix, seed_)));
  }
  /// Number `i` of those.
  static std::uint32_t third_group(std::uint32_t from, std::uint32_t to, std::uint32_t i) {
    if (i >= std::min(from, to)) ++i;
    if (i >= std::max(from, to)) ++i;
    return i;
  }
  /// From a router to a terminal of its group.
  static Hop arrive(Router at, const Terminal& to, int channel_class) {
    if (at.number == to.at.number) return {to.port};
    return {local(at, to.at.number), channel_class};
  }
  /// On the way to another group, by a link that the trip's mix draws.
  Hop leave(Router at, std::uint32_t group, const Trip& trip, int local_class, int global_class) const {
    const Gateway& way = gateways_[link(at.group, group, layer(trip))];
    if (way.router == at.number) return {way.port, global_class};
    return {local(at, way.router), local_class};
  }
  /// Passes on the same way to the router where it comes in; returns the routers' outputs to there.
  int cross(Router& at, std::uint32_t group, const Trip& trip) const {
    const std::uint32_t l = layer(trip);
    const int outputs = gateways_[link(at.group, group, l)].router == at.number ? 1 : 2;
    at = {static_cast<std::uint16_t>(group), gateways_[link(group, at.group, l)].router};
    return outputs;
  }

 private:
  struct Gateway {
    std::uint16_t router;  // in its group
    std::uint16_t port;
  };
  static int local(Router at, std::uint16_t to) { return to - (to > at.number ? 1 : 0); }
  /// Which of several links between two groups.
  std::uint32_t layer(const Trip& trip) const {
    return parallel_ > 1 ? pick_of(parallel_, mix_of(trip.mix, ~seed_)) : 0;
  }
  std::uint32_t link(std::uint32_t from, std::uint32_t to, std::uint32_t layer) const {
    const std::uint32_t distance = to - from + (to < from ? groups_ : 0);
    return distance - 1 + (groups_ - 1) * layer;
  }

  std::uint32_t groups_;
  std::uint32_t parallel_;  // links between two groups
  std::uint32_t seed_;
  std::vector<Router> routers_;
  std::vector<Terminal> terminals_;
  std::vector<Gateway> gateways_;  // by global link of a group
};

class DragonflyMinimal final : public Routes, private DragonflyWays {
 public:
  using DragonflyWays::DragonflyWays;
  Hop next(int r, const Trip& trip) const override {
    const Router at = router(r);
    const Terminal& to = terminal(trip.destination);
    if (at.group != to.at.group) return leave(at, to.at.group, trip, 0, Hop::any_class);
    return arrive(at, to, terminal(trip.source).at.group == at.group ? Hop::any_class : 1);
  }
  int classes() const override { return groups() > 1 ? 2 : 1; }
};

class DragonflyValiant final : public Routes, private DragonflyWays {
 public:
  using DragonflyWays::DragonflyWays;
  Hop next(int r, const Trip& trip) const override {
    const Router at = router(r);
    const std::uint32_t from = terminal(trip.source).at.group;
    const Terminal& to = terminal(trip.destination);
    if (at.group == to.at.group) return arrive(at, to, from == at.group ? Hop::any_class : 2);
    if (at.group != from) return leave(at, to.at.group, trip, 1, 1);
    return leave(at, third_group(from, to.at.group, trip), trip, 0, 0);
  }
  int classes() const override { return 3; }
};

/// What is decided is decided at a packet's first router: `via` is `direct`, or the third group after it.
class DragonflyAdaptive final : public AdaptiveRoutes, private DragonflyWays {
 public:
  /// `minimal`: the direct way is among the choices.
  DragonflyAdaptive(const DragonflyShape& shape, bool minimal, const ChoiceConfig& choice)
      : DragonflyWays(shape, choice.seed), minimal_(minimal), threshold_(choice.threshold) {}

  void ways(int r, const Trip& trip, Draws draws, Ways& out) const override {
    const Router at = router(r);
    const std::uint32_t from = terminal(trip.source).at.group;
    const Terminal& to = terminal(trip.destination);
    if (at.group == to.at.group) {
      const int passed = from == at.group ? Hop::any_class : trip.via == direct ? 1 : 2;
      out.push_back({arrive(at, to, passed), trip.via, 1 + (at.number != to.at.number ? 1 : 0)});
    } else if (at.group != from) {
      out.push_back({leave(at, to.at.group, trip, 1, 1), trip.via});
    } else if (trip.via != undecided) {
      out.push_back({leave(at, trip.via == direct ? to.at.group : trip.via - direct - 1, trip, 0, 0), trip.via});
    } else {
      if (minimal_) out.push_back({leave(at, to.at.group, trip, 0, 0), direct, direct_hops(at, to, trip)});
      if (draws == Draws::own) return out.push_back(detour(at, third_group(from, to.at.group, trip), to, trip));
      for (std::uint32_t i = 0; i < groups() - 2; ++i)
        out.push_back(detour(at, DragonflyWays::third_group(from, to.at.group, i), to, trip));
    }
  }
  int classes() const override { return 3; }

 private:
  static constexpr std::uint32_t undecided = 0;
  static constexpr std::uint32_t direct = 1;

  int direct_hops(Router at, const Terminal& to, const Trip& trip) const {
    const int outputs = cross(at, to.at.group, trip);
    return outputs + (at.number != to.at.number ? 2 : 1);
  }
  Way detour(Router at, std::uint32_t group, const Terminal& to, const Trip& trip) const {
    const Hop hop = leave(at, group, trip, 0, 0);
    const int outputs = cross(at, group, trip);
    return {hop, direct + 1 + group, outputs + direct_hops(at, to, trip), threshold_};
  }

  bool minimal_;
  std::int64_t threshold_;
};

}  // namespace

std::shared_ptr<const Routes> dragonfly_routes(const DragonflyShape& shape, DragonflyRouting routing,
                                               const ChoiceConfig& choice) {
  if (shape.groups <= 2) routing = DragonflyRouting::minimal;
  switch (routing) {
    case DragonflyRouting::valiant:
      return std::make_shared<const DragonflyValiant>(shape, choice.seed);
    case DragonflyRouting::valiant_by_packet:
      return std::make_shared<const DragonflyAdaptive>(shape, false, choice);
    case DragonflyRouting::ugal:
      return std::make_shared<const DragonflyAdaptive>(shape, true, choice);
    case DragonflyRouting::minimal:
      break;
  }
  return std::make_shared<const DragonflyMinimal>(shape, choice.seed);
}

}  // namespace tsunagi::topo
