// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "config/describe.hpp"
#include "flow/ring.hpp"
#include "flow/tags.hpp"
#include "models/host/transaction.hpp"
#include "net/device.hpp"
#include "sim/timer.hpp"

namespace tsunagi::host {

/// What happens to accesses of a card to a card on another socket.
enum class AcrossQpi : std::uint8_t { refused, forwarded };

/// How a root complex handles what one card asks of another (peer to peer).
struct PeerConfig {
  Bytes read_size = 64_B;
  int reads = 8;
  Time read_recovery = 200_ns;
  Time latency = 150_ns;
  AcrossQpi across_qpi = AcrossQpi::refused;
  Time qpi_latency = 100_ns;
  int qpi_reads = 2;
  Time qpi_write_time = 50_ns;
};
/// The fields stand in the root complex's own object: "peer_reads", "peer_latency", ...
void describe(PeerConfig& c, config::Describer& d);

/// Reads of a card by a card, as a root complex passes them on: in pieces of one cache line, so many at a time, first
/// come first served over all slots. What the paper calls the CPU's switch runs out of here (paper 000, 4.1.2).
class PeerReads {
 public:
  /// Sends by port `out`, from input `in`.
  using Send = std::function<void(int in, int out, net::Delivery)>;

  /// `number`: the port number, among `ports`, that stands for this unit in requests' ways back.
  PeerReads(net::Device& owner, flow::PacketPool& pool, const PeerConfig& c, int number, Send send);

  /// A read that came in by port `in` for port `out`; `across`: that one leads to another socket. No piece is ready
  /// before `behind`. Keeps its buffer space until the last piece has been issued.
  void request(int in, int out, bool across, net::Delivery d, Time behind);
  /// Where an answer to one of the pieces goes: to the port that the request came from.
  int asked_by(const flow::Packet& answer) const { return read(answer.header<Transaction>().requester.tag).asked_by; }
  /// That answer, which is not ready before `behind`.
  void complete(int in, net::Delivery d, Time behind);
  bool busy() const { return !waiting_.empty() || !near_.all_free() || !far_.all_free(); }

 private:
  /// A read on its way.
  struct Read {
    int asked_by = 0;  // port
    Requester requester;
  };
  /// A place a read. Those for reads within the socket have the lower tags, those for reads of another one the others.
  using Places = flow::Tags<Read>;
  struct Request {
    net::Delivery delivery;
    int in = 0;
    int out = 0;
    bool across = false;
    Bytes issued;
    Time arrived;
    Time behind;  // posted writes that came before it
  };

  Time latency(bool across) const { return config_.latency + (across ? config_.qpi_latency : Time::zero()); }
  /// Tells observers what time passes here, which begins at `begin`, and returns its end.
  Time pass(const flow::Packet& p, std::uint64_t parent, const char* what, Time begin, bool across, Time behind) const;
  bool is_across(int tag) const { return tag >= near_.count(); }
  const Read& read(int tag) const { return is_across(tag) ? far_[tag - near_.count()] : near_[tag]; }
  /// When a place can be used that was left so, if it ever was used.
  Time free_from(flow::Cause left) const { return left.packet == 0 ? Time::zero() : left.when + config_.read_recovery; }
  void issue();
  void issue_piece(Request& r);

  net::Device& owner_;
  flow::PacketPool& pool_;
  const PeerConfig& config_;
  int number_;
  Send send_;
  Places near_;
  Places far_;
  flow::Ring<Request> waiting_;
  std::uint64_t last_piece_ = 0;
  sim::Timer<&PeerReads::issue> alarm_{*this, sim::Phase::grant};
};

}  // namespace tsunagi::host
