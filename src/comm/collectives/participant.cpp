// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/participant.hpp"

#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::comm {

Participant::Participant(World& w, Fiber& f, const Members& m, int rank, std::uint64_t call)
    : world_(w), fiber_(f), members_(m), rank_(rank), tag_(static_cast<int>(call % (largest_tag + 1))) {}

Request Participant::isend(int to, const Buffer& b) {
  const int peer = members_.ranks[static_cast<std::size_t>(to)];
  return world_.messages().isend(fiber_, world_rank(), peer, members_.context + 1, tag_, b);
}

Request Participant::irecv(int from, const Buffer& b) {
  const int peer = members_.ranks[static_cast<std::size_t>(from)];
  return world_.messages().irecv(fiber_, world_rank(), {peer, tag_, members_.context + 1}, b);
}

void Participant::wait(const std::vector<Request>& all) { world_.messages().wait_all(fiber_, world_rank(), all); }

void Participant::copy(const Buffer& to, const Buffer& from) {
  if (from.size == Bytes::zero() || (to.offset == from.offset && to.place == from.place)) return;
  world_.processor().copy(fiber_, world_rank(), to, from);
  if (Ledger* l = world_.ledger()) l->write(world_rank(), to, l->read(world_rank(), from));
}

void Participant::combine(const Buffer& into, const Buffer& other, Operand o) {
  if (into.size == Bytes::zero()) return;
  world_.processor().combine(fiber_, world_rank(), into.size);
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
  if (offset + n > world_.scratch_size())
    throw std::runtime_error("rank " + std::to_string(world_rank()) + ": a collective needs " + to_string(offset + n) +
                             " of memory beside its buffers, but there are " + to_string(world_.scratch_size()));
  return {world_.scratch_begin() + offset, n, {}, {}};
}

}  // namespace tsunagi::comm
