// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flow/ring.hpp"
#include "machine/machine.hpp"
#include "models/dma/port.hpp"
#include "models/firmware/processor.hpp"
#include "models/firmware/started_port.hpp"
#include "models/myrinet/lanai_config.hpp"
#include "models/myrinet/packet_receiver.hpp"
#include "models/myrinet/packet_sender.hpp"
#include "models/myrinet/reliable/reliable_firmware.hpp"
#include "stats/random.hpp"

namespace tsunagi::myrinet {

/// A Myrinet card with a LANai: one processor that runs firmware, memory (SRAM) through which all packets go, a DMA
/// engine on the I/O bus and one each way on the link. An I/O bus at port 0, the network at "net".
///
/// It moves packets and nothing else: what has to arrive, in which order and how often, is software's affair, or that
/// of firmware that stands on it (`"firmware": "reliable"`; ReliableFirmware). Software hands it a send by a descriptor
/// (SendDescriptor) and host memory for packets that come (ReceiveBuffer); it tells by events (ReceiveEvent) in a ring
/// in host memory, behind the data. A packet for which there is no buffer, or that fails its check, is dropped and
/// counted. Routes are those of the network, each to its terminal, in the card's memory.
class LanaiCard final : public net::Device, public dma::Port::Registers {
 public:
  LanaiCard(DeviceArgs args, const LanaiConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

  const LanaiConfig& config() const { return config_; }
  /// Its place in the network, or, of two cards that are cabled to each other, which of the two it is.
  int place() const { return place_; }
  /// Null: it is cabled to another card.
  const topo::Network* network() const { return network_.get(); }
  const net::Port& network_port() const { return ports()[1]; }
  /// Bytes of the route to a terminal.
  int route_size(int to) const { return routes_.at(static_cast<std::size_t>(to)).size; }

  // Before the run: where in host memory the card finds or leaves what. Each is needed.
  /// Ring of `entries` events.
  void set_events(std::uint64_t base, int entries) { receiver_->set_events(base, entries); }
  /// A word of eight bytes: how many sends are done, whose number it is of those that are to be told.
  void set_sends_done(std::uint64_t address) { sender_->set_done_word(address); }
  /// Ring of `send_entries` descriptors, for `SendQueue::host_memory`.
  void set_send_ring(std::uint64_t base) { sender_->set_ring(base); }

  /// The card has a receive buffer when the run begins.
  void preset_receive(const ReceiveBuffer& r) { receiver_->posted(r); }
  /// Of firmware that is reliable; null: of none.
  const ReliableFirmware* reliable() const { return reliable_.get(); }
  /// Reads of host memory for what is sent.
  std::int64_t sending_reads() const { return dma_->reads(); }

  /// Where software writes descriptor `number` (from 1 on), 32 B at once.
  std::uint64_t send_entry(std::uint32_t number) const;
  /// Where it writes, with `SendQueue::host_memory`, the number of the last one that is in the ring: four bytes.
  std::uint64_t doorbell() const { return unsigned_of(config_.bar_base); }
  /// Where it writes a receive buffer, 16 B at once.
  std::uint64_t receive_entry() const { return unsigned_of(config_.bar_base) + receive_at; }

  /// Packets that found no receive buffer, and their bytes; and those that failed their check.
  std::int64_t dropped() const { return receiver_->dropped(); }
  Bytes dropped_bytes() const { return receiver_->dropped_bytes(); }
  std::int64_t failed_checks() const { return receiver_->failed_checks(); }

 private:
  static constexpr std::uint64_t receive_at = 64;
  static constexpr std::uint64_t sends_at = 4096;
  void stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) override;
  [[noreturn]] void fail(const std::string& what) const;
  void find_place();
  /// The card's memory holds what it is to hold.
  void check_memory() const;

  LanaiConfig config_;
  int place_ = 0;
  std::shared_ptr<const topo::Network> network_;
  std::vector<SourceRoute> routes_;  // by terminal
  firmware::Processor processor_;
  std::unique_ptr<dma::Port> bus_;
  std::unique_ptr<firmware::StartedPort> dma_;
  std::unique_ptr<PacketSender> sender_;
  std::unique_ptr<PacketReceiver> receiver_;
  std::unique_ptr<ReliableFirmware> reliable_;
};

}  // namespace tsunagi::myrinet
