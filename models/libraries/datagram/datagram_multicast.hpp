// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/library_collectives.hpp"
#include "models/router/terminal.hpp"

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
  /// Broadcasts of one root to one rank. They can overtake each other, by other rows on other routes.
  struct Order {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    std::map<std::uint64_t, Time> here;  // by number, of those that were not taken, when the last byte is there
  };
  struct Inbox {
    std::map<int, Order> of_root;
    Event changed;
  };
  /// Terminals that one multicast reaches.
  struct Row {
    int first = 0;
    int count = 0;
  };
  std::vector<Row> rows_of(std::vector<int> ranks, int root) const;
  void send(Fiber& f, const std::vector<int>& ranks, int root, Bytes n);
  void take(Fiber& f, int rank, int root);
  Transfer& take_transfer();

  const comm::ByRank<router::Terminal*>& terminals_;
  comm::ByRank<Inbox> inboxes_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // by the number that their packets carry
  std::vector<std::uint32_t> free_;
};

}  // namespace tsunagi::libraries
