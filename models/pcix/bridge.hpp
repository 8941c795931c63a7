// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/describe.hpp"
#include "flow/contents.hpp"
#include "flow/ring.hpp"
#include "machine/machine.hpp"
#include "models/host/passage.hpp"
#include "models/host/transaction.hpp"
#include "models/pcie/tlp.hpp"
#include "models/pcix/bus.hpp"
#include "models/pcix/space_times.hpp"
#include "sim/timer.hpp"

namespace tsunagi::pcix {

struct BridgeConfig {
  Time upstream_latency = 60_ns;
  Time downstream_latency = 60_ns;
  Bytes posted_buffer = 8_KiB;
  int split_requests = 2;
  int downstream_requests = 4;
  Bytes write_size = 256_B;
  Bytes request_size = 4_KiB;
  Bytes completion_start = 128_B;
  Bytes completion_size = 4_KiB;
};
void describe(BridgeConfig& c, config::Describer& d);

/// A bridge from a host's link (port "host") to a PCI-X bus (port "bus").
///  - Posted writes of the bus are taken into `posted_buffer` whole, or refused, and go up in packets of `write_size`,
///    each when its last byte has come.
///  - Reads of the bus, up to `split_requests`, are asked of the host; their data come together here, and go to the bus
///    as split completions: a transaction has what is there when the bridge asks for the bus, up to a disconnect
///    boundary, at least `completion_start` and at most `completion_size` of it, or the read's rest.
///  - Writes and reads of the host become those of the bus.
///  - Requests and completions do not pass posted writes of their direction (PCI-X Addendum 1.0a, 8.4.4), because all
///    have one latency each way, and both the wires and the bus keep order.
class Bridge final : public net::Device, public host::Passage, private net::SlotOwner, private net::SpaceListener {
 public:
  Bridge(DeviceArgs args, const BridgeConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  bool takes_ahead(int port, const flow::Packet& p) const override {
    return port == host_port && host::transaction_class(p.header<host::Transaction>().type) == host::answer_class;
  }
  std::string leftover() const override;
  const net::Port& towards_host() const override { return ports()[host_port]; }
  const net::Port* port_for(int in, Address /*address*/) const override {
    return &ports()[static_cast<std::size_t>(in == host_port ? bus_port : host_port)];
  }
  const BridgeConfig& config() const { return config_; }

  static constexpr int host_port = 0;
  static constexpr int bus_port = 1;

 private:
  /// A read of the bus.
  struct Read {
    std::uint64_t number = 0;   // by which the host's answers find it
    flow::PacketPtr request;    // as the bus asked it
    net::Slot slot;             // its place among `split_requests`
    std::uint64_t address = 0;  // of the next byte that goes to the bus
    Bytes left;                 // to go there
    Bytes there;                // of that, here
    Bytes coming;               // and on its way here from the host's link
    flow::Contents contents;    // of what is here
    net::Cause last;            // that came
    bool failed = false;
  };
  /// A posted write on its way up.
  struct Leaving {
    std::int64_t packets = 0;
    net::Slot slot;
  };
  /// An answer of the host, which is here at `at`.
  struct Coming {
    Time at;
    std::uint64_t read = 0;
    Bytes size;
    flow::Contents contents;
    net::Cause last;
    bool failed = false;
    bool matters = false;  // the bus may be asked for then
  };
  /// On the host's link.
  std::int64_t pieces(const flow::Packet& write) const;
  void write_came(net::Delivery d);
  void read_came(net::Delivery d);
  void answer_came(net::Delivery d);
  /// Whether what is here, and what is coming, may be enough for a completion.
  bool may_matter() const;
  /// Takes in what has come.
  void gather();
  void to_bus(net::Delivery d);
  /// Sends the bus the next completion.
  void complete();
  /// If the bus takes one more; else it tells when it does.
  void send_completion(Read& r);
  /// How much of a read can go to the bus in a transaction when `there` is here.
  Bytes ready(const Read& r, Bytes there) const;
  void space_freed(Time when) override;
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return now(); }

  BridgeConfig config_;
  int max_train_;
  const Bus* bus_ = nullptr;
  flow::Ring<Read> reads_;  // in the order in which they came; those that are done go from the front
  std::uint64_t numbers_ = 0;
  flow::Ring<Coming> coming_;
  flow::Ring<Leaving> leaving_;
  SpaceTimes space_;  // at the bus
  sim::Timer<&Bridge::complete> alarm_{*this, sim::Phase::grant};
};

}  // namespace tsunagi::pcix
