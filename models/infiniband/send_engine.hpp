// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flow/timed_space.hpp"
#include "models/dma/port.hpp"
#include "models/firmware/processor.hpp"
#include "models/infiniband/header.hpp"
#include "net/device.hpp"
#include "net/wait.hpp"
#include "sim/timer.hpp"
#include "units/clock.hpp"

namespace tsunagi::infiniband {

/// A packet that a queue pair has to send.
struct Outgoing {
  Header header;
  std::uint32_t number = 0;   // by which its source is told that it has left
  std::uint64_t address = 0;  // what the header says beside (Header)
  Bytes asked;                // by a read request
  Bytes payload;
  std::uint64_t from = 0;  // host address of the data; none if `here`
  bool behind = false;     // what has been written to the host comes first (dma::Port)
  bool here = false;       // the data are in the card, as far as they say something:
  flow::Contents contents;
  std::uint32_t origin = 0;
  std::uint64_t origin_offset = 0;
  net::Wait why;
  int set_up_cycles = 0;  // of its turn, before its data are asked for
  bool last = false;      // there is none behind it now
};

/// A stream of packets that keep their order: requests of a queue pair, or its answers.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  /// The next packet, into `out`; false: there is none now. The source says so when there is one again, also behind
  /// one that it has called the last.
  virtual bool next(Outgoing& out) = 0;
  /// A packet that `next` gave leaves the card for the wire at `when`, which may lie ahead.
  virtual void left(std::uint32_t number, net::Cause when) = 0;
  /// All of it is in the card, since `by`.
  virtual void built(std::uint32_t /*number*/, const net::Cause& /*by*/) {}
};

/// Where the card's packets are made: one of its streams has a turn at a time, round robin, for one packet. Data are
/// read from host memory into a buffer; a packet leaves when all its data are there (the card does not cut packets
/// through), behind those of its stream.
class SendEngine final : private dma::Port::Reader, private net::SlotOwner {
 public:
  struct Config {
    Clock clock;
    int packet_cycles = 1;  // from a turn to the next
    int build_cycles = 1;   // from a packet's last data to its head at the port
    Bytes buffer;
    firmware::Processor* processor = nullptr;  // whose turns they are; null: an engine of its own
    int source = 0;                            // queue at the network ports
  };
  SendEngine(net::Device& card, flow::PacketPool& pool, dma::Port& host, const Config& c);

  /// Of a queue pair a stream of each kind.
  enum class Kind : std::uint8_t { requests, answers };
  /// The queue pair's stream of that kind, which leaves by port `port` of the card. Returns its number: streams have
  /// their turns in the order of the queue pairs, whichever is made first.
  int add(PacketSource& source, int port, int queue_pair, Kind kind);
  /// The stream may have a packet from now on.
  void wake(int stream);
  /// Packets of the stream that have not been handed to the port are not sent any more: all, or those from packet
  /// sequence number `from` on.
  void recall(int stream, std::optional<std::uint32_t> from = {});
  bool busy() const { return under_way_ > 0; }

 private:
  struct Waiting {
    Outgoing packet;
    net::Wait ready;
    bool there = false;
    bool recalled = false;
  };
  struct Stream {
    PacketSource* source = nullptr;
    int port = 0;
    bool active = false;
    std::uint64_t first = 0;         // number of the first of
    flow::Ring<Waiting> waiting;     // packets whose data are on their way, or wait behind such
    flow::Ring<std::uint32_t> sent;  // numbers of those at the port, which leaves them in order
  };
  /// A turn when the next stream may have one: behind the last turn, with space for the largest packet.
  void arm();
  void take_turn();
  void sleep(int stream);
  /// The next stream with something to send, behind the last one; -1: none.
  int pick() const;
  /// The largest packet that the stream may have.
  Bytes most_of(int stream) const;
  void start(int stream, Outgoing&& p, const net::Wait& turn);
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  void send_ready(int stream);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  dma::Port& host_;
  Config config_;
  flow::TimedSpace buffer_;
  std::vector<Stream> streams_;
  std::vector<std::uint64_t> active_;  // a bit a stream
  int last_ = -1;
  net::Wait next_turn_;
  std::int64_t under_way_ = 0;
  sim::Timer<&SendEngine::take_turn> turn_{*this, sim::Phase::grant};
};

}  // namespace tsunagi::infiniband
