// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "flow/ring.hpp"
#include "flow/timed_space.hpp"
#include "models/fpga/data_mover.hpp"
#include "models/fpga/dma_config.hpp"
#include "net/slot.hpp"
#include "sim/timer.hpp"

namespace tsunagi::fpga {

/// What the write mover needs of the card's memory.
struct ReadableMemory {
  /// From a burst's request to its first word.
  Time read_latency;
  /// What `n` bytes (at most 4 KiB) from `at` on say at `read`, and whether they say anything at all.
  std::function<flow::Contents(std::uint64_t at, Bytes n, Time read)> load;
  std::function<bool(std::uint64_t at, Bytes n)> says;
};

/// The card's memory to PCIe: reads bursts, a word of the data path a cycle, into a buffer, and makes writes of max
/// payload from what is there, header and data in whole words: 256 B with a header of 16 B take nine cycles of 32 B
/// (Intel's Avalon-MM DMA, altpcieav_dma_wr_readmem and _tlpgen; bursts: its user guide). A descriptor has been done
/// when its last write has been handed to the hard IP; posted writes are not answered (Base Specification 2.2.5).
class WriteMover final : public DataMover, private net::SlotOwner {
 public:
  WriteMover(net::Device& card, flow::PacketPool& pool, const WriteMoverConfig& c, net::Datapath path, MoverPorts ports,
             ReadableMemory memory, int max_train);
  void take(const Descriptor& d, Cause by) override;

 private:
  struct Job {
    Descriptor what;
    Wait ready;  // first word of the first burst
    Bytes sent;  // given to the port
    Bytes left;  // of these: handed to the hard IP
  };
  void send_more();
  /// False: there is no room in the buffer.
  bool send_train(Job& job);
  void tell_free();
  /// Reads `n` bytes from `at` on. Returns when the last of them is there.
  Wait read(std::uint64_t at, Bytes n);
  /// Makes a write of the next `n` bytes, which lie at `at`: when its first and last word are handed on.
  net::Span make(const flow::Packet& p, std::uint64_t at, Bytes n);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  const WriteMoverConfig& config_;
  net::Datapath path_;
  MoverPorts ports_;
  ReadableMemory memory_;
  int max_train_;
  flow::Ring<Job> jobs_;
  std::size_t sending_ = 0;  // index of the first that has not been sent whole
  Wait next_word_;           // of the memory
  Wait next_write_;          // can be begun
  Time loaded_;              // the last descriptor
  Time before_;              // last access of the one before it
  bool told_free_ = true;
  flow::TimedSpace buffer_;
  sim::Timer<&WriteMover::send_more> space_alarm_{*this};
};

}  // namespace tsunagi::fpga
