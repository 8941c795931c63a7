// SPDX-License-Identifier: Apache-2.0
// A crossbar with a card at each port, which sends packets with headers as the test says, one by one, and whose receive
// buffer can be kept full:
//
//   CardBench b(4, router);
//   b.at(0_ns, [&] { b.card(0).send(header, 64_B); });
//   b.run();
//   CHECK(b.card(1).arrivals() == ...);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/grid_bench.hpp"

namespace tsunagi::test {

struct CardConfig {
  int virtual_channels = 1;
  std::int64_t buffer_flits = 64;
};
inline void describe(CardConfig&, config::Describer&) {}

/// What a card saw of a packet.
struct CardArrival {
  int from = 0;
  Time head;
  std::uint32_t origin = 0;  // as the sender numbered it
  friend bool operator==(const CardArrival& a, const CardArrival& b) {
    return a.from == b.from && a.head == b.head && a.origin == b.origin;
  }
};
inline std::ostream& operator<<(std::ostream& o, const CardArrival& a) {
  return o << a.from << "@" << a.head.fs() << "fs#" << a.origin;
}

class Card final : public net::Device, private net::SlotOwner {
 public:
  Card(DeviceArgs args, const CardConfig& c)
      : Device(args.sim, args.pool, args.name), place_(args.places.at(0).number), classes_(c.virtual_channels) {
    net::PortSpec p;
    p.name = "net";
    p.protocol = "link";
    p.rx.store_and_forward = false;
    p.rx.buffers.assign(static_cast<std::size_t>(classes_), flow::Credits::of(flow::Credits::infinite, c.buffer_flits));
    add_port(std::move(p));
  }
  router::Header header(int to, int copies = 1) const {
    router::Header h = router::header_of(place_, to, classes_);
    h.copies = static_cast<std::uint16_t>(copies);
    return h;
  }
  void send(const router::Header& h, Bytes n, std::uint32_t origin = 0) {
    net::Delivery d;
    d.packet = pool().make();
    d.packet->set_payload(n);
    d.packet->origin = origin;
    d.packet->header<router::Header>() = h;
    d.schedule = net::Schedule::at(now());
    d.slot = net::Slot(*this, h.vc, {1, 0}, 1);
    port(0).send(0, std::move(d));
  }
  /// What comes from now on stays in the buffer until `t` at least.
  void hold_until(Time t) { hold_ = t; }
  void receive(int, net::Delivery&& d) override {
    const router::Header& h = d.packet->header<router::Header>();
    REQUIRE(h.copies == 1);
    REQUIRE(static_cast<int>(h.destination) == place_);
    arrivals_.push_back({static_cast<int>(h.source), now(), d.packet->origin});
    d.slot.release(net::Schedule::at(std::max(hold_, d.schedule.back().tail)));
  }
  const std::vector<CardArrival>& arrivals() const { return arrivals_; }
  /// When the last byte of the packets sent so far had left.
  const std::vector<Time>& sent() const { return sent_; }

 private:
  void slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t) override {
    for (const net::Span& s : when) sent_.push_back(s.tail);
  }
  Time slot_now() const override { return now(); }
  int place_;
  int classes_;
  Time hold_;
  std::vector<CardArrival> arrivals_;
  std::vector<Time> sent_;
};

class CardBench {
 public:
  /// `rates`: of each card's link; none: as `link` says.
  CardBench(config::AnyConfig router, int terminals, CardConfig card, router::LinkConfig link,
            const std::vector<Rate>& rates = {}) {
    ModelCatalog catalog = model_catalog();
    catalog.devices.push_back(
        {config::kind<CardConfig>("card", "a test's terminal"), [](DeviceArgs args, const config::AnyConfig& c) {
           return std::make_unique<Card>(std::move(args), c.as<CardConfig>());
         }});
    const topo::NetworkParts parts{{any_of("card", card)}, std::move(router), any_of("link", link), {}};
    topo::Graph graph = topo::build(any_of("crossbar", topo::CrossbarConfig{terminals, parts}));
    for (std::size_t i = 0; i < rates.size(); ++i) graph.links[i].rate = rates[i];
    machine_ = std::make_unique<Machine>(sim_, std::move(graph), catalog);
    history_ = std::make_unique<explain::History>(machine_->channels());
    machine_->listen(*history_);
  }
  Card& card(int i) { return machine_->get<Card>("terminal" + std::to_string(i)); }
  sim::Simulation& simulation() { return sim_; }
  router::PlacedRouter& router() { return machine_->get<router::PlacedRouter>("router0"); }
  Machine& machine() { return *machine_; }
  void at(Time t, std::function<void()> f) {
    sim_.spawn("at", [t, f = std::move(f)](Fiber& fiber) {
      fiber.wait_until(t);
      f();
    });
  }
  void run() {
    REQUIRE(sim_.run(1_s));  // not CHECK: of a child process nobody would hear that
    REQUIRE(machine_->leftovers() == std::vector<std::string>{});
    REQUIRE(unexplained(*history_) == "");
  }

 private:
  sim::Simulation sim_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace tsunagi::test
