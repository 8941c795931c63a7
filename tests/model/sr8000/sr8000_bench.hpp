// SPDX-License-Identifier: Apache-2.0
// The SR8000's network with a station at each node, which sends what the test says and keeps what comes:
//
//   Sr8000Bench b({8, 2});
//   b.at(0_ns, [&] { b.station(3).broadcast({0, 15}, 64_B); });
//   b.run();
//   CHECK(b.station(5).arrivals() == ...);
//
// One a process, as `Bench`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/sr8000/crossbar.hpp"
#include "support/grid_bench.hpp"
#include "topo/crossbars.hpp"

namespace tsunagi::test {

struct StationConfig {
  std::int64_t buffer_flits = 1024;
  /// How long after its tail a packet occupies the buffer.
  Time hold;
};
inline void describe(StationConfig&, config::Describer&) {}

/// What a station saw of a packet.
struct StationArrival {
  sr8000::Purpose purpose = sr8000::Purpose::remote_dma;
  int from = 0;
  Time head;
  Time tail;
  std::uint32_t number = 0;  // as the sender numbered it; of a barrier its colour
  friend bool operator==(const StationArrival& a, const StationArrival& b) {
    return a.purpose == b.purpose && a.from == b.from && a.head == b.head && a.tail == b.tail && a.number == b.number;
  }
};
inline std::ostream& operator<<(std::ostream& o, const StationArrival& a) {
  return o << "purpose " << static_cast<int>(a.purpose) << " " << a.from << "@" << a.head.fs() << ".." << a.tail.fs()
           << "fs#" << a.number;
}

class Station final : public net::Device, private net::SlotOwner {
 public:
  Station(DeviceArgs args, const StationConfig& c)
      : Device(args.sim, args.pool, args.name),
        place_(args.places.at(0).number),
        max_train_(args.max_train),
        hold_(c.hold) {
    net::PortSpec p;
    p.name = "net";
    p.protocol = "link";
    p.rx.store_and_forward = false;
    p.rx.trains = true;
    p.rx.buffers.assign(sr8000::virtual_channels, flow::Credits::of(flow::Credits::infinite, c.buffer_flits));
    add_port(std::move(p));
  }
  /// `count` packets of `n` bytes to a node, numbered from `number` on.
  void send(int to, Bytes n, std::uint32_t number = 0, int count = 1) {
    sr8000::Header h;
    h.route.destination = static_cast<std::uint32_t>(to);
    post(h, n, number, count);
  }
  void broadcast(const sr8000::Box& box, Bytes n, std::uint32_t number = 0, int count = 1) {
    post(header(sr8000::Purpose::broadcast, box), n, number, count);
  }
  void barrier(const sr8000::Box& box, int colour = 0, int count = 1) {
    sr8000::Header h = header(sr8000::Purpose::barrier, box);
    h.field = static_cast<std::uint16_t>(colour);
    post(h, 0_B, 0, count);
  }
  /// The same at `t`; one at a time.
  void barrier_at(Time t, const sr8000::Box& box, int colour) {
    later_.box = box;
    later_.colour = colour;
    simulation().agenda().arm(later_, t);
  }
  void receive(int, net::Delivery&& d) override {
    const sr8000::Header& h = d.packet->header<sr8000::Header>();
    const bool spread = h.purpose == sr8000::Purpose::spreading, released = h.purpose == sr8000::Purpose::released;
    REQUIRE((spread || released || h.purpose == sr8000::Purpose::remote_dma));
    REQUIRE((spread || released || static_cast<int>(h.route.destination) == place_));
    REQUIRE(h.route.vc == (spread ? sr8000::spreading_channel : sr8000::ordinary_channel));
    auto number = released ? std::uint32_t{h.field} : d.packet->origin;
    net::Schedule left;
    for (std::size_t i = 0; i < d.schedule.size(); ++i) {
      const net::Span& s = d.schedule[i];
      arrivals_.push_back({h.purpose, static_cast<int>(h.route.source), s.head, s.tail, number});
      if (!released)
        arrivals_.back().number += static_cast<std::uint32_t>(d.packet->origin_offset) + static_cast<std::uint32_t>(i);
      last_left_ = std::max(last_left_, s.tail + hold_);
      left.push_back({last_left_, last_left_});
    }
    if (on_release && released) on_release(number);
    d.slot.release(left);
  }
  const std::vector<StationArrival>& arrivals() const { return arrivals_; }
  std::function<void(std::uint32_t)> on_release;

 private:
  sr8000::Header header(sr8000::Purpose purpose, const sr8000::Box& box) const {
    sr8000::Header h;
    h.purpose = purpose;
    h.route.destination = box.first;
    h.last = box.last;
    return h;
  }
  void post(sr8000::Header h, Bytes n, std::uint32_t number, int count) {
    h.route.source = static_cast<std::uint32_t>(place_);
    h.route.vc = sr8000::ordinary_channel;
    while (count > 0) {
      const int now_sent = std::min(count, max_train_);
      net::Delivery d;
      d.packet = pool().make();
      d.packet->set_train(now_sent, n, n);
      d.packet->stride = 1_B;  // numbers packets in origin_offset
      d.packet->origin = number;
      d.packet->header<sr8000::Header>() = h;
      for (int i = 0; i < now_sent; ++i) d.schedule.push_back({now(), now()});
      d.slot = net::Slot(*this, h.route.vc, {1, 0}, now_sent);
      port(0).send(0, std::move(d));
      number += static_cast<std::uint32_t>(now_sent);
      count -= now_sent;
    }
  }
  void slot_released(flow::FlowClass, flow::Credits, net::Spans, std::uint64_t) override {}
  Time slot_now() const override { return now(); }
  struct Later final : sim::Alarm {
    explicit Later(Station& s) : Alarm(sim::Phase::arrive), station(s) {}
    void ring() override { station.barrier(box, colour); }
    Station& station;
    sr8000::Box box;
    int colour = 0;
  };
  Later later_{*this};
  int place_;
  int max_train_;
  Time hold_;
  Time last_left_;
  std::vector<StationArrival> arrivals_;
};

/// 10 ns a cycle and 100 ns a crossbar or relay, 32 ns a flit of 32 B, which is a header, 7 ns a wire.
struct Sr8000Network {
  std::vector<std::int64_t> sizes;
  sr8000::CrossbarConfig crossbar = [] {
    sr8000::CrossbarConfig c;
    c.clock = Frequency(100'000'000);
    c.latency = 10;
    c.buffer_flits = 64;
    return c;
  }();
  StationConfig station = {};
  router::LinkConfig link = [] {
    router::LinkConfig c;
    c.bandwidth = Rate::bytes_per_second(1'000'000'000);
    c.flight = 7_ns;
    c.header = c.flit = 32_B;
    c.max_payload = 512_B;
    return c;
  }();
  config::AnyConfig relay = {};
};

class Sr8000Bench {
 public:
  explicit Sr8000Bench(const Sr8000Network& n, int max_train = 1, const std::string& findings = {}) {
    ModelCatalog catalog = model_catalog();
    catalog.devices.push_back(
        {config::kind<StationConfig>("station", "a test's node"), [](DeviceArgs args, const config::AnyConfig& c) {
           return std::make_unique<Station>(std::move(args), c.as<StationConfig>());
         }});
    const topo::NetworkParts parts{
        {any_of("station", n.station)}, any_of("sr8000_crossbar", n.crossbar), any_of("link", n.link), {}};
    topo::Graph graph = topo::build(any_of("crossbars", topo::CrossbarsConfig{n.sizes, n.relay, parts}));
    machine_ = std::make_unique<Machine>(sim_, std::move(graph), catalog, 1, max_train, findings);
    if (max_train > 1) return;
    history_ = std::make_unique<explain::History>(machine_->channels());
    machine_->listen(*history_);
  }
  explicit Sr8000Bench(std::vector<std::int64_t> sizes) : Sr8000Bench(Sr8000Network{std::move(sizes)}) {}

  Station& station(int i) { return machine_->get<Station>("terminal" + std::to_string(i)); }
  int nodes() { return static_cast<int>(machine_->all<Station>().size()); }
  sim::Simulation& simulation() { return sim_; }
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
    if (history_ != nullptr) REQUIRE(unexplained(*history_) == "");
  }
  /// Runs; what it found out about its own foresight, if that was wrong.
  std::string attempt() {
    try {
      sim_.run(1_s);
    } catch (...) {  // what a wrong foresight leads to does not count
      if (!machine_->foresight().refuted()) throw;
    }
    return machine_->foresight().refuted() ? machine_->foresight().findings() : std::string();
  }

 private:
  sim::Simulation sim_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace tsunagi::test
