// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/hitachi_mpi/hitachi_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "units/parse.hpp"

namespace tsunagi::libraries {

using comm::Milestone;

namespace {

std::unique_ptr<HitachiRendezvous> make_rendezvous(std::vector<ComBufNode>& nodes, const HitachiMpiConfig& c,
                                                   SendRights& rights, const comm::Steps& step) {
  if (c.rdma) return std::make_unique<HitachiZeroCopy>(nodes, c, rights, step);
  return std::make_unique<HitachiChunks>(nodes, c, rights, step);
}

}  // namespace

HitachiMessages::HitachiMessages(const HitachiMpiConfig& c, std::vector<ComBufNode>& nodes, const comm::Steps& step)
    : config_(c),
      nodes_(nodes),
      step_(step),
      rights_(nodes, c.sendright, step),
      eager_(nodes, c, "messages", c.slots, c.slots, c.eager_limit, rights_, step),
      long_(make_rendezvous(nodes, c, rights_, step)),
      states_(nodes.size()) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint64_t base = nodes[i].take("unexpected messages", c.eager_limit * c.unexpected).base;
    states_[i].unexpected.emplace(base, c.eager_limit, c.unexpected);
  }
}

comm::Protocol HitachiMessages::protocol(Bytes n) const {
  const std::string limit = "\"eager_limit\" is " + to_string(config_.eager_limit);
  if (n <= config_.eager_limit) return {"eager", 2, 0, {}, limit};
  const std::string longer = "longer than \"eager_limit\", and \"rdma\" is ";
  if (config_.rdma) return {"rendezvous put", 0, 1, {"ready to send", "clear to send"}, longer + "true"};
  return {"rendezvous in chunks",
          2,
          0,
          {"ready to send", "clear to send", "acknowledgement of each chunk"},
          longer + "false: chunks of " + to_string(config_.chunk)};
}

void HitachiMessages::post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
                           const comm::Request* request) {
  if (request != nullptr) request->reach(Milestone::started, f.now());
  const bool empty = b == nullptr;
  eager_.send(f, from, to, e, empty ? 0 : node(from).user_base() + unsigned_of(b->offset),
              empty ? Bytes::zero() : b->size);
  if (request != nullptr) request->reach(Milestone::completed, f.now());
}

std::uint64_t HitachiMessages::expose(Fiber&, int rank, const comm::Envelope& e, const comm::Buffer& b) {
  return long_->expose(rank, e, b);
}

void HitachiMessages::put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                          const comm::Envelope& last, const comm::Request& request) {
  long_->put(f, from, to, b, target, last, request);
}

/// Flags of peers that have never sent anything cost no look: nobody asks for them.
HitachiMessages::Looks HitachiMessages::looks(int rank) const {
  Looks out;
  const int ranks = static_cast<int>(nodes_.size());
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank) out.words.push_back(eager_.arrival_word(rank, peer));
  const std::size_t arrivals = out.words.size();
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank && !eager_.room(rank, peer)) out.words.push_back(eager_.room_word(rank, peer));
  long_->watch(rank, out.words);
  if (const auto& word = states_[static_cast<std::size_t>(rank)].watched) out.words.push_back(*word);
  const std::int64_t looked = eager_.heard(rank) + static_cast<std::int64_t>(out.words.size() - arrivals);
  out.cycles = std::max<std::int64_t>(looked, 1) * node(rank).core().config().poll_cycles;
  return out;
}

std::optional<comm::Arrival> HitachiMessages::next(Fiber& f, int rank) {
  State& s = state(rank);
  step_(f, rank, "look at the flags", [&] { node(rank).core().execute(f, "look at the flags", looks(rank).cycles); });
  if (std::optional<comm::Arrival> a = long_->next(f, rank)) return a;
  const int ranks = static_cast<int>(nodes_.size());
  for (int i = 1; i <= ranks; ++i) {
    const int from = (s.served + i) % ranks;
    if (from == rank || !eager_.arrived(rank, from)) continue;
    s.served = from;
    const HitachiSlots::Came came = eager_.look(f, rank, from);
    return comm::Arrival{came.envelope, static_cast<std::uint64_t>(from), came.at};
  }
  return std::nullopt;
}

void HitachiMessages::wait(Fiber& f, int rank, const std::vector<Event*>&, Time) {
  State& s = state(rank);
  const ComBufNode& me = node(rank);
  const Looks all = looks(rank);
  step_(f, rank, "poll",
        [&] { me.core().poll_turns(f, me.memory(), all.words, all.cycles + s.pending * config_.visit_cycles); });
}

void HitachiMessages::watch(int rank, std::optional<host::Core::Polled> word) { state(rank).watched = std::move(word); }

void HitachiMessages::take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) {
  if (a.envelope.kind == comm::Envelope::Kind::finished) return;  // it came without a slot
  const Bytes n = a.envelope.kind == comm::Envelope::Kind::eager ? a.envelope.size : Bytes::zero();
  const bool aside = a.held == comm::Held::aside;
  const int from = static_cast<int>(a.handle);  // unless it is aside
  protocols::UnexpectedQueue& unexpected = *state(rank).unexpected;
  if (n > Bytes::zero()) {
    const ComBufNode& me = node(rank);
    const std::uint64_t source = aside ? unexpected.address(a.handle) : eager_.bytes(rank, from);
    step_.copied(comm::Copier::core, n);
    step_(f, rank, "copy the message",
          [&] { me.core().copy(f, me.memory(), me.user_base() + unsigned_of(b.offset), source, n); });
  }
  if (aside)
    unexpected.give_back(a.handle);
  else
    eager_.free(f, rank, from);
}

void HitachiMessages::set_aside(Fiber& f, int rank, comm::Arrival& a) {
  const int from = static_cast<int>(a.handle);
  a.handle = state(rank).unexpected->copy_aside(f, rank, step_, node(rank), eager_.bytes(rank, from), a.envelope.size);
  a.held = comm::Held::aside;
  eager_.free(f, rank, from);
}

void HitachiMessages::pass(Fiber& f, int rank, std::size_t pending) {
  State& s = state(rank);
  s.pending = static_cast<std::int64_t>(pending);
  if (pending == 0) return;
  step_(f, rank, "visit pending receives",
        [&] { node(rank).core().execute(f, "visit pending receives", s.pending * config_.visit_cycles); });
}

}  // namespace tsunagi::libraries
