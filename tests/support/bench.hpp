// SPDX-License-Identifier: Apache-2.0
// A tiny machine by hand, in the domain's language:
//
//   Bench b;
//   b.device("a", port("out"));                 // a Probe: sends when told, records what arrives
//   b.device("b", port("in"));
//   b.wire("a.out", "b.in", gen2_x8());
//   b.build();
//   b.at(0_ns, [&] { b.probe("a").write(0x1000, 256_B); });
//   b.run();
//   b.probe("b").expect_first_at(71_ns);        // to the femtosecond
//   b.expect_all_home();
//
// One Bench a process (SystemC elaborates once): each TEST_CASE is one, and none re-enters sections.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/history.hpp"
#include "machine/machine.hpp"
#include "models/bench/exerciser.hpp"
#include "models/fpga/fpga.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/host/on_chip.hpp"
#include "models/host/root_complex.hpp"
#include "models/nvlink/link.hpp"
#include "models/nvlink/nvswitch.hpp"
#include "models/pcie/link.hpp"
#include "models/pcie/switch.hpp"
#include "models/pcie/tlp.hpp"
#include "models/pcix/bridge.hpp"
#include "models/pcix/hub_link.hpp"
#include "models/pcix/link.hpp"
#include "models/peach2/peach2.hpp"
#include "models/sr8000/storage_controller.hpp"
#include "models/tlm/card_config.hpp"
#include "support/catch.hpp"
#include "support/dma_card.hpp"
#include "support/print.hpp"

namespace tsunagi::test {

/// What a Probe saw of one packet of a delivery.
struct Arrival {
  int port = 0;
  std::uint64_t id = 0;
  std::uint64_t address = 0;
  Bytes payload;
  std::uint64_t value = 0;          // what its last (up to eight) bytes say
  std::vector<std::uint8_t> bytes;  // all that say anything, and those between
  pcie::TlpClass tlp_class = pcie::posted;
  Bytes completed;  // of a completion, bytes of its read
  pcie::Requester requester;
  Time told;  // when `receive` was called
  Time head;
  Time tail;
};

/// A test device's config: its ports, and what it does with what arrives.
struct ProbeConfig {
  std::vector<net::PortSpec> ports;
  /// How long after its tail a packet occupies the receive buffer.
  Time hold;
  /// Keeps every packet it receives, with its buffer space, for ever: a defect to be found.
  bool leaks = false;
  /// How long the first packets stay, one by one, instead of `hold`.
  std::vector<Time> holds = {};
  /// Packets leave in the order in which they came.
  bool fifo = false;
};
inline void describe(ProbeConfig&, config::Describer&) {}

/// Sends what a test tells it to, when it is told; records what arrives.
class Probe final : public net::Device {
 public:
  Probe(DeviceArgs args, const ProbeConfig& c);
  void receive(int port, net::Delivery&& d) override;

  /// A posted write, a read request or a completion whose bytes are all there now (or pass at `span`).
  void write(std::uint64_t address, Bytes n, int source = 0, int port = 0, std::optional<net::Span> span = {});
  void read(std::uint64_t address, Bytes n = 8_B, int source = 0, int port = 0);
  void complete(std::uint64_t address, Bytes n, int source = 0, int port = 0);
  /// A completion of `n` bytes for a read that arrived here.
  void answer(const Arrival& read, Bytes n);
  /// `count` writes that follow each other as one train, the last one of `last` bytes; all there now.
  void write_train(std::uint64_t address, int count, Bytes each, Bytes last, int source = 0);
  /// What the last (up to eight) bytes of the next writes say; none: nothing.
  void says(std::optional<std::uint64_t> value) { value_ = value; }
  /// A write of bytes all of which say something.
  void write_bytes(std::uint64_t address, const std::vector<std::uint8_t>& bytes, int source = 0);
  /// `count` reads of `each` bytes that follow each other, as one train.
  void read_train(std::uint64_t address, int count, Bytes each);

  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// The first arrival's head: not one femtosecond earlier, yes at `t`.
  void expect_first_at(Time t) const { expect_at(0, t); }
  void expect_at(std::size_t i, Time t) const;

 private:
  void send(flow::PacketPtr p, int source, int port, std::optional<net::Span> span);
  void send(net::Delivery d, int source, int port);
  /// Where a host's transactions pass; tests speak of them as of TLPs.
  bool is_bus(int port) const { return ports()[static_cast<std::size_t>(port)].spec().protocol == "on_chip"; }
  ProbeConfig config_;
  std::optional<std::uint64_t> value_;
  std::vector<Arrival> arrivals_;
  Time last_left_;
  std::vector<net::Delivery> kept_;
};

/// A test device that sends what comes by any port on by its first one, as source: the port that it came by.
struct RelayConfig {
  std::vector<net::PortSpec> ports;
};
inline void describe(RelayConfig&, config::Describer&) {}

class Relay final : public net::Device {
 public:
  Relay(DeviceArgs args, const RelayConfig& c);
  void receive(int in, net::Delivery&& d) override { port(0).send(in, std::move(d)); }
};

/// A wire whose specification is written down in the test.
struct SpecConfig {
  net::WireSpec spec;
};
inline void describe(SpecConfig&, config::Describer&) {}

class Bench {
 public:
  /// With a shared kernel, others' modules are built behind `build`.
  explicit Bench(sim::Kernel kernel = sim::Kernel::own);

  // --- before build ---
  void device(const std::string& name, ProbeConfig c) { add(name, "probe", std::move(c)); }
  /// A probe with one port.
  void device(const std::string& name, net::PortSpec p) { device(name, ProbeConfig{{std::move(p)}, {}, false}); }
  void device(const std::string& name, RelayConfig c) { add(name, "relay", std::move(c)); }
  void device(const std::string& name, host::CoreConfig c) { add(name, "core", c); }
  void device(const std::string& name, host::MemoryConfig c) { add(name, "memory", c); }
  void device(const std::string& name, host::RootComplexConfig c) { add(name, "root_complex", std::move(c)); }
  void device(const std::string& name, gpu::GpuConfig c) { add(name, "gpu", std::move(c)); }
  void device(const std::string& name, fpga::FpgaConfig c) { add(name, "fpga", std::move(c)); }
  void device(const std::string& name, peach2::Peach2Config c) { add(name, "peach2", std::move(c)); }
  void device(const std::string& name, card::TlmCardConfig c) { add(name, "tlm_card", c); }
  void device(const std::string& name, pcie::SwitchConfig c) { add(name, "pcie_switch", std::move(c)); }
  void device(const std::string& name, nvlink::NvSwitchConfig c) { add(name, "nvswitch", c); }
  void device(const std::string& name, sr8000::StorageControllerConfig c) { add(name, "storage_controller", c); }
  void device(const std::string& name, bench::ExerciserConfig c) { add(name, "exerciser", c); }
  void device(const std::string& name, pcix::BusConfig c) { add(name, "pcix_bus", std::move(c)); }
  void device(const std::string& name, pcix::BridgeConfig c) { add(name, "pcix_bridge", c); }
  void device(const std::string& name, pcix::HubLinkConfig c) { add(name, "hub_link", c); }
  void device(const std::string& name, DmaCardConfig c) { add(name, "dma_card", std::move(c)); }
  void wire(const std::string& a, const std::string& b, const pcix::LinkConfig& c) { connect(a, b, any("pcix", c)); }
  void wire(const std::string& a, const std::string& b, const nvlink::LinkConfig& c) {
    connect(a, b, any("nvlink", c));
  }
  void wire(const std::string& a, const std::string& b, const net::WireSpec& w) {
    connect(a, b, any("spec", SpecConfig{w}));
  }
  void wire(const std::string& a, const std::string& b, const pcie::LinkConfig& c) { connect(a, b, any("pcie", c)); }
  void wire(const std::string& a, const std::string& b, const host::OnChipConfig& c) {
    connect(a, b, any("on_chip", c));
  }
  void build(int max_train = 1, std::uint64_t seed = 1, const std::string& findings = {});

  // --- after it ---
  /// Does `f` at `t`.
  void at(Time t, std::function<void()> f);
  /// A blocking program that starts at 0.
  void program(const std::string& name, std::function<void(Fiber&)> f) { sim_.spawn(name, std::move(f)); }
  /// Runs until nothing moves; fails the test if that is not before `limit`.
  /// Runs to the end; then every femtosecond of packets that travelled alone must be explained, and none of them have
  /// passed what it must not pass.
  void run(Time limit = 1_s);
  /// What a run that must fail says.
  std::string failure();
  sim::Simulation& sim() { return sim_; }
  /// What happened in a machine whose packets travel alone.
  const explain::History& history() const { return *history_; }
  Machine& machine() { return *machine_; }
  Probe& probe(const std::string& name) { return machine_->get<Probe>(name); }
  /// The direction of the only (or i-th) wire that starts at its first end.
  const net::Channel& forward(std::size_t i = 0) const { return machine_->wires()[i]->forward(); }
  const net::Channel& backward(std::size_t i = 0) const { return machine_->wires()[i]->backward(); }
  /// Packets, credits and device state are home.
  void expect_all_home() { CHECK(machine_->leftovers() == std::vector<std::string>{}); }

 private:
  template <class C>
  static config::AnyConfig any(const char* kind, C c) {
    auto holder = std::make_shared<config::ConfigHolder<C>>();
    holder->value = std::move(c);
    return {kind, std::move(holder)};
  }
  template <class C>
  void add(const std::string& name, const char* kind, C c) {
    graph_.nodes.push_back({name, any(kind, std::move(c)), "/devices/" + name});
  }
  void connect(const std::string& a, const std::string& b, config::AnyConfig wire);
  topo::End end(const std::string& text) const;

  sim::Simulation sim_;
  topo::Graph graph_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
};

/// A PCIe port without any latency and with endless buffers, which takes trains.
inline net::PortSpec port(const std::string& name, int sources = 1) {
  net::PortSpec p;
  p.name = name;
  p.protocol = "pcie";
  p.sources = sources;
  p.rx.trains = true;
  return p;
}

/// A link whose only costs are its bytes and `flight`: no DLLPs, no ordered sets.
inline pcie::LinkConfig quiet(pcie::LinkConfig c) {
  c.acks = c.credit_updates = c.skip_ordered_sets = false;
  return c;
}
inline pcie::LinkConfig gen2_x8() { return {}; }
inline pcie::LinkConfig gen3_x8() {
  pcie::LinkConfig c;
  c.rate = TransferRate(8'000'000'000);
  c.coding = pcie::Coding::c128b130b;
  c.internal_delay = 115;
  c.skip_interval = 5920;
  c.skip_symbols = 16;
  return c;
}
inline net::WireSpec spec_of(const pcie::LinkConfig& c) {
  auto holder = std::make_shared<config::ConfigHolder<pcie::LinkConfig>>();
  holder->value = c;
  return pcie::link_spec({"pcie", std::move(holder)});
}

/// Where and when each write to a recording memory was.
std::string extents_text(const host::Memory& memory);

/// The first address that takes 64 bits.
constexpr std::uint64_t far = std::uint64_t{1} << 32;
/// Bytes of a 64-bit addressed write on a PCIe link: 16 header, 8 framing (Base Specification 2.2.4, 3.6.1).
constexpr Bytes on_link(Bytes payload) { return payload + 24_B; }

}  // namespace tsunagi::test
