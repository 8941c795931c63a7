// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/ethernet/card/card.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// What drives a node's Ethernet card.
struct EthernetNodeConfig {
  std::string core = "core0";
  std::string memory = "memory";
  std::string card = "nic";
  int transmit_ring = 256;
  int receive_ring = 256;
  int receive_buffers = 512;
  std::int64_t send_cycles = 3000;
  std::int64_t interrupt_cycles = 3000;
  std::int64_t frame_cycles = 3000;
};
void describe(EthernetNodeConfig& c, config::Describer& d);

/// The driver of an Ethernet card in one node, as that of an operating system's kernel: copies what is sent into
/// buffers of its own, writes descriptors and tells the card; is told by interrupts of what has come, which it takes
/// with interrupts off until there is no more (as Linux' NAPI). A buffer that is full is passed on, and another one put
/// into its descriptor. What sets rings up takes no time: before the run.
class EthernetNode : public process::HostProcess {
 public:
  /// `prefix`: what the names of the node's devices begin with. Throws config::ConfigError if it lacks a part, or the
  /// parts do not reach each other.
  EthernetNode(const EthernetNodeConfig& c, Machine& m, const std::string& prefix);

  /// Memory for something else that the library keeps. Before `close`.
  process::Area take(const std::string& name, Bytes size) { return areas().take(name, size); }
  /// No more memory is taken: checks that all parts reach each other, and fills the receive ring.
  void close();

  ethernet::Card& card() const { return *card_; }
  Bytes mtu() const { return card_->ports()[1].max_payload(); }

  /// A frame to the station at `place`, of `head`, which the core stores, and `n` bytes of the program's, from `from`
  /// on, which it copies; together at most the MTU. Waits for a descriptor if all are in use.
  void send(Fiber& f, std::uint32_t place, flow::ByteView head, std::uint64_t from, Bytes n);

  struct Frame {
    std::uint32_t from = 0;        // place
    std::uint64_t payload_at = 0;  // its address
    Bytes payload;
    std::uint64_t buffer = 0;  // to be given back
    std::uint64_t step = 0;    // of the core, the last one that took it
  };
  /// Takes what comes: called by `drive`, on its fiber.
  using Taker = std::function<void(Fiber&, const Frame&)>;
  /// The driver's interrupt handler, for ever.
  void drive(Fiber& f, const Taker& take);
  /// The frame's buffer is used again. `f`: whose time it takes to tell the card, if that lacks buffers.
  void give_back(Fiber& f, std::uint64_t buffer);

  std::int64_t interrupts() const { return handled_; }

 private:
  /// Descriptors that are given back while more frames come (Linux driver e1000: E1000_RX_BUFFER_WRITE).
  static constexpr std::uint64_t returned_at_once = 16;
  struct Slot {
    std::uint64_t buffer = 0;
    Time written;  // the descriptor
  };
  /// The card has written the descriptor's status since software wrote it at `written`.
  bool done(std::uint64_t descriptor, Time written) const;
  host::Word& status(std::uint64_t descriptor) const {
    return memory().word_ending_at(descriptor + ethernet::Descriptor::status_at + 1, 1_B);
  }
  void wait_for_descriptor(Fiber& f);
  /// Takes the frame of the next receive descriptor, if there is one.
  bool take_frame(Fiber& f, const Taker& take);
  /// Puts buffers into descriptors as far as there are both, and tells the card.
  void refill(Fiber& f);
  void tell(Fiber& f, std::uint64_t register_offset, std::uint64_t value);

  EthernetNodeConfig config_;
  ethernet::Card* card_;
  ethernet::Ring transmit_;
  ethernet::Ring receive_;
  std::uint64_t transmit_buffers_ = 0;
  std::uint64_t receive_buffers_ = 0;
  Bytes buffer_;  // bytes of one
  std::uint64_t interrupt_at_ = 0;
  std::uint64_t posted_ = 0;     // frames
  std::uint64_t reclaimed_ = 0;  // of them, whose descriptors are free again
  std::vector<Time> transmit_written_;
  std::vector<Slot> slots_;  // of the receive ring
  std::uint64_t taken_ = 0;  // frames
  std::uint64_t given_ = 0;  // descriptors to the card, since the start
  std::vector<std::uint64_t> free_;
  std::int64_t handled_ = 0;
};

/// Those of a machine by their cards' places, which are all places of a network. Throws config::ConfigError if there
/// are not two.
comm::ByRank<EthernetNode> ethernet_nodes(const EthernetNodeConfig& c, Machine& m, const std::string& library);

}  // namespace tsunagi::libraries
