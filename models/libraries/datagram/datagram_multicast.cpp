// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/datagram/datagram_multicast.hpp"

#include <algorithm>

#include "models/router/header.hpp"

namespace tsunagi::libraries {

/// One multicast under way; lends the space of its buffer to its packets.
class DatagramMulticast::Transfer final : public net::SlotOwner {
 public:
  explicit Transfer(std::uint32_t n) : number(n) {}
  void slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t) override {
    unsent -= static_cast<std::int64_t>(when.size());
    if (unsent > 0) return;
    left_at = when.back().tail;
    left.notify();
  }
  Time slot_now() const override { return from->simulation().now(); }

  const std::uint32_t number;
  router::Terminal* from = nullptr;
  int root = 0;
  std::int64_t unsent = 0;  // packets, before they are copied
  Time left_at;             // when the last of them was on the wire
  Event left;
  /// Of a rank that does not have all yet: how much, and which of its root's broadcasts this is there.
  struct Missing {
    Bytes left;
    std::uint64_t number = 0;
  };
  std::map<int, Missing> missing;
};

DatagramMulticast::DatagramMulticast(const comm::ByRank<router::Terminal*>& terminals)
    : terminals_(terminals), inboxes_(terminals.size()) {}

DatagramMulticast::~DatagramMulticast() = default;

std::string DatagramMulticast::refusal(const std::vector<int>&, const comm::CollectiveCall& c) {
  if (c.kind != comm::Collective::broadcast) return "routers copy packets, and do nothing else";
  return {};
}

std::vector<DatagramMulticast::Row> DatagramMulticast::rows_of(std::vector<int> ranks, int root) const {
  std::sort(ranks.begin(), ranks.end());
  const topo::Network& network = terminals_.front()->network();
  std::vector<Row> out;
  for (const int rank : ranks) {
    if (rank == root) continue;
    const bool next = !out.empty() && rank == out.back().first + out.back().count &&
                      network.router_of(rank) == network.router_of(out.back().first);
    if (next)
      ++out.back().count;
    else
      out.push_back({rank, 1});
  }
  return out;
}

void DatagramMulticast::run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  const int me = ranks[static_cast<std::size_t>(rank)], root = ranks[static_cast<std::size_t>(c.root)];
  if (me == root)
    send(f, ranks, root, std::max(c.out.size, Bytes(1)));
  else
    take(f, me, root);
}

DatagramMulticast::Transfer& DatagramMulticast::take_transfer() {
  if (free_.empty()) {
    transfers_.push_back(std::make_unique<Transfer>(static_cast<std::uint32_t>(transfers_.size())));
    return *transfers_.back();
  }
  Transfer& t = *transfers_[free_.back()];
  free_.pop_back();
  return t;
}

/// Returns when the last packet of all is on the wire.
void DatagramMulticast::send(Fiber& f, const std::vector<int>& ranks, int root, Bytes n) {
  std::vector<Transfer*> all;
  for (const Row& row : rows_of(ranks, root)) {
    Transfer& t = take_transfer();
    t.from = terminals_[root];
    t.root = root;
    t.unsent = t.from->packets_of(n);
    for (int rank = row.first; rank < row.first + row.count; ++rank)
      t.missing[rank] = {n, inboxes_[rank].of_root[root].sent++};
    t.from->multicast(row.first, row.count, n, first_origin + t.number, t);
    all.push_back(&t);
  }
  for (Transfer* t : all)
    while (t->unsent > 0 || t->left_at > f.now())
      f.wait_any({&t->left}, t->unsent > 0 ? Time::max() : t->left_at, "a multicast to leave");
}

void DatagramMulticast::take(Fiber& f, int rank, int root) {
  Inbox& inbox = inboxes_[rank];
  Order& order = inbox.of_root[root];
  for (;;) {
    const auto next = order.here.find(order.taken);
    const bool told = next != order.here.end();
    if (told && next->second <= f.now()) break;
    // Of a packet the head is there before the tail, of a train long before.
    f.wait_any({&inbox.changed}, told ? next->second : Time::max(), "a multicast of rank " + std::to_string(root));
  }
  order.here.erase(order.taken++);
}

void DatagramMulticast::arrived(const flow::Packet& p, Time tail) {
  Transfer& t = *transfers_[p.origin - first_origin];
  const auto rank = static_cast<int>(p.header<router::Header>().destination);
  const auto missing = t.missing.find(rank);
  missing->second.left -= p.total_payload();
  if (missing->second.left > Bytes::zero()) return;
  inboxes_[rank].of_root[t.root].here.emplace(missing->second.number, tail);
  t.missing.erase(missing);
  inboxes_[rank].changed.notify();
  if (t.missing.empty()) free_.push_back(t.number);
}

}  // namespace tsunagi::libraries
