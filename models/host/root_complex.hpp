// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/iommu.hpp"
#include "models/host/ordered_writes.hpp"
#include "models/host/peer_reads.hpp"
#include "models/host/transaction.hpp"
#include "models/pcie/buffers.hpp"
#include "models/pcie/slots.hpp"
#include "models/pcie/tlp.hpp"
#include "units/address.hpp"

namespace tsunagi::host {

/// Addresses that belong to another socket, and the port that leads there. Ranges may share a port.
struct RemoteConfig {
  std::string name;
  Bytes window_base;
  Bytes window_size;
};
void describe(RemoteConfig& c, config::Describer& d);

/// An I/O bridge (PCI-X) below a north bridge, by a port of the host's own bus, and the addresses behind it.
struct BridgePortConfig {
  std::string name;
  Bytes window_base;
  Bytes window_size;
  int write_lines = 64;
};
void describe(BridgePortConfig& c, config::Describer& d);

struct RootComplexConfig {
  int cores = 1;
  int core_writes = 0;
  Bytes memory_base;
  Bytes memory_size = 128_GiB;
  Time posted_latency = 150_ns;
  Time read_latency = 200_ns;
  Time completion_latency = 200_ns;
  Time remote_latency = 10_ns;
  Bytes completion_size = 256_B;
  Bytes read_completion_boundary = 64_B;
  PeerConfig peer;
  int remote_reads = 0;
  OrderedWritesConfig ordered_writes;
  IommuConfig iommu;
  pcie::BufferConfig buffers;
  std::vector<pcie::SlotConfig> slots;
  std::vector<RemoteConfig> remotes;
  std::vector<BridgePortConfig> bridges;
};
void describe(RootComplexConfig& c, config::Describer& d);

/// Joins cores, memory and PCIe slots of a socket, and the socket to others; routes by address. What comes by a slot is
/// a TLP, and becomes a host's transaction; what leaves by one, a TLP again (root_complex_tlp.hpp).
///  - Writes go anywhere. Those of a core may be bounded: it stores no faster than their link takes them
///    (`core_writes`). A core's reads of a slot are passed on whole, and take `posted_latency` each way.
///  - A slot's reads of memory become one request for each completion that will go back.
///  - A slot's reads of another slot (peer to peer) are limited: PeerReads.
///  - What comes by a bridge's port is a card's, too, and treated so, but in the host's own terms.
///  - Reads and completions stay behind the posted writes that came before them by the same port for the same port,
///    however much longer those take here (Base Specification 2.4.1).
///  - A slot's reads of another socket's memory may be limited, too (`remote_reads`).
///  - A slot's writes of memory that are not relaxed get the ownership of their lines in order: OrderedWrites.
///  - With `iommu`, what a slot asks for begins its way when its address is translated: Iommu.
class RootComplex final : public net::Device, public pcie::Slots {
 public:
  RootComplex(DeviceArgs args, const RootComplexConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  bool takes_ahead(int port, const flow::Packet& p) const override {
    return is_slot(port) ? pcie::is_write(p) && !iommu_ : is_write(p);
  }
  Time next_offer(int port, int source) const override;
  Time next_offer(int port) const override;
  std::string leftover() const override;
  const pcie::SlotConfig* slot_at(int port) const override {
    return is_slot(port) ? &config_.slots[static_cast<std::size_t>(port - slot_port(0))] : nullptr;
  }
  /// Why a card in one of the slots, or below it, cannot reach an address; empty if it can.
  std::string peer_refusal(const net::Device& card, Address address) const;
  /// Where writes to an address leave; null: nobody has it, or nothing is connected there.
  const net::Port* port_for(Address address) const;
  const RootComplexConfig& config() const { return config_; }

 private:
  /// Adds where its windows begin and end.
  void add_edges(std::vector<Address>& edges) const;
  void check_memory() const;
  void check_remotes() const;
  void check_packets() const;
  /// Memory or a slot of this socket has some of the addresses.
  bool has_any_of(const RemoteConfig& r) const;
  /// The port that leads to an address; -1: nobody has it.
  int port_to(Address address) const;
  /// Why nothing can leave by port `out`, which nobody is connected to (-1: there is none), for an address.
  std::string route_refusal(int out, Address address) const;
  /// Why completions of a card in slot `out` do not fit the link of the card in slot `in` that reads it; empty if they
  /// do.
  std::string completion_refusal(int in, int out) const;
  /// Whether a card has the address, here or on another socket.
  bool card_has(Address address) const;
  /// How far from an address on what lies there is in the same window, or in none, here and beyond; the most that there
  /// is: for ever.
  Bytes same_window_for(Address address) const;
  /// From a slot to a card on another socket.
  bool peer_across(int in, int out, Address address) const;
  Time latency(TransactionType type, int in, int out) const;
  /// Sends, from input `in`, by port `out` what that one's wire carries.
  void send(int in, int out, net::Delivery&& d);
  /// Answers a request whose address nobody has, in the terms of the wire that it came by.
  void refuse(int in, net::Delivery d, const std::string& why);
  /// Delays a posted write by a fixed latency.
  void pass_write(int in, int out, net::Delivery& d);
  /// Delays a read or answer by a fixed latency, named for observers, and keeps it behind posted writes.
  void pass(int in, int out, net::Delivery& d, const char* what, Time latency) const;
  /// When the last posted write from `in` to `out` that has come so far is ready to leave.
  Time& posted_until(int in, int out) {
    return posted_until_[static_cast<std::size_t>(in) * ports().size() + static_cast<std::size_t>(out)];
  }
  Time posted_until(int in, int out) const { return const_cast<RootComplex*>(this)->posted_until(in, out); }
  /// Passes on what needs no translation any more.
  void route(int in, net::Delivery d);
  /// That, of packets whose addresses all lie in one window.
  void route_together(int in, net::Delivery d);
  void forward_write(int in, int out, bool across, net::Delivery d);
  /// A write that is not relaxed gets its lines' ownership, in order.
  void own_lines(int in, int out, net::Delivery& d);
  void forward_read(int in, int out, net::Delivery d);
  void read_memory(int in, int out, net::Delivery d);
  void forward_answer(int in, net::Delivery d);
  int memory_port() const { return config_.cores; }
  int slot_port(int i) const { return config_.cores + 1 + i; }
  bool is_slot(int p) const { return p > memory_port() && p < first_remote_; }
  bool is_remote(int p) const { return p >= first_remote_ && p < first_bridge_; }
  bool is_bridge(int p) const { return p >= first_bridge_; }
  /// Cards are behind it.
  bool is_io(int p) const { return is_slot(p) || is_bridge(p); }

  RootComplexConfig config_;
  std::int64_t max_train_;
  Time least_latency_;  // from one port to another
  int first_remote_;
  int first_bridge_;
  std::vector<int> remote_ports_;           // of each range
  std::vector<const RootComplex*> beyond_;  // of each port that leads to another socket, in order
  std::vector<Address> edges_;              // where windows begin or end, here and beyond, in order
  std::vector<Time> peer_qpi_free_;         // of each port: when a write to a card of another socket can follow
  std::vector<Time> posted_until_;          // of each pair of ports
  PeerReads peer_reads_;
  PeerConfig far_memory_;
  PeerReads far_reads_;  // of another socket's memory
  OrderedWrites ordered_writes_;
  std::unique_ptr<Iommu> iommu_;
};

/// The root complex that a card is below of, through however many switches and passages; null: there is none.
const RootComplex* root_complex_above(const net::Device& card);

}  // namespace tsunagi::host
