// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/peach2/dma_config.hpp"
#include "models/peach2/dma_fetch.hpp"
#include "models/peach2/dma_jobs.hpp"
#include "models/peach2/dma_ports.hpp"
#include "models/peach2/dma_reads.hpp"
#include "models/peach2/dma_registers.hpp"
#include "models/peach2/dma_request.hpp"
#include "models/peach2/dma_writes.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "sim/timer.hpp"

namespace tsunagi::peach2 {

/// One channel of the DMA controller (paper 000, 3.5.2): runs descriptors out of its registers, or a chain of them out
/// of host memory or the chip's descriptor memory. It reads the source by requests of MRRS, turns each completion into
/// a write as it comes (cut-through), and writes its completion status behind the last write of the last descriptor.
///
/// Steps of `step_cycles` each, pipelined; they delay, they do not limit the rate:
///  - a descriptor in the registers: doorbell decoded - request built - completion stored - write built - (after the
///    last) status built;
///  - one in host memory: fetch built - (PCIe and back) - descriptor loaded, in `descriptor_cycles` - request built and
///    so on. Its address is all that a doorbell or a descriptor says, so there is nothing to decode;
///  - one in the chip: a cycle - (descriptor memory) - descriptor loaded and so on.
/// A descriptor whose turn it is waits in no queue; of others `prefetch` may wait, and only then is another fetched.
/// Completions that fill a write go on one by one; of smaller ones a write takes all that has come while the write
/// before it waited, up to the link's largest payload, never across 4 KiB or a gap. One request leaves a cycle, a fetch
/// before a read of data, and both behind a write that is built at the same time. Both sides of the engine hold one
/// descriptor each and need `descriptor_cycles` to load the next: the request side when the last request of its own is
/// made, the write side when the last write has left. What comes for the next one until then waits in the buffer.
class DmaChannel final : private net::SlotOwner {
 public:
  /// `number` of the channel in the chip: it names it, and decides which tags are its own.
  DmaChannel(net::Device& chip, flow::PacketPool& pool, const DmaConfig& c, Clock clock, int number, DmaPorts ports);

  /// A register write that arrived as `by` says; `offset` within the channel's block.
  void write_register(std::uint64_t offset, std::uint64_t value, Cause by);
  std::uint64_t read_register(std::uint64_t offset) const;
  /// A completion for one of this channel's tags.
  void complete(net::Delivery d);
  /// Something is still under way.
  bool busy() const { return !jobs_.empty() || fetch_.busy(); }
  /// Whether that tag is the one that fetches descriptors.
  static bool fetches(const DmaConfig& c, int tag) { return tag % c.tag_numbers() == c.tags; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void no_register(std::uint64_t offset) const;
  void start(std::uint64_t count, Cause by);
  void start_chain(std::uint64_t first, Cause by);
  void begin(Cause by);
  void add_job(const Descriptor& d, const Wait& ready, bool last);
  /// The address of the next descriptor of the chain is known by `by`.
  void fetch_after(std::uint64_t address, Cause by);
  void fetched(const flow::Packet& p, Cause by);
  /// Makes all requests that can be made now, a fetch before a read of data.
  void request_more();
  void fetch(const DmaRequest& n);
  void read(const DmaRequest& n);
  net::Delivery make_request(const DmaRequest& n, int tag);
  /// Writes what it can, and asks for more if that has made room.
  void write_ready();
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return chip_.simulation().now(); }

  net::Device& chip_;
  flow::PacketPool& pool_;
  const DmaConfig& config_;
  DmaClock clock_;
  DmaPorts ports_;
  int number_;
  DmaRegisters registers_;
  std::uint64_t chain_address_ = 0;

  Wait issued_;                                                 // one request a cycle
  sim::Timer<&DmaChannel::request_more> request_alarm_{*this};  // when the next request can be made
  sim::Timer<&DmaChannel::write_ready> write_alarm_{*this};     // when the next write can be built
  bool released_space_ = false;                                 // while the write side wrote
  DmaJobs jobs_;
  DmaFetch fetch_;
  DmaReads reads_;
  DmaWrites writes_;
};

}  // namespace tsunagi::peach2
