// SPDX-License-Identifier: Apache-2.0
#include "topo/graphs/box.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/error_at.hpp"
#include "topo/graph.hpp"
#include "topo/parts.hpp"
#include "topo/routes/verify.hpp"

namespace tsunagi::topo {

void describe(BoxConfig& c, config::Describer& d) {
  d.any("network", c.network, "topology", "the network inside, without nodes: its terminals are the box's ports",
        config::required);
}

namespace {

using Shared = std::shared_ptr<const Network>;

bool is_box(const Network::Router& r) { return r.config.kind() == "box"; }

/// The network in the box that stands at `pointer`.
Network inside_of(const config::AnyConfig& box, const std::string& pointer) {
  const config::AnyConfig& config = box.as<BoxConfig>().network;
  const std::string here = pointer + "/network";
  const Topology& t = topology_of(config);
  if (!t.network)
    throw config::error_at(
        here, "a box has one network inside, not one of kind \"" + config.kind() + "\", which lists a machine");
  const NodeParts& parts = t.nodes(config);
  if (!parts.node.empty() || !parts.terminal.empty() || !parts.overrides.empty())
    throw config::error_at(here, "there are no nodes in a box: its network's terminals are its ports");
  Network out = network_at(here, t, config);
  if (out.router(0).config.empty())
    throw config::error_at(here, "a network of kind \"" + config.kind() + "\" runs through nodes, and a box has none");
  if (out.routes().adaptive() != nullptr)
    throw config::error_at(here, "routes in a box may not choose by what waits: say others than adaptive ones");
  if (out.routes().classes() > 1)
    throw config::error_at(here, "routes in a box may not need classes of virtual channels, as those of kind \"" +
                                     config.kind() + "\" do");
  return out;
}

/// A router of the network around, and what became of it.
struct Former {
  Shared inside;  // null: it is no box
  int first = 0;  // of its routers in the whole
};

class BoxedRoutes final : public Routes {
 public:
  BoxedRoutes(Shared around, std::vector<Former> formers, std::vector<int> former_of)
      : around_(std::move(around)), formers_(std::move(formers)), former_of_(std::move(former_of)) {}

  Hop next(int router, const Trip& trip) const override {
    const int number = former_of_[static_cast<std::size_t>(router)];
    const Former& f = formers_[static_cast<std::size_t>(number)];
    const Hop leaves = around_->routes().next(number, trip);
    if (f.inside == nullptr) return leaves;
    const auto port = static_cast<std::uint32_t>(leaves.port);
    return {f.inside->routes().next(router - f.first, {port, port, trip.mix, 0}).port, leaves.channel_class};
  }
  bool by_destination() const override {
    return around_->routes().by_destination() && std::all_of(formers_.begin(), formers_.end(), [](const Former& f) {
             return f.inside == nullptr || f.inside->routes().by_destination();
           });
  }
  int classes() const override { return around_->routes().classes(); }

 private:
  Shared around_;
  std::vector<Former> formers_;  // by router of the network around
  std::vector<int> former_of_;   // by router
};

/// Takes a network apart and puts it together with what is in its boxes.
class Unboxing {
 public:
  explicit Unboxing(Shared around) : around_(std::move(around)) {
    for (int r = 0; r < around_->routers(); ++r) add(r);
    for (const Network::Cable& c : around_->cables()) out_.join(port(c.a), port(c.b), c.wire);
    for (const Network::Attachment& a : around_->attachments()) out_.attach(port(a.at), a.wire);
    for (int r = 0; r < around_->routers(); ++r) wire_inside(r);
    out_.set_routes(std::make_shared<const BoxedRoutes>(around_, formers_, former_of_));
    if (spots_.size() == former_of_.size()) out_.set_spots(std::move(spots_));
  }

  Network take() {
    const Verdict verdict = verify(out_);
    if (!verdict.circle.empty())
      out_.refuse({out_.pointer() + "/router",
                   "through these boxes packets can wait for each other in a circle of links, and nothing moves any "
                   "more: " +
                       circle_text(out_, verdict.circle) + " (`tsunagi draw --show circle` draws it)"});
    return std::move(out_);
  }

 private:
  void add(int r) {
    const Network::Router& router = around_->router(r);
    Former f{is_box(router) ? inside(router) : nullptr, out_.routers()};
    if (f.inside == nullptr) {
      out_.add_router(router.config, router.ports, router.pointer, around_->router_name(r));
    } else {
      if (f.inside->terminals() < around_->ports(r))
        throw config::error_at(around_->pointer() + router.pointer,
                               around_->router_name(r) + " has " + std::to_string(around_->ports(r)) +
                                   " ports, but the network in its box only " + std::to_string(f.inside->terminals()) +
                                   " terminals");
      for (int i = 0; i < f.inside->routers(); ++i) {
        const Network::Router& chip = f.inside->router(i);
        out_.add_router(chip.config, chip.ports, router.pointer + "/network" + chip.pointer,
                        around_->router_name(r) + "." + f.inside->router_name(i));
      }
    }
    former_of_.resize(static_cast<std::size_t>(out_.routers()), r);
    place(r, f);
    formers_.push_back(std::move(f));
  }

  /// Boxes of one config are the same inside.
  Shared inside(const Network::Router& box) {
    Shared& known = known_[box.pointer];
    if (known == nullptr)
      known = std::make_shared<const Network>(inside_of(box.config, around_->pointer() + box.pointer));
    return known;
  }

  /// A picture has room for the widest and highest box at every place.
  void place(int r, const Former& f) {
    if (around_->spots().empty() && around_->routers() > 1) return;
    const Network::Spot at = around_->spots().empty() ? Network::Spot{} : around_->spots()[static_cast<std::size_t>(r)];
    const auto step = [](const Network::Spot& most) { return Network::Spot{most.x + 1.5, most.y + 1.5}; };
    if (f.inside == nullptr) return spots_.push_back(at);
    Network::Spot most;
    for (const Network::Spot& s : f.inside->spots()) most = {std::max(most.x, s.x), std::max(most.y, s.y)};
    for (const Network::Spot& s : f.inside->spots())
      spots_.push_back({at.x * step(most).x + s.x, at.y * step(most).y + s.y});
  }

  RouterPort port(RouterPort p) const {
    const Former& f = formers_[static_cast<std::size_t>(p.router)];
    if (f.inside == nullptr) return {f.first, p.port};
    const RouterPort at = f.inside->attachment(p.port);
    return {f.first + at.router, at.port};
  }

  void wire_inside(int r) {
    const Former& f = formers_[static_cast<std::size_t>(r)];
    if (f.inside == nullptr) return;
    for (const Network::Cable& c : f.inside->cables()) {
      WireUse wire = c.wire;
      wire.pointer = around_->router(r).pointer + "/network" + wire.pointer;
      out_.join({f.first + c.a.router, c.a.port}, {f.first + c.b.router, c.b.port}, std::move(wire));
    }
  }

  Shared around_;
  Network out_;
  std::map<std::string, Shared> known_;  // by the box's place in the config
  std::vector<Former> formers_;
  std::vector<int> former_of_;
  std::vector<Network::Spot> spots_;
};

}  // namespace

Network unboxed(Network network) {
  int first = 0;
  while (first < network.routers() && !is_box(network.router(first))) ++first;
  if (first == network.routers()) return network;
  if (network.routes().adaptive() != nullptr)
    throw config::error_at(network.pointer() + "/routes",
                           "routes through boxes may not choose by what waits: say others than adaptive ones");
  return Unboxing(std::make_shared<const Network>(std::move(network))).take();
}

}  // namespace tsunagi::topo
