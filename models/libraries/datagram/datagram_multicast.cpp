// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/datagram/datagram_multicast.hpp"

#include <algorithm>

#include "models/router/header.hpp"

namespace tsunagi::libraries {

/// One multicast under way.
class DatagramMulticast::Transfer final : public Leaving {
 public:
  using Leaving::Leaving;
  int root = 0;
  /// Of a rank that does not have all yet: how much, and which of its root's broadcasts this is there.
  struct Missing {
    Bytes left;
    std::uint32_t number = 0;
  };
  std::map<int, Missing> missing;
};

DatagramMulticast::DatagramMulticast(const comm::ByRank<router::Terminal*>& terminals)
    : terminals_(terminals), inboxes_(terminals.size()), order_(terminals.size()) {}

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
    inboxes_[me].take(f, root, "a multicast");
}

/// Returns when the last packet of all is on the wire.
void DatagramMulticast::send(Fiber& f, const std::vector<int>& ranks, int root, Bytes n) {
  std::vector<comm::Request> all;
  for (const Row& row : rows_of(ranks, root)) {
    Transfer& t = transfers_.take(*terminals_[root], n, all.emplace_back(requests_.make(f.now())));
    t.request.reach(comm::Milestone::started, f.now());  // nobody asks
    t.root = root;
    for (int rank = row.first; rank < row.first + row.count; ++rank) t.missing[rank] = {n, order_[root].next(rank)};
    t.from->multicast(row.first, row.count, n, first_origin + t.number, t);
  }
  for (const comm::Request& r : all) {
    while (r.at(comm::Milestone::completed) == Time::max()) f.wait(r.told(), "a multicast to leave");
    f.wait_until(r.at(comm::Milestone::completed));
  }
}

void DatagramMulticast::arrived(const flow::Packet& p, Time tail) {
  Transfer& t = transfers_[p.origin - first_origin];
  const auto rank = static_cast<int>(p.header<router::Header>().destination);
  const auto missing = t.missing.find(rank);
  missing->second.left -= p.total_payload();
  if (missing->second.left > Bytes::zero()) return;
  Inbox& inbox = inboxes_[rank];
  order_[rank].arrived(t.root, missing->second.number, tail, [&](Time there) { inbox.waiting.emplace(t.root, there); });
  t.missing.erase(missing);
  inbox.changed.notify();
  if (t.missing.empty()) transfers_.give_back(t);
}

}  // namespace tsunagi::libraries
