// SPDX-License-Identifier: Apache-2.0
// The sending side of an SR8000's network interface adapter, alone at a bus: when it asks for what, against closed
// forms.
#include "models/sr8000/nia.hpp"

#include <map>

#include "model/sr8000/sr8000_bench.hpp"
#include "models/host/on_chip.hpp"
#include "models/host/transaction.hpp"
#include "models/sr8000/tcw.hpp"
#include "support/child.hpp"

namespace nia_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// What stands for a node's memory and its processors: answers reads after `delay`, remembers when they came, and says
/// what a TCW says.
struct BusEndConfig {
  Time delay;
};
inline void describe(BusEndConfig&, config::Describer&) {}

class BusEnd final : public net::Device {
 public:
  BusEnd(DeviceArgs args, const BusEndConfig& c) : Device(args.sim, args.pool, args.name), delay_(c.delay) {
    net::PortSpec p;
    p.name = "bus";
    p.protocol = "on_chip";
    add_port(std::move(p));
  }
  struct Read {
    std::uint64_t address;
    Time when;
  };
  void receive(int, net::Delivery&& d) override {
    const Time when = d.schedule.back().tail;
    d.slot.release(d.schedule);
    if (host::is_write(*d.packet)) {
      writes.push_back({d.packet->address, when});
      return;
    }
    reads.push_back({d.packet->address, when});
    flow::PacketPtr p = std::move(d.packet);
    const auto tcw = tcws.find(p->address);
    host::set_answered(*p);
    if (tcw != tcws.end()) {
      const sr8000::TcwBytes bytes = encode(tcw->second);
      p->say(0_B, {bytes.data(), bytes.size()});
    }
    port(0).send(0, {std::move(p), net::Schedule::at(when + delay_), {}});
  }
  void kick(std::uint64_t register_address, std::uint64_t tcw) {
    flow::PacketPtr p = host::make_write(pool(), register_address, 8_B);
    p->say_last(tcw);
    port(0).send(0, {std::move(p), net::Schedule::at(now()), {}});
  }
  std::map<std::uint64_t, sr8000::Tcw> tcws;
  std::vector<Read> reads;
  std::vector<Read> writes;

 private:
  Time delay_;
};

constexpr std::uint64_t tcw_at = 0x1000, data_at = 0x100000, field_at = 0x200000, status_at = 0x300000;
constexpr Time bus = 1_ns;       // its flight; 64 B a ns
constexpr Time memory = 200_ns;  // until an answer begins
constexpr Time packet = 544_ns;  // 512 B and a header of 32 B at 1 GB/s
constexpr int cycle = 10;        // ns, of the adapter
constexpr int packets = 9;       // of a long transfer
Time on_bus(Bytes n) { return Time::from_fs(n.count() * 1'000'000 / 64); }
/// `cycles` after the first edge from `t` on.
Time after(Time t, int cycles) {
  const std::int64_t period = cycle * 1'000'000;
  return Time::from_fs((t.fs() + period - 1) / period * period + cycles * period);
}

/// Two nodes, of which the first sends `n` bytes to the second by a TCW that is kicked at 0; what its bus sees, and the
/// second one's.
struct Seen {
  std::vector<BusEnd::Read> reads;
  std::vector<BusEnd::Read> status;
  std::vector<BusEnd::Read> arrived;
};
Seen transfer(Bytes n, const std::function<void(sr8000::NiaConfig&)>& change) {
  sim::Simulation sim;
  ModelCatalog catalog = model_catalog();
  catalog.devices.push_back(
      {config::kind<BusEndConfig>("bus_end", "a test's memory"), [](DeviceArgs args, const config::AnyConfig& c) {
         return std::make_unique<BusEnd>(std::move(args), c.as<BusEndConfig>());
       }});
  sr8000::NiaConfig nia;
  nia.clock = Frequency(100'000'000);
  change(nia);
  const Sr8000Network net{{2}};
  const topo::NetworkParts parts{
      {any_of("nia", nia)}, any_of("sr8000_crossbar", net.crossbar), any_of("link", net.link), {}};
  topo::Graph graph = topo::build(any_of("crossbars", topo::CrossbarsConfig{net.sizes, net.relay, parts}));
  host::OnChipConfig wire;
  wire.bandwidth = Rate::bytes_per_second(64'000'000'000);
  wire.flight = bus;
  for (std::uint32_t i = 0, nodes = static_cast<std::uint32_t>(graph.nodes.size()); i < nodes; ++i) {
    if (graph.nodes[i].config.kind() != "nia") continue;
    const auto end = static_cast<std::uint32_t>(graph.nodes.size());
    graph.nodes.push_back({"bus of " + graph.nodes[i].name, any_of("bus_end", BusEndConfig{memory}), "/devices"});
    graph.links.push_back({{any_of("on_chip", wire), "/links"}, {end, "bus"}, {i, "bus"}});
  }
  Machine machine(sim, std::move(graph), catalog);
  const std::vector<sr8000::Nia*> adapters = machine.all<sr8000::Nia>();
  const std::vector<BusEnd*> ends = machine.all<BusEnd>();
  for (sr8000::Nia* a : adapters) {
    a->make_field(field_at, 1_MiB);
    a->set_status_word(status_at);
  }
  sr8000::Tcw t;
  t.source = data_at;
  t.length = n;
  t.destination = 1;
  ends[0]->tcws.emplace(tcw_at, t);
  sim.spawn("kick", [&](Fiber&) { ends[0]->kick(adapters[0]->kick_register(), tcw_at); });
  REQUIRE(sim.run(1_s));
  REQUIRE(machine.leftovers() == std::vector<std::string>{});
  return {ends[0]->reads, ends[0]->writes, ends[1]->writes};
}

/// When the first data are asked for, as the memory sees it.
Time first_read(const sr8000::NiaConfig& c) {
  const Time fetched = after(on_bus(8_B) + bus, c.fetch_cycles) + bus;
  return after(fetched + memory + on_bus(64_B) + bus, c.decode_cycles) + bus;
}

}  // namespace

TEST_CASE("NIA: a TCW is fetched, decoded and its data asked for, in the cycles of the config") {
  for (const int decode : {0, 1, 7, 200}) {
    sr8000::NiaConfig c;
    c.decode_cycles = decode;
    const std::string seen = in_child([&] {
      const Seen s = transfer(8_B, [&](sr8000::NiaConfig& n) { n.decode_cycles = decode; });
      REQUIRE(s.reads.size() == 2);
      REQUIRE(s.reads[0].address == tcw_at);
      REQUIRE(s.reads[0].when == after(on_bus(8_B) + bus, c.fetch_cycles) + bus);
      return std::to_string(s.reads[1].when.fs());
    });
    CAPTURE(decode);
    CHECK(seen == std::to_string(first_read(c).fs()));
  }
}

TEST_CASE("NIA: data are read so many packets ahead as the config says, and then one as each leaves") {
  for (const int ahead : {1, 2, 4, 5}) {
    CAPTURE(ahead);
    CHECK(in_child([ahead] {
            sr8000::NiaConfig c;
            c.read_ahead = ahead;
            const Seen s = transfer(512_B * packets, [&](sr8000::NiaConfig& n) { n.read_ahead = ahead; });
            REQUIRE(s.reads.size() == 1 + packets);
            const Time first = first_read(c);
            // Of packet i, when its data are asked for and when it has left.
            std::vector<Time> asked, left;
            Time wire, answers;
            for (int i = 0; i < packets; ++i) {
              asked.push_back(i < ahead ? first : left[static_cast<std::size_t>(i - ahead)] + bus);
              answers = std::max(answers, asked.back() + memory) + on_bus(512_B);
              wire = std::max(wire, after(answers + bus, c.build_cycles)) + packet;
              left.push_back(wire);
              CAPTURE(i);
              REQUIRE(s.reads[static_cast<std::size_t>(i) + 1].when == asked.back());
              REQUIRE(s.reads[static_cast<std::size_t>(i) + 1].address == data_at + 512U * static_cast<unsigned>(i));
            }
            REQUIRE(s.status.size() == 1);
            REQUIRE(s.status[0].when == after(left.back(), c.status_cycles) + on_bus(8_B) + bus);
            REQUIRE(s.arrived.size() == packets);
            return std::string("as said");
          }) == "as said");
  }
}

}  // namespace nia_test
