// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "models/peach2/dma_config.hpp"
#include "models/peach2/dma_jobs.hpp"
#include "models/peach2/dma_ports.hpp"
#include "models/peach2/dma_reads.hpp"
#include "models/peach2/dma_registers.hpp"
#include "models/peach2/dma_request.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::peach2 {

/// The write side of a DMA channel: holds the data of completions until it has their descriptor, turns them into
/// writes, and the last write of a doorbell is followed by the status.
class DmaWrites {
 public:
  /// Whom its writes need: `owner` has the space that they leave, `alarm` rings when it is to `write_more`.
  struct Calls {
    net::SlotOwner& owner;
    sim::Alarm& alarm;
  };

  /// All that it is given outlives it.
  DmaWrites(net::Device& chip, flow::PacketPool& pool, const DmaConfig& c, const DmaClock& clock, const DmaPorts& ports,
            const DmaRegisters& registers, DmaJobs& jobs, Calls calls)
      : chip_(chip),
        pool_(pool),
        config_(c),
        clock_(clock),
        ports_(ports),
        registers_(registers),
        jobs_(jobs),
        calls_(calls) {}
  /// A doorbell comes by `by`.
  void start(Cause by) { last_write_ = by; }
  /// Takes the data of a completion for `read`.
  void hold(net::Delivery d, const DmaReads::Read& read);
  /// Writes what it may, in order of descriptors, and takes the next one when it can.
  void write_more();
  /// It does so now.
  bool writing() const { return writing_out_; }
  /// `n` bytes of its writes have left the buffer, the last ones by `by`.
  void gone(Bytes n, Cause by) {
    leaving_ -= n;
    if (by.when >= left_.when) left_ = by;
  }

 private:
  /// Data that wait for the write side to take their descriptor.
  struct Held {
    flow::PacketPtr completion;
    std::uint64_t job = 0;
    Bytes offset;        // in the descriptor's transfer
    net::Schedule when;  // when a write of them can be built
    net::Schedule arrived;
    std::size_t next = 0;         // packets before this one have been written,
    Bytes taken = Bytes::zero();  // and so much of it
  };
  /// What one write can carry.
  struct Gathered {
    Bytes bytes;
    Cause last;    // of the data the one that was ready last
    Time arrived;  // when that came
  };
  /// The first completions of a train that each fill a write of the largest payload, one behind the other: there is
  /// nothing to wait for.
  std::int32_t full_writes(const Held& data) const;
  /// Writes the first `n` completions of what is held as they are.
  void write_train(std::int32_t n);
  /// Builds one write of all that is ready and lies together, up to the largest payload, once the write before has
  /// left; false: not yet.
  bool gather();
  Gathered ready_bytes(Time now) const;
  /// Takes the first bytes from what is held for a write, with what they say.
  void take(Bytes n, flow::Packet& to);
  void write(flow::PacketPtr p, net::Schedule when, Time arrived);
  void finish();
  void write_status();

  net::Device& chip_;
  flow::PacketPool& pool_;
  const DmaConfig& config_;
  const DmaClock& clock_;
  const DmaPorts& ports_;
  const DmaRegisters& registers_;
  DmaJobs& jobs_;
  Calls calls_;

  flow::Ring<Held> held_;      // by arrival
  std::uint64_t writing_ = 0;  // number of the descriptor that it has
  Bytes leaving_;              // of its writes, not yet out of the buffer
  Cause left_;                 // the last of them that is
  Wait taken_;                 // until it has loaded its descriptor
  Cause last_write_;
  std::uint64_t status_value_ = 0;
  bool writing_out_ = false;
};

}  // namespace tsunagi::peach2
