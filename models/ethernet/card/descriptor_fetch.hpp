// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "flow/ring.hpp"
#include "models/dma/port.hpp"
#include "models/ethernet/card/descriptor.hpp"

namespace tsunagi::ethernet {

/// What a card has of a ring of descriptors: software tells how far it has written, the card reads ahead as many as it
/// has room for, one read at a time, in their order.
class DescriptorFetch final : private dma::Port::Reader {
 public:
  /// Room for `cached`; `came` is called when there are more. All outlive it.
  DescriptorFetch(dma::Port& host, int cached, std::function<void()> came)
      : host_(host), cached_(cached), came_(std::move(came)) {}

  /// Before the run.
  void set_ring(const Ring& ring) { ring_ = ring; }
  /// Before the run: software has written these from the ring's first entry on, and as many are here as may be.
  void preset(const std::vector<Descriptor>& all);
  const Ring& ring() const { return ring_; }
  /// Software has written up to that entry, that one not. False if there is no such entry.
  bool tail(std::uint64_t entry, const net::Cause& by);

  /// Descriptors that software has given and the card has not taken.
  std::uint64_t available() const { return tail_ - taken_; }
  bool ready() const { return !here_.empty(); }
  struct Taken {
    Descriptor descriptor;
    std::uint64_t number = 0;  // of all of the ring since the start
    net::Cause came;
  };
  /// The next one, if it is ready. As of `by` there is room for another one.
  Taken take(const net::Cause& by);
  bool busy() const { return asked_; }

 private:
  void fetch(const net::Cause& by);
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;

  dma::Port& host_;
  std::uint64_t cached_;
  std::function<void()> came_;
  Ring ring_;
  std::uint64_t tail_ = 0;     // numbers of descriptors since the start: software has written those before
  std::uint64_t fetched_ = 0;  // the card has read, or is reading
  std::uint64_t taken_ = 0;
  bool asked_ = false;
  flow::Ring<Taken> here_;
};

}  // namespace tsunagi::ethernet
