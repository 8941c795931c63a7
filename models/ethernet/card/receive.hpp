// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "models/ethernet/card/descriptor_fetch.hpp"
#include "models/ethernet/card/interrupts.hpp"
#include "models/ethernet/frame.hpp"

namespace tsunagi::ethernet {

/// The receiving half of a card: a frame that finds room in the FIFO, and a descriptor that software has given for it,
/// is written to that one's buffer, then the descriptor with its length, and the host is told. One that finds no
/// descriptor is dropped and counted.
class Receive {
 public:
  /// What has come by port 1 of `card`. All outlive it.
  Receive(net::Device& card, flow::PacketPool& pool, dma::Port& host, Interrupts& interrupts, const Clock& clock,
          int frame_cycles, int cached);

  DescriptorFetch& descriptors() { return fetch_; }
  void frame_came(net::Delivery d);
  bool busy() const { return !waiting_.empty() || fetch_.busy(); }
  std::int64_t frames() const { return frames_; }
  /// Frames that found no descriptor.
  std::int64_t without_descriptor() const { return without_; }

 private:
  /// Frames whose descriptors are here.
  void store();
  void store(net::Delivery d, const DescriptorFetch::Taken& t);

  net::Device& card_;
  flow::PacketPool& pool_;
  dma::Port& host_;
  Interrupts& interrupts_;
  Clock clock_;
  int frame_cycles_;
  DescriptorFetch fetch_;
  flow::Ring<net::Delivery> waiting_;
  net::Wait turn_;  // the last frame was begun
  std::int64_t frames_ = 0;
  std::int64_t without_ = 0;
};

}  // namespace tsunagi::ethernet
