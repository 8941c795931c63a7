// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/participant.hpp"

#include <algorithm>
#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::comm {

Participant::Participant(World& w, Fiber& f, const Members& m, int rank, std::uint64_t call)
    : world_(w), fiber_(f), members_(m), rank_(rank), call_(call), tag_(static_cast<int>(call % (largest_tag + 1))) {}

Request Participant::post(int to, const Buffer& b) {
  const int peer = members_.ranks[static_cast<std::size_t>(to)];
  return world_.messages().isend(fiber_, world_rank(), peer, members_.context + 1, tag_, b);
}

Request Participant::expect(int from, const Buffer& b) {
  const int peer = members_.ranks[static_cast<std::size_t>(from)];
  Request r = world_.messages().irecv(fiber_, world_rank(), {peer, tag_, members_.context + 1}, b);
  expected_.push_back({r, peer, b.size});
  return r;
}

Request Participant::isend(int to, const Buffer& b) { return b.size == Bytes::zero() ? Request() : post(to, b); }

Request Participant::irecv(int from, const Buffer& b) { return b.size == Bytes::zero() ? Request() : expect(from, b); }

void Participant::wait(const std::vector<Request>& all) {
  std::vector<Request> sent;
  for (const Request& r : all)
    if (r.valid()) sent.push_back(r);
  if (sent.empty()) return;
  world_.messages().wait_all(fiber_, world_rank(), sent);
  check_sizes();
}

void Participant::check_sizes() {
  const auto done = [&](const Expected& e) { return e.request.at(Milestone::completed) <= fiber_.now(); };
  for (const Expected& e : expected_)
    if (done(e) && e.request.status().size != e.size)
      throw std::runtime_error("rank " + std::to_string(world_rank()) + " expects " + to_string(e.size) + " of rank " +
                               std::to_string(e.from) + " in a collective, which sends " +
                               to_string(e.request.status().size));
  expected_.erase(std::remove_if(expected_.begin(), expected_.end(), done), expected_.end());
}

void Participant::copy(const Buffer& to, const Buffer& from) {
  if (from.size == Bytes::zero() || (to.offset == from.offset && same_place(to, from))) return;
  world_.copy(fiber_, world_rank(), to, from);
}

void Participant::combine(const Buffer& into, const Buffer& other, Operand o) {
  if (into.size == Bytes::zero()) return;
  world_.step(fiber_, world_rank(), "combine", [&] { world_.processor().combine(fiber_, world_rank(), into.size); });
  Ledger* l = world_.ledger();
  if (l == nullptr) return;
  const Ledger::Pieces mine = l->read(world_rank(), into);
  const Ledger::Pieces others = l->read(world_rank(), other);
  if (o == Operand::left)
    l->combine(world_rank(), into, others, mine);
  else
    l->combine(world_rank(), into, mine, others);
}

Buffer Participant::scratch(Bytes offset, Bytes n) const {
  const Bytes end = reserved_ + offset + n;
  if (end > world_.scratch().size)
    throw std::runtime_error("rank " + std::to_string(world_rank()) + ": a collective needs " + to_string(end) +
                             " of memory beside its buffers, but there are " + to_string(world_.scratch().size));
  world_.use_scratch(end);
  return {world_.scratch().begin + reserved_ + offset, n, {}, {}};
}

Buffer Participant::reserve(Bytes n) {
  const Buffer out = scratch(Bytes::zero(), n);
  reserved_ += n;
  return out;
}

void Participant::by_hardware(const CollectiveCall& c) {
  by_library(world_.library().required<HardwareCollectives>(), "hardware", c);
}

void Participant::by_software(const CollectiveCall& c) {
  by_library(world_.library().required<SoftwareCollectives>(), "software", c);
}

void Participant::by_library(LibraryCollectives& own, const char* how, const CollectiveCall& c) {
  Ledger* l = world_.ledger();
  if (l != nullptr) world_.brought().leave(members_.context, call_, size(), rank_, l->read(world_rank(), c.in));
  own.run(fiber_, members_.ranks, rank_, c);
  if (l == nullptr) return;
  const std::vector<std::optional<Ledger::Pieces>> brought = world_.brought().look(members_.context, call_);
  const auto of = [&](int rank) -> const Ledger::Pieces& {
    const std::optional<Ledger::Pieces>& p = brought[static_cast<std::size_t>(rank)];
    if (p) return *p;
    throw std::runtime_error("rank " + std::to_string(world_rank()) + " leaves a " + name_of(c.kind) + " by " + how +
                             " before rank " + std::to_string(members_.ranks[static_cast<std::size_t>(rank)]) +
                             " has come to it");
  };
  if (c.kind == Collective::broadcast) l->write(world_rank(), c.out, of(c.root));
  const bool combines = c.kind == Collective::allreduce || (c.kind == Collective::reduce && rank_ == c.root);
  for (int i = 0; combines && i < size(); ++i) {
    if (i == 0)
      l->write(world_rank(), c.out, of(i));
    else
      l->combine(world_rank(), c.out, l->read(world_rank(), c.out), of(i));
  }
  for (int i = 0; c.kind == Collective::barrier && i < size(); ++i) of(i);
}

}  // namespace tsunagi::comm
