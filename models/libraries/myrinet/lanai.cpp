// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "config/error_at.hpp"
#include "flow/ring.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/myrinet/lanai_node.hpp"
#include "models/myrinet/link.hpp"
#include "models/process/core_processor.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

/// What a packet's type says of its sender: its rank, behind a number of this protocol's.
constexpr std::uint32_t protocol = 0x544d0000;
constexpr std::uint32_t rank_mask = 0xffff;

/// Messages as packets over LANai cards, straight out of the sender's memory and by way of a receive buffer: in order,
/// because a pair has one route and nothing overtakes, and without any acknowledgement. Who sends looks for packets
/// meanwhile. A receiver that does not look for so long that its card has no buffers loses what comes, and so does one
/// whose host memory is full, or a card that fails a check.
class Lanai final : public comm::Library {
 public:
  Lanai(const LanaiNodeConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[rank].core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override;
  int unreceived() const override { return config_.buffers; }
  void check(int from, int to, const comm::Buffer& b) const override;
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;
  comm::Processor& processor() override { return processor_; }
  std::string advice() const override;

 private:
  using Kept = comm::ByRank<flow::Ring<LanaiNode::Came>>;  // by sender
  std::uint64_t address(int rank, Bytes offset) const { return nodes_[rank].user_base() + unsigned_of(offset); }
  /// Takes the next packet, and keeps it for who receives it.
  void keep_next(Fiber& f, int rank);
  void await_sent(Fiber& f, int rank, std::uint32_t number);
  LanaiNode::Came next_from(Fiber& f, int rank, int peer);
  int rank_at(std::uint32_t place) const { return ranks_.at(place); }

  LanaiNodeConfig config_;
  comm::ByRank<LanaiNode> nodes_;
  std::vector<int> ranks_;  // by place
  comm::ByRank<Kept> kept_;
  process::CoreProcessor processor_;
};

Lanai::Lanai(const LanaiNodeConfig& c, Machine& m)
    : config_(c), nodes_(lanai_nodes(c, m, "lanai")), kept_(nodes_.size()), processor_(nodes_) {
  for (int rank = 0; rank < ranks(); ++rank) {
    nodes_[rank].close();
    ranks_.resize(static_cast<std::size_t>(nodes_[rank].place()) + 1, -1);
    ranks_.back() = rank;
    kept_[rank].resize(nodes_.size());
  }
}

std::vector<comm::Ceiling> Lanai::ceilings(int from, int to, const comm::Buffer& /*b*/) const {
  const LanaiNode& n = nodes_[from];
  const Bytes most = n.largest_packet();
  const Bytes packet = myrinet::packet_size(n.card().route_size(nodes_[to].place()), most);
  const net::Port& port = n.card().network_port();
  // A packet more may have come when the receiver sees the first of several messages.
  return {{"link payload, " + n.card().name(), port.channel().wire().rate.scaled(most.count(), packet.count()), most}};
}

Bytes Lanai::largest_message() const {
  Bytes least = nodes_[0].user_memory();
  for (int rank = 1; rank < ranks(); ++rank) least = std::min(least, nodes_[rank].user_memory());
  return least;
}

void Lanai::check(int /*from*/, int /*to*/, const comm::Buffer& b) const {
  for (const std::string& place : {b.place, b.target})
    if (!place.empty() && place != "host")
      throw config::error_at("/scenario", "library lanai moves host memory, not \"" + place + "\"");
  if (b.offset + b.size > largest_message())
    throw config::error_at("/scenario", to_string(b.offset + b.size) + " of memory, of which programs have " +
                                            to_string(largest_message()));
}

void Lanai::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  LanaiNode& me = nodes_[from];
  const std::uint32_t type = protocol | static_cast<std::uint32_t>(me.place());
  step.sent(b.size);
  step.copied(comm::Copier::dma, b.size);
  std::uint32_t last = 0;
  Bytes done;
  do {
    const Bytes n = std::min(me.largest_packet(), b.size - done);
    const bool is_last = done + n == b.size;
    if (!me.room()) await_sent(f, from, me.oldest());
    step(f, from, "post the send",
         [&] { last = me.post(f, nodes_[to].place(), address(from, b.offset + done), n, type, is_last); });
    done += n;
  } while (done < b.size);
  await_sent(f, from, last);
}

void Lanai::keep_next(Fiber& f, int rank) {
  step(f, rank, "take a packet", [&] {
    const LanaiNode::Came came = nodes_[rank].next(f);
    kept_[rank][rank_at(came.type & rank_mask)].push_back(came);
  });
}

void Lanai::await_sent(Fiber& f, int rank, std::uint32_t number) {
  const LanaiNode& me = nodes_[rank];
  while (!me.sent(number)) {
    step(f, rank, "wait until it is sent", [&] { me.await_sent(f, number); });
    while (me.any()) keep_next(f, rank);
  }
}

LanaiNode::Came Lanai::next_from(Fiber& f, int rank, int peer) {
  flow::Ring<LanaiNode::Came>& kept = kept_[rank][peer];
  while (kept.empty()) keep_next(f, rank);
  return kept.take_front();
}

void Lanai::recv(Fiber& f, int to, int from, const comm::Buffer& b) {
  LanaiNode& me = nodes_[to];
  Bytes done;
  do {
    const LanaiNode::Came came = next_from(f, to, from);
    if (came.size > Bytes::zero())
      step(f, to, "copy the packet",
           [&] { me.core().copy(f, me.memory(), address(to, b.offset + done), came.address, came.size); });
    step.copied(comm::Copier::core, came.size, done == Bytes::zero() ? 1 : 0);
    step(f, to, "release the buffer", [&] { me.release(f, came.buffer); });
    done += came.size;
  } while (done < b.size);
}

std::string Lanai::advice() const {
  std::int64_t dropped = 0, failed = 0;
  for (const LanaiNode& n : nodes_) {
    dropped += n.card().dropped();
    failed += n.card().failed_checks();
  }
  if (dropped + failed == 0) return {};
  return "library lanai recovers nothing, and cards dropped " + std::to_string(dropped) +
         " packets for which there was no receive buffer (\"receive_buffers\") and " + std::to_string(failed) +
         " that failed their check";
}

}  // namespace

LibraryKind lanai_library() {
  return library<Lanai, LanaiNodeConfig>("lanai", "packets over LANai cards, in order and not acknowledged");
}

}  // namespace tsunagi::libraries
