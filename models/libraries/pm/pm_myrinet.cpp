// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_myrinet.hpp"

#include <fmt/format.h>

#include "models/libraries/myrinet/lanai_node.hpp"
#include "models/myrinet/link.hpp"

namespace tsunagi::libraries {

using myrinet::Request;
using myrinet::Told;

PmMyrinet::PmMyrinet(const PmMyrinetConfig& c, Machine& m) : config_(c), processor_(nodes_) {
  for (const std::string& prefix : lanai_prefixes(c.card, m, "pm_myrinet")) nodes_.emplace_back(c, m, prefix);
  ends_.resize(nodes_.size());
  for (int rank = 0; rank < ranks(); ++rank) {
    ranks_.resize(static_cast<std::size_t>(nodes_[rank].card().place()) + 1, -1);
    ranks_.back() = rank;
    nodes_[rank].close();
  }
}

void PmMyrinet::send(Fiber& f, int rank, int peer, std::uint64_t address, Bytes n, int buffer) {
  if (ends_[rank].sent.empty()) ends_[rank].sent.resize(nodes_.size());
  ends_[rank].sent[peer].push_back({Done::What::message, buffer});
  nodes_[rank].post(f, nodes_[peer].card().place(), Request::message, address, 0, n);
}

void PmMyrinet::transfer(Fiber& f, int rank, int peer, Transfer t, std::uint64_t local, std::uint64_t remote, Bytes n,
                         int number) {
  if (ends_[rank].sent.empty()) ends_[rank].sent.resize(nodes_.size());
  if (t == Transfer::write) ends_[rank].sent[peer].push_back({Done::What::write, number});
  nodes_[rank].post(f, nodes_[peer].card().place(), t == Transfer::write ? Request::write : Request::read, local,
                    remote, n);
}

bool PmMyrinet::take_event(Fiber& f, int rank) {
  PmLanaiNode& me = nodes_[rank];
  if (!me.any()) return false;
  const myrinet::ReceiveEvent e = me.next(f);
  const Told told = Told::decode(e.type);
  const int peer = rank_at(told.peer);
  Ends& ends = ends_[rank];
  if (told.what == Told::What::message) {
    const auto buffer = static_cast<int>(e.handle);
    ends.received.push_back({peer, Bytes(e.length), me.receive_buffer(buffer), buffer});
    return true;
  }
  for (std::uint32_t i = 0; i < e.handle; ++i) {
    ends.done.push_back(told.what == Told::What::read ? Done{Done::What::read} : ends.sent[peer].take_front());
    me.done();
  }
  return true;
}

std::optional<PmNetwork::Done> PmMyrinet::take_done(Fiber& f, int rank) {
  flow::Ring<Done>& done = ends_[rank].done;
  while (done.empty())
    if (!take_event(f, rank)) return std::nullopt;
  return done.take_front();
}

std::optional<PmNetwork::Received> PmMyrinet::take_received(Fiber& f, int rank) {
  flow::Ring<Received>& received = ends_[rank].received;
  while (received.empty())
    if (!take_event(f, rank)) return std::nullopt;
  return received.take_front();
}

void PmMyrinet::wait(Fiber& f, int rank, Time deadline) {
  if (ends_[rank].done.empty() && ends_[rank].received.empty()) nodes_[rank].wait(f, deadline);
}

std::vector<comm::Ceiling> PmMyrinet::ceilings(int from, int to) const {
  const myrinet::LanaiCard& card = nodes_[from].card();
  const Bytes packet =
      myrinet::packet_size(card.route_size(nodes_[to].card().place()), config_.longest + myrinet::Lead::size);
  const Rate rate = card.network_port().channel().wire().rate;
  return {{"link payload, " + card.name(), rate.scaled(config_.longest.count(), packet.count())}};
}

std::int64_t PmMyrinet::failed_checks() const {
  std::int64_t out = 0;
  for (const PmLanaiNode& n : nodes_) out += n.card().failed_checks();
  return out;
}

std::int64_t PmMyrinet::without_buffer() const {
  std::int64_t out = 0;
  for (const PmLanaiNode& n : nodes_) out += n.card().reliable()->without_buffer();
  return out;
}

std::string PmMyrinet::advice() const {
  if (lost() == 0) return {};
  return fmt::format("{} packets failed their check, and {} messages found no receive buffer (\"receive_memory\")",
                     failed_checks(), without_buffer());
}

}  // namespace tsunagi::libraries
