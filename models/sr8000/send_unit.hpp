// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "models/sr8000/tcw.hpp"
#include "net/device.hpp"
#include "net/wait.hpp"
#include "sim/timer.hpp"
#include "units/clock.hpp"

namespace tsunagi::sr8000 {

/// The sending side of a network interface adapter: does one transfer control word after the other, in the order of the
/// kicks. Fetches the word, reads the data a packet's payload at a time, at most `read_ahead` packets before those that
/// are on the network, and writes the transfer's number to memory when the last has left.
class SendUnit final : private net::SlotOwner {
 public:
  struct Config {
    Clock clock;
    int fetch_cycles = 0;   // from a kick to the read of its TCW
    int decode_cycles = 0;  // from there to the first read of data
    int build_cycles = 0;   // from data to their packet
    int status_cycles = 0;  // from the last packet to the write of the number, and to the next TCW
    int read_ahead = 1;
  };
  /// Ports of `adapter`.
  enum Port : int { bus, net };
  SendUnit(net::Device& adapter, flow::PacketPool& pool, std::uint32_t node, const Config& c);

  /// Where the number of the last transfer that has left is written to. Before the run.
  void set_status_word(std::uint64_t address) { status_ = address; }
  void kick(std::uint64_t tcw, const net::Cause& by);
  /// What a read of memory brought.
  void answered(net::Delivery d);
  bool busy() const { return sending_ || !kicks_.empty(); }

 private:
  struct Kick {
    std::uint64_t tcw;
    net::Cause by;
  };
  void begin_next();
  void read(std::uint64_t address, Bytes n, const net::Wait& why);
  void read_data();
  void send(flow::PacketPtr p, const net::Cause& by, std::uint16_t field, std::uint64_t offset);
  void packets_left();
  void finish(const net::Cause& last);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return adapter_.simulation().now(); }
  net::Port& port(Port p) { return adapter_.ports()[static_cast<std::size_t>(p)]; }

  net::Device& adapter_;
  flow::PacketPool& pool_;
  std::uint32_t node_;
  Config config_;
  std::uint64_t status_ = 0;
  flow::Ring<Kick> kicks_;
  // Of the transfer under way:
  bool sending_ = false;
  bool fetched_ = false;
  std::uint64_t number_ = 0;
  Tcw tcw_;
  net::Wait ready_;  // to read data
  Bytes asked_;
  Bytes came_;
  int packets_ = 0;              // read or on their way to the network
  flow::Ring<net::Cause> left_;  // when packets leave
  sim::Timer<&SendUnit::packets_left> left_alarm_{*this};
};

}  // namespace tsunagi::sr8000
