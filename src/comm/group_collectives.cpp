// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "comm/collectives/blocks.hpp"
#include "comm/group.hpp"
#include "units/parse.hpp"

namespace tsunagi::comm {

namespace {

bool rooted(Collective c) {
  return c == Collective::broadcast || c == Collective::reduce || c == Collective::scatter || c == Collective::gather;
}

/// What has to be the same at all ranks.
std::string common_text(const CollectiveCall& c, const Members& m, const Choice& how) {
  const int ranks = static_cast<int>(m.ranks.size());
  std::string out = name_of(c.kind);
  if (c.kind == Collective::all_to_all && c.v()) {
    out += " of blocks of different sizes";
  } else if (c.v()) {
    out += " of blocks of";
    for (const Bytes& size : c.sizes) out += " " + std::to_string(size.count());
    out += " B";
  } else if (c.kind != Collective::barrier) {
    out += " of " + to_string(c.weight(ranks));
  }
  if (rooted(c.kind)) out += ", root " + std::to_string(m.ranks[static_cast<std::size_t>(c.root)]);
  if (!how.algorithm.empty()) out += ", by \"" + how.algorithm + "\"";
  if (how.order == PartnerOrder::natural) out += ", in natural order";
  if (how.order == PartnerOrder::rank_relative) out += ", from each rank's own place on";
  return out;
}

bool overlap(const Buffer& a, const Buffer& b) {
  return same_place(a, b) && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

}  // namespace

/// Buffers as long as what the call moves. Throws std::runtime_error if they are too short for it.
void Group::fit_buffers(CollectiveCall& c) const {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("rank " + std::to_string(world_rank()) + ": " + name_of(c.kind) + ": " + why);
  };
  const auto fit = [&](Buffer& b, const char* name, Bytes n) {
    if (b.size < n)
      refuse(std::string("`") + name + "` has " + to_string(b.size) + ", but the call moves " + to_string(n) +
             " there");
    b.size = n;
  };
  using C = Collective;
  if (!is_contiguous(c.in) || !is_contiguous(c.out)) refuse("takes contiguous areas alone");
  if (c.kind == C::barrier || c.kind == C::broadcast) return;
  for (const std::vector<Bytes>* sizes : {&c.sizes, &c.received})
    if (!sizes->empty() && sizes->size() != members_->ranks.size())
      refuse("has sizes of " + std::to_string(sizes->size()) + " blocks in a group of " + std::to_string(size()));
  const bool at_root = rank_ == c.root;
  if (c.kind == C::reduce || c.kind == C::allreduce) {
    if (c.kind == C::allreduce || at_root) fit(c.out, "out", c.in.size);
    return;
  }
  const Blocks blocks(size(), c);
  if (c.kind == C::all_to_all) {
    if (c.in.size != blocks.whole()) {
      if (!c.v()) refuse("`in` of " + to_string(c.in.size) + " is not " + std::to_string(size()) + " equal blocks");
      fit(c.in, "in", blocks.whole());
    }
    fit(c.out, "out", Blocks(size(), c.received, c.weight(size())).whole());
    if (size() > 1 && overlap(c.in, c.out)) refuse("`in` and `out` overlap");
    return;
  }
  const bool scatters = c.kind == C::scatter;
  fit(scatters ? c.out : c.in, scatters ? "out" : "in", blocks.size(rank_));
  if (scatters && at_root) fit(c.in, "in", blocks.whole());
  if (!scatters && (at_root || c.kind == C::allgather)) fit(c.out, "out", blocks.whole());
}

void Group::collective(CollectiveCall c, const Choice& how) {
  const int me = world_rank();
  if (c.root < 0 || c.root >= size())
    throw std::runtime_error("rank " + std::to_string(me) + ": " + name_of(c.kind) + ": there is no rank " +
                             std::to_string(c.root) + " in a group of " + std::to_string(size()));
  c.segment = how.segment;
  c.radix = how.radix;
  c.order = how.order;
  const std::uint64_t number = world_->groups().enter_collective(*members_, me, common_text(c, *members_, how));
  const int root = rooted(c.kind) ? in_world(c.root) : -1;
  world_->together(*fiber_, {me, name_of(c.kind), {}, members_->context, number, size(), root, c.weight(size())},
                   [&](Together& t) { t.algorithm = run(c, number, how); });
}

/// Returns the name of the algorithm.
const char* Group::run(CollectiveCall& c, std::uint64_t number, const Choice& how) {
  const int me = world_rank();
  const Calls::Scope call(world_->calls(), me, {name_of(c.kind), -1, any_tag, c.weight(size()), false});
  fit_buffers(c);
  const Algorithm* algorithm = nullptr;
  try {
    const Means m = means(*world_, members_->ranks, c);
    algorithm = &choose(size(), c, how.algorithm, m);
    adopt(c, *algorithm, how.algorithm, m);
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error("rank " + std::to_string(me) + ": " + e.what());
  }
  const bool nothing = c.kind != Collective::barrier && c.weight(size()) == Bytes::zero();
  if (nothing && !(c.kind == Collective::all_to_all && c.v())) return algorithm->name;
  Participant participant(*world_, *fiber_, *members_, rank_, number);
  if (!combines_aside(c)) {
    algorithm->run(participant, c);
    return algorithm->name;
  }
  CollectiveCall aside = c;
  aside.in = participant.reserve(c.in.size);
  aside.out = participant.reserve(c.in.size);
  participant.copy(aside.in, c.in);
  algorithm->run(participant, aside);
  if (c.kind == Collective::allreduce || rank_ == c.root) participant.copy(c.out, aside.out);
  return algorithm->name;
}

void Group::barrier(const Choice& how) { collective({Collective::barrier, 0, {}, {}}, how); }

void Group::broadcast(int root, const Buffer& b, const Choice& how) {
  collective({Collective::broadcast, root, b, b}, how);
}

void Group::reduce(int root, const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::reduce, root, in, out}, how);
}

void Group::allreduce(const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::allreduce, 0, in, out}, how);
}

void Group::scatter(int root, const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::scatter, root, in, out}, how);
}

void Group::gather(int root, const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::gather, root, in, out}, how);
}

void Group::allgather(const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::allgather, 0, in, out}, how);
}

void Group::all_to_all(const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::all_to_all, 0, in, out}, how);
}

void Group::scatter_v(int root, const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes,
                      const Choice& how) {
  collective({Collective::scatter, root, in, out, sizes}, how);
}

void Group::gather_v(int root, const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes,
                     const Choice& how) {
  collective({Collective::gather, root, in, out, sizes}, how);
}

void Group::allgather_v(const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes, const Choice& how) {
  collective({Collective::allgather, 0, in, out, sizes}, how);
}

void Group::all_to_all_v(const Buffer& in, const Buffer& out, const std::vector<Bytes>& to,
                         const std::vector<Bytes>& from, const Choice& how) {
  collective({Collective::all_to_all, 0, in, out, to, from}, how);
}

}  // namespace tsunagi::comm
