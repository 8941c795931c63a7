// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/library_collectives.hpp"
#include "comm/messages/message_order.hpp"
#include "models/libraries/datagram/under_way.hpp"

namespace tsunagi::libraries {

/// Broadcasts by the routers (facet HardwareCollectives): the root sends each packet once for all members whose
/// terminals follow each other at one router, which makes the copies (router::Terminal::multicast). Software costs
/// nothing, as in all of library datagram.
class DatagramMulticast final : public comm::HardwareCollectives {
 public:
  /// Packets of such transfers have an origin from here on.
  static constexpr std::uint32_t first_origin = std::uint32_t{1} << 31;

  /// The terminals by rank, which outlive this.
  explicit DatagramMulticast(const comm::ByRank<router::Terminal*>& terminals);
  ~DatagramMulticast() override;
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) override;
  void run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;
  /// Such a packet has come, its last byte at `tail`.
  void arrived(const flow::Packet& p, Time tail);

 private:
  class Transfer;
  /// Terminals that one multicast reaches.
  struct Row {
    int first = 0;
    int count = 0;
  };
  std::vector<Row> rows_of(std::vector<int> ranks, int root) const;
  void send(Fiber& f, const std::vector<int>& ranks, int root, Bytes n);

  const comm::ByRank<router::Terminal*>& terminals_;
  comm::ByRank<Inbox> inboxes_;
  comm::ByRank<comm::MessageOrder<Time>> order_;  // by rank: they overtake each other, by other rows on other routes
  comm::RequestPool requests_;
  UnderWay<Transfer> transfers_;
};

}  // namespace tsunagi::libraries
