// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "flow/ring.hpp"
#include "net/device.hpp"
#include "sim/timer.hpp"
#include "units/clock.hpp"

namespace tsunagi::peach2 {

/// Answers reads of the chip's own region for one requester: in order, a beat of the datapath a cycle, completions of
/// at most `largest` bytes that end at its multiples, handed on when their last beat is there.
class ChipReads {
 public:
  struct Shape {
    Clock clock;
    Bytes width;       // of a beat
    int max_train;     // completions that may travel as one
    const char* what;  // observers call it that
  };
  /// Fills in what a completion says, at the time it does: of all completions of a request when the first is there.
  using Fill = std::function<void(flow::Packet&)>;
  using Sink = std::function<void(net::Delivery)>;

  ChipReads(net::Device& chip, flow::PacketPool& pool, const Shape& shape, Fill fill, Sink sink)
      : chip_(chip), pool_(pool), shape_(shape), fill_(std::move(fill)), sink_(std::move(sink)) {}

  /// A read whose first data comes `cycles` after its tail.
  void read(net::Delivery request, int cycles, Bytes largest);
  bool busy() const { return !waiting_.empty(); }

 private:
  struct Answer {
    net::Delivery delivery;
    bool first;  // of its request
  };
  void hand_on();
  Time next() const { return waiting_.front().delivery.schedule.front().tail; }

  net::Device& chip_;
  flow::PacketPool& pool_;
  Shape shape_;
  Fill fill_;
  Sink sink_;
  flow::Ring<Answer> waiting_;  // in order of time
  Time free_;
  sim::Timer<&ChipReads::hand_on> ready_{*this};
};

}  // namespace tsunagi::peach2
