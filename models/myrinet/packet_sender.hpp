// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flow/ring.hpp"
#include "flow/timed_space.hpp"
#include "models/dma/port.hpp"
#include "models/firmware/processor.hpp"
#include "models/myrinet/descriptors.hpp"
#include "models/myrinet/header.hpp"
#include "models/myrinet/reliable/layer.hpp"
#include "net/device.hpp"
#include "sim/timer.hpp"

namespace tsunagi::myrinet {

/// The sending half of a card: descriptors in their order, each a packet. When a buffer of the card's memory is free
/// the processor takes the next one and starts its read of host memory; when all data are there the packet leaves by
/// the link, behind those before it, whole: it does not cut through.
class PacketSender final : private dma::Port::Reader, private net::SlotOwner {
 public:
  struct Config {
    int cycles = 0;  // of the processor, a packet
    Time latency;    // from the card's memory to the wire
    int buffers = 1;
    int entries = 1;
    bool ring = false;  // descriptors lie in host memory
    int max_train = 1;
  };
  /// All outlive this. `routes` may be filled in until the run begins.
  PacketSender(net::Device& card, flow::PacketPool& pool, dma::Port& host, firmware::Processor& processor,
               const std::vector<SourceRoute>& routes, const Config& c)
      : card_(card),
        pool_(pool),
        host_(host),
        processor_(processor),
        routes_(routes),
        config_(c),
        buffers_(Bytes(c.buffers)) {}
  void set_done_word(std::uint64_t address) { done_word_ = address; }
  void set_ring(std::uint64_t base) { ring_ = base; }
  /// It says what is sent, in place of descriptors. It outlives this.
  void set_layer(Layer& layer) { layer_ = &layer; }

  /// Software has written a descriptor.
  void posted(const SendDescriptor& d, const net::Cause& by);
  /// Software has rung: descriptors up to that number are in the ring.
  void rung(std::uint32_t last, const net::Cause& by);
  /// Takes descriptors, or packets of the layer, as long as there are buffers.
  void take();
  /// What is not done; empty: nothing.
  std::string leftover() const;

 private:
  static constexpr std::uint64_t descriptor_token = ~std::uint64_t{0};
  /// A packet in the card's memory, or on its way there.
  struct Packet {
    Outgoing out;
    net::Wait ready;
    bool there = false;
  };
  void check(const SendDescriptor& d) const;
  void fetch(const net::Wait& why);
  /// There is a packet that waits: a descriptor, or one of the layer.
  bool waits() const { return !waiting_.empty() || (layer_ != nullptr && layer_->any()); }
  /// Takes it, if it is one: a layer may find that it is not.
  bool take_next(Outgoing& out);
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  /// What is in the card's memory leaves it, in order.
  void send_ready();
  void send(Packet p);
  /// The next piece's data: what leads them, and what is from the host.
  void load(flow::Packet& piece, Outgoing& out, Bytes at);
  void tell_done(const net::Wait& why);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  dma::Port& host_;
  firmware::Processor& processor_;
  const std::vector<SourceRoute>& routes_;
  Config config_;
  std::uint64_t done_word_ = 0;
  std::uint64_t ring_ = 0;
  std::uint32_t rung_ = 0;     // descriptors in the ring
  std::uint32_t fetched_ = 0;  // of them, how many have been asked for
  bool fetching_ = false;
  Layer* layer_ = nullptr;
  flow::Ring<Outgoing> waiting_;
  flow::TimedSpace buffers_;  // a byte each
  std::uint32_t last_ = 0;    // number of the descriptor that came last
  std::uint32_t done_ = 0;    // sends whose data have left the host
  std::uint64_t first_ = 0;   // number of the first of
  flow::Ring<Packet> packets_;
  int leaving_ = 0;  // packets that are at the port
  sim::Timer<&PacketSender::take> take_{*this};
};

}  // namespace tsunagi::myrinet
