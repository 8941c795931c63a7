// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "comm/request.hpp"
#include "flow/ring.hpp"
#include "flow/tags.hpp"
#include "models/bench/engine_config.hpp"
#include "models/pcie/read_requester.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "sim/timer.hpp"
#include "units/clock.hpp"

namespace tsunagi::bench {

/// The DMA engine of an exerciser, which the card's firmware starts, as that of pcie-bench does (pciebench-nfp). As
/// many operations are under way as there are workers; a worker is busy from the start of its operation until firmware
/// sees the end. All falls on edges of the engine's clock: an operation's first TLP comes `start_cycles` behind its
/// start, firmware sees the end `end_cycles` behind its last completion or, of a write, behind the moment when its last
/// TLP has left the card. Operations by descriptor of one direction keep an interval; the bytes of all, and reads'
/// requests, cross the card's bus as a whole, one operation after the other each way: a card stores and forwards.
class DmaEngine final : private net::SlotOwner {
 public:
  struct Transfer {
    bool reads = true;
    std::uint64_t address = 0;
    Bytes size;
  };
  /// By port 0 of `card`, in trains of up to `max_train` TLPs. `align_writes`: as pcie::WriteCut::aligned.
  DmaEngine(net::Device& card, flow::PacketPool& pool, const EngineConfig& c, bool align_writes, int max_train);

  /// Waits until a worker is free and starts an operation of more than 0 bytes.
  comm::Request start(Fiber& f, const Transfer& t, EngineMethod by);
  /// A completion of one of its reads.
  void complete(net::Delivery d);
  /// Operations are under way.
  bool busy() const { return !workers_.all_free(); }

 private:
  struct Operation {
    Transfer what;
    EngineMethod by = EngineMethod::dma;
    comm::Request request;
    Time begin;
    Time ready;
    std::uint64_t number = 0;
  };
  /// An operation on its way over the bus to the PCIe block.
  struct Crossing {
    int worker = 0;
    Time until;
  };
  /// Writes on their way to the link.
  struct Leaving {
    std::size_t writes = 0;
    int worker = -1;  // whose last ones they are
  };
  /// Puts on the bus what has started long enough ago, a queue's in order, and begins what has crossed it.
  void issue();
  /// The queue whose first operation is ready first, of those that are ready together the one that was started first;
  /// null: all are empty.
  flow::Ring<int>* next_started();
  void cross(int worker);
  void begin(const Crossing& c);
  void write(int worker, const net::Wait& why);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }
  net::Port& port() { return card_.ports().front(); }
  /// `n` of the operation's bytes are done, the last of them with `by`.
  void done(int worker, Bytes n, net::Cause by);

  net::Device& card_;
  flow::PacketPool& pool_;
  const EngineConfig& config_;
  Clock clock_;
  bool align_writes_;
  int max_train_;
  flow::Tags<Operation> workers_;
  CardBus bus_;
  Event worker_free_;
  comm::RequestPool requests_;
  pcie::ReadRequester reads_;
  flow::Ring<Leaving> leaving_;                         // in the order in which they were posted
  flow::Ring<int> started_[2][2];                       // of each method and direction, by worker, in order
  std::optional<Time> last_[2];                         // start of the last operation by descriptor of each direction
  std::uint64_t numbers_ = 0;                           // of operations so far
  flow::Ring<Crossing> crossing_;                       // started, on the bus, in order
  sim::Timer<&DmaEngine::issue> started_alarm_{*this};  // when the start cycles of an operation have passed
};

}  // namespace tsunagi::bench
