// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/dma/bus_config.hpp"
#include "models/ethernet/card/receive.hpp"
#include "models/ethernet/card/transmit.hpp"
#include "models/ethernet/link.hpp"
#include "stats/random.hpp"

namespace tsunagi::ethernet {

struct CardConfig {
  PortLimits limits;
  Frequency clock{125'000'000};
  Time send_latency = 200_ns;
  Time receive_latency = 200_ns;
  int frame_cycles = 10;
  Bytes transmit_fifo = 16_KiB;
  Bytes receive_fifo = 48_KiB;
  int descriptors = 64;
  std::int64_t loss_ppm = 0;
  InterruptConfig interrupts;
  Bytes bar_base = 512_GiB;
  Bytes bar_size = 128_KiB;
  dma::BusConfig bus;
};
void describe(CardConfig& c, config::Describer& d);

/// A network interface card for Ethernet, of the kind of Intel's 8254x: an I/O bus at port 0, the wire at "net"; rings
/// of descriptors in host memory for frames to be sent and for buffers to be filled, which software moves on by writing
/// their tails into registers; interrupts that are throttled. Obeys PAUSE, sends none.
class Card final : public net::Device, private dma::Port::Registers {
 public:
  /// Registers, from "bar_base" on, of 4 B (software developer's manual, chapter 13): what has been written to them
  /// last counts.
  static constexpr std::uint64_t interrupts_on = 0x00d0;   // IMS: any value
  static constexpr std::uint64_t interrupts_off = 0x00d8;  // IMC: any value
  static constexpr std::uint64_t receive_tail = 0x2818;    // RDT: an entry of the ring
  static constexpr std::uint64_t transmit_tail = 0x3818;   // TDT: the same

  Card(DeviceArgs args, const CardConfig& c);
  ~Card() override;
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

  /// Its place in the network; of cards that are cabled to each other, which of the two it is.
  std::uint32_t place() const { return place_; }
  const topo::Network* network() const { return network_.get(); }
  std::uint64_t register_at(std::uint64_t offset) const { return unsigned_of(config_.bar_base) + offset; }
  const CardConfig& config() const { return config_; }

  // Before the run:
  void set_transmit_ring(const Ring& r) { transmit_->descriptors().set_ring(r); }
  void set_receive_ring(const Ring& r) { receive_->descriptors().set_ring(r); }
  /// Where 8 B are written when it interrupts, which say how often it has; never: it does not.
  void set_interrupt_address(std::uint64_t address) { interrupts_->set_address(address); }
  /// Software has written these into the receive ring, from its first entry on, and the card has read as many ahead as
  /// it has room for.
  void preset_receives(const std::vector<Descriptor>& all) { receive_->descriptors().preset(all); }

  std::int64_t sent() const { return transmit_->frames(); }
  std::int64_t received() const { return receive_->frames(); }
  /// Frames that were dropped: for which there was no descriptor, whose check failed, and with those that found no room
  /// in the FIFO.
  std::int64_t without_descriptor() const { return receive_->without_descriptor(); }
  std::int64_t failed_checks() const { return failed_checks_; }
  std::int64_t dropped() const { return ports()[1].incoming().counters().dropped; }
  std::int64_t interrupts() const { return interrupts_->count(); }

 private:
  void stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) override;

  CardConfig config_;
  std::uint32_t place_ = 0;
  std::shared_ptr<const topo::Network> network_;
  std::unique_ptr<dma::Port> bus_;
  std::unique_ptr<Interrupts> interrupts_;
  std::unique_ptr<Transmit> transmit_;
  std::unique_ptr<Receive> receive_;
  stats::RandomStream losses_;
  std::int64_t failed_checks_ = 0;
};

}  // namespace tsunagi::ethernet
