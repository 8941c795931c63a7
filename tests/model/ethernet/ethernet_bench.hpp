// SPDX-License-Identifier: Apache-2.0
// Ethernet switches with a station at each terminal, which sends frames as the test says, obeys PAUSE, and notes what
// comes:
//
//   EthernetLan lan;
//   EthernetBench b(lan.star(3));
//   b.at(0_ns, [&] { b.station(0).send(1, 1500_B); });
//   b.run();
//   CHECK(b.station(1).frames()[0].tail == ...);
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/ethernet/link.hpp"
#include "models/ethernet/switch.hpp"
#include "support/child.hpp"
#include "support/grid_bench.hpp"

namespace tsunagi::test {

struct EthernetStationConfig {};
inline void describe(EthernetStationConfig&, config::Describer&) {}

/// What a station saw of a frame.
struct SeenFrame {
  int from = 0;
  std::uint64_t number = 0;
  Bytes payload;
  Time tail;
};

class EthernetStation final : public net::Device {
 public:
  EthernetStation(DeviceArgs args, const EthernetStationConfig&)
      : Device(args.sim, args.pool, args.name), max_train_(args.max_train), place_(args.places.at(0).number) {
    net::PortSpec p;
    p.name = "net";
    p.protocol = "ethernet";
    p.arbitration = ethernet::control_first();
    p.rx.trains = true;
    add_port(std::move(p));
  }
  /// `count` frames of payload `n`, in trains.
  void send(int to, Bytes n, int count = 1) {
    for (; count > max_train_; count -= max_train_) send(to, n, max_train_);
    net::Delivery d;
    d.packet = pool().make();
    d.packet->set_train(count, n, n);
    d.packet->origin_offset = sent_;
    d.packet->stride = 1_B;  // so that frames of a train are numbered one by one
    sent_ += static_cast<std::uint64_t>(count);
    d.packet->header<ethernet::Header>().route = router::header_of(place_, to, 1);
    d.schedule = net::Schedule::at(now(), count);
    port(0).send(0, std::move(d));
  }
  /// Tells the other end to be quiet for so many quanta.
  void pause(std::uint16_t quanta) { port(0).send(0, ethernet::pause_frame(pool(), quanta, now())); }
  void receive(int, net::Delivery&& d) override {
    const auto& h = d.packet->header<ethernet::Header>();
    REQUIRE(d.packet->count == 1);
    if (port(0).obey_pause(*d.packet, now())) return pauses_.push_back({h.quanta, now()});
    REQUIRE(static_cast<int>(h.route.destination) == place_);
    frames_.push_back({static_cast<int>(h.route.source), d.packet->origin_offset, d.packet->payload, now()});
  }
  struct SeenPause {
    int quanta;
    Time tail;
  };
  const std::vector<SeenFrame>& frames() const { return frames_; }
  const std::vector<SeenPause>& pauses() const { return pauses_; }
  std::int64_t from(int other) const {
    std::int64_t n = 0;
    for (const SeenFrame& f : frames_) n += f.from == other ? 1 : 0;
    return n;
  }

 private:
  int max_train_;
  int place_;
  std::uint64_t sent_ = 0;
  std::vector<SeenFrame> frames_;
  std::vector<SeenPause> pauses_;
};

/// What a network is made of.
struct EthernetLan {
  ethernet::LinkConfig wire = {};
  ethernet::SwitchConfig device = {};
  topo::NetworkParts parts() const {
    return {{any_of("ethernet_station", EthernetStationConfig{})},
            any_of("ethernet_switch", device),
            any_of("ethernet", wire),
            {}};
  }
  topo::Graph star(int stations) const {
    return topo::build(any_of("crossbar", topo::CrossbarConfig{stations, parts()}));
  }
  /// Two switches on a cable, or more in a row.
  topo::Graph row(int switches, int stations) const {
    return topo::build(any_of("mesh", topo::GridConfig{{switches}, stations, {}, parts()}));
  }

  // Of one frame, in times:
  Time on_wire(Bytes payload) const {  // without the gap
    return ethernet::link_rate(wire.speed).time(ethernet::preamble + ethernet::frame_size(payload));
  }
  Time turn(Bytes payload) const { return on_wire(payload) + ethernet::link_rate(wire.speed).time(ethernet::gap); }
  /// From a frame's last byte, at `t` in the switch, to when it waits for its output.
  Time forwarded(Time t) const { return Clock(device.clock).after(t, device.latency); }
  /// A frame that finds all idle, from its start to its last byte at the other station.
  Time through(Bytes payload) const {
    return forwarded(on_wire(payload) + wire.flight) + on_wire(payload) + wire.flight;
  }
};

class EthernetBench {
 public:
  explicit EthernetBench(topo::Graph graph, int max_train = 1, const std::string& findings = {}) {
    ModelCatalog catalog = model_catalog();
    catalog.devices.push_back({config::kind<EthernetStationConfig>("ethernet_station", "a test's terminal"),
                               [](DeviceArgs args, const config::AnyConfig& c) {
                                 return std::make_unique<EthernetStation>(std::move(args),
                                                                          c.as<EthernetStationConfig>());
                               }});
    machine_ = std::make_unique<Machine>(sim_, std::move(graph), catalog, 1, max_train, findings);
    if (max_train > 1) return;
    history_ = std::make_unique<explain::History>(machine_->channels());
    machine_->listen(*history_);
  }
  EthernetStation& station(int i) { return machine_->get<EthernetStation>("terminal" + std::to_string(i)); }
  ethernet::Switch& sw(int i = 0) { return *machine_->all<ethernet::Switch>().at(static_cast<std::size_t>(i)); }
  Machine& machine() { return *machine_; }
  sim::Simulation& sim() { return sim_; }
  void at(Time t, std::function<void()> f) {
    sim_.spawn("at " + std::to_string(++programs_), [t, f = std::move(f)](Fiber& fiber) {
      fiber.wait_until(t);
      f();
    });
  }
  /// Runs until nothing moves; everything is home then, and explained.
  void run(Time limit = 10_s) {
    REQUIRE(sim_.run(limit));
    CHECK(machine_->leftovers() == std::vector<std::string>{});
    if (history_ != nullptr) CHECK(unexplained(*history_) == "");
  }
  /// What arrived where and when.
  std::string seen(int stations) {
    std::string out;
    for (int i = 0; i < stations; ++i)
      for (const SeenFrame& f : station(i).frames())
        out += fmt::format("{} {} {} {} {}\n", i, f.from, f.number, f.payload.count(), f.tail.fs());
    for (const auto& w : machine_->wires())
      for (const net::Channel* c : {&w->forward(), &w->backward()})
        out += fmt::format("{} {}\n", c->counters().packets, c->counters().dropped);
    return out;
  }
  std::string findings() const {
    return machine_->foresight().refuted() ? machine_->foresight().findings() : std::string();
  }

 private:
  sim::Simulation sim_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
  int programs_ = 0;
};

}  // namespace tsunagi::test
