// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flow/contents.hpp"
#include "flow/ring.hpp"
#include "models/pcie/read_requester.hpp"
#include "net/device.hpp"
#include "net/wait.hpp"
#include "sim/timer.hpp"

namespace tsunagi::infiniband {

/// How a host channel adapter reads and writes host memory: the DMA side of its PCIe port.
class HostAccess final : private net::SlotOwner {
 public:
  /// Who asks for data.
  class Reader {
   public:
    virtual ~Reader() = default;
    /// What was asked for as `token` is here; `last`: since when, by which completion.
    virtual void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) = 0;
  };

  static constexpr std::size_t most_writers = 2;

  /// Queues at port 0: requests of reads, then writes of each of `writers`, at most `most_writers`; those of one do not
  /// pass each other.
  HostAccess(net::Device& card, flow::PacketPool& pool, const pcie::RequesterSpec& spec, int writers, int max_train);

  /// Asks for `n` bytes (> 0) from `address` on. Reads are requested one behind the other; what comes may be for a
  /// later one.
  void read(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n, const net::Wait& ready);
  /// The same behind what has been posted by any writer: when that has left, so that the read finds it.
  void read_behind(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n, const net::Wait& ready);
  /// Completions for reads.
  void complete(net::Delivery d);

  /// Data that go to host memory.
  struct Write {
    std::uint64_t address = 0;
    Bytes size;
    flow::Contents contents = {};
    std::uint32_t origin = 0;
    std::uint64_t origin_offset = 0;
    net::Slot held = {};  // given back when the last byte has left
  };
  /// Posts it as soon as `why` is over, behind what that writer has posted before.
  void write(int writer, Write w, const net::Wait& why);
  /// Transfers are under way.
  bool busy() const { return !transfers_.empty() || !behind_.empty(); }

 private:
  struct Transfer {
    Reader* reader = nullptr;
    std::uint64_t token = 0;
    Bytes left;
    flow::Contents contents;
    net::Cause last;
  };
  /// Writes of one call on their way to the link.
  struct Leaving {
    std::int64_t packets = 0;
    net::Slot held;
  };
  struct Writer {
    flow::Ring<Leaving> leaving;  // in the order of their calls
    std::uint64_t posted = 0;     // calls
    net::Cause last;              // when the last of them that has left did
  };
  /// A read behind writes.
  struct Behind {
    Reader* reader = nullptr;
    std::uint64_t token = 0;
    std::uint64_t address = 0;
    Bytes size;
    net::Wait ready;
    std::array<std::uint64_t, most_writers> posted{};  // calls of each writer that come first
    int open = 0;                                      // writers of which some of those have not left
    net::Cause left;                                   // when the last of them did
  };
  void read_freed();
  void slot_released(flow::FlowClass writer, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }
  net::Port& port() { return card_.ports().front(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  int max_train_;
  pcie::ReadRequester reads_;
  std::uint64_t first_transfer_ = 1;
  flow::Ring<Transfer> transfers_;  // from that number on; those that are done go from the front
  std::vector<Writer> writers_;
  flow::Ring<Behind> behind_;
  sim::Timer<&HostAccess::read_freed> freed_{*this};
};

}  // namespace tsunagi::infiniband
