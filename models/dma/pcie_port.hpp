// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flow/ring.hpp"
#include "models/dma/port.hpp"
#include "models/pcie/read_requester.hpp"
#include "sim/timer.hpp"

namespace tsunagi::dma {

/// A port on PCI Express, or on PCI-X, whose transactions those of PCI Express come from.
class PciePort final : public Port, private net::SlotOwner {
 public:
  /// Queues at port 0 of `card`: requests of reads, then writes of each of `writers`, at most `most_writers`; those of
  /// one do not pass each other, and have at most `max_write` and the wire's largest payload; those of messages' data
  /// the attribute of relaxed ordering, if so. `registers` outlives this.
  PciePort(net::Device& card, flow::PacketPool& pool, const pcie::RequesterSpec& spec, Registers& registers,
           int writers, int max_train, Bytes max_write = 4_KiB, bool relaxed_ordering = false);
  /// Who lent what writes under way hold may be gone: parts of the card that are made behind it.
  ~PciePort() override;

  void read(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n, const net::Wait& ready) override;
  void read_behind(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n,
                   const net::Wait& ready) override;
  void write(int writer, Write w, const net::Wait& why) override;
  void came(net::Delivery d) override;
  bool busy() const override { return !transfers_.empty() || !behind_.empty(); }

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
  void stored(net::Delivery d);
  void completed(net::Delivery d);
  void read_freed();
  void slot_released(flow::FlowClass writer, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }
  net::Port& port() { return card_.ports().front(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  Registers& registers_;
  int max_train_;
  Bytes max_write_;
  bool relaxed_ordering_;
  pcie::ReadRequester reads_;
  std::uint64_t first_transfer_ = 1;
  flow::Ring<Transfer> transfers_;  // from that number on; those that are done go from the front
  std::vector<Writer> writers_;
  flow::Ring<Behind> behind_;
  sim::Timer<&PciePort::read_freed> freed_{*this};
};

}  // namespace tsunagi::dma
