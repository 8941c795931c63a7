// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "flow/ring.hpp"
#include "models/fpga/data_mover.hpp"
#include "models/fpga/dma_config.hpp"
#include "models/pcie/read_requester.hpp"
#include "net/specs.hpp"

namespace tsunagi::fpga {

/// PCIe to the card's memory: as many reads at a time as there are tags. Completions are taken in one after the other,
/// header and data in whole words of the data path, and written to the memory as they are (Intel's Avalon-MM DMA,
/// altpcieav_dma_rd: requests end at multiples of their largest size, a burst to the memory a completion).
class ReadMover final : public DataMover {
 public:
  /// Packet `i` of a train of completions belongs at `address` and has been taken in at `when`; returns when it is
  /// there.
  using Store = std::function<Time(const flow::Packet&, std::int32_t i, std::uint64_t address, Time when)>;

  ReadMover(net::Device& card, flow::PacketPool& pool, const ReadMoverConfig& c, net::Datapath path, MoverPorts ports,
            Store store);
  void take(const Descriptor& d, Cause by) override;
  /// A completion for one of its tags.
  void complete(net::Delivery d);

 private:
  struct Job {
    Descriptor what;
    Bytes moved;
    Cause last;  // byte in the memory
  };
  void tell_free();
  void tell_done();

  net::Device& card_;
  const ReadMoverConfig& config_;
  net::Datapath path_;
  MoverPorts ports_;
  Store store_;
  pcie::ReadRequester reads_;
  flow::Ring<Job> jobs_;
  std::uint64_t first_job_ = 0;  // number of the first of them
  Cause taken_in_;               // the last completion
  Time loaded_;                  // the last descriptor
  bool told_free_ = true;
};

}  // namespace tsunagi::fpga
