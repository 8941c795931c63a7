// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_hardware.hpp"

#include <algorithm>

namespace tsunagi::libraries {

namespace {

/// Uses of colours by a group.
enum Use : int { barrier_use, first_buffer_use };

}  // namespace

FmplHardware::FmplHardware(comm::ByRank<ComBufNode>& nodes, Signals& signals, const Machine& m, Bytes buffer,
                           std::int64_t cycles, const comm::Steps& step)
    : nodes_(nodes),
      buffers_(nodes, buffer, groups * each, "broadcasts"),
      barrier_(nodes, m, cycles),
      lines_barrier_(nodes, signals, step),
      step_(step) {}

const std::vector<NodeLine>& FmplHardware::lines(const std::vector<int>& ranks) {
  const auto at = lines_.find(ranks);
  if (at != lines_.end()) return at->second;
  return lines_[ranks] = barrier_.box_refusal(ranks).empty() ? std::vector<NodeLine>() : lines_of(nodes_, ranks);
}

std::string FmplHardware::refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) {
  const bool barrier = c.kind == comm::Collective::barrier;
  if (!barrier && c.kind != comm::Collective::broadcast) return "the crossbars do barriers and broadcasts";
  if (!barrier && groups_.count(ranks) == 0 && groups_.size() == groups)
    return "other groups have the buffers of broadcasts";
  const bool by_lines = barrier_.has_hardware() && !lines(ranks).empty();
  std::string why = by_lines ? barrier_.colour_refusal(ranks, barrier_use + 1)
                             : barrier_.refusal(ranks, barrier ? barrier_use + 1 : first_buffer_use + each);
  if (why.empty() && !barrier) group(ranks);  // has the buffers from now on
  return why;
}

void FmplHardware::run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  if (c.kind == comm::Collective::broadcast) return broadcast(f, ranks, rank, c);
  barrier(f, ranks, ranks[static_cast<std::size_t>(rank)]);
}

void FmplHardware::barrier(Fiber& f, const std::vector<int>& ranks, int world) {
  const int colour = barrier_.colour(ranks, barrier_use);
  if (const auto& its = lines(ranks); !its.empty()) return lines_barrier_.run(f, its, world);
  step_(f, world, "hmpp_barrier", [&] {
    barrier_.come(f, ranks, world, colour);
    barrier_.wait(f, world, colour);
  });
}

FmplHardware::Group& FmplHardware::group(const std::vector<int>& ranks) {
  const auto [at, fresh] = groups_.try_emplace(ranks);
  if (fresh) at->second = {static_cast<int>(groups_.size()) - 1, std::vector<Member>(ranks.size()), lines(ranks)};
  return at->second;
}

void FmplHardware::broadcast(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  const int world = ranks[static_cast<std::size_t>(rank)];
  const int root = ranks[static_cast<std::size_t>(c.root)];
  Group& g = group(ranks);
  Member& me = g.members[static_cast<std::size_t>(rank)];
  Piece p;
  p.user = nodes_[world].user_base() + unsigned_of(c.out.offset);
  for (Bytes left = c.out.size; left > Bytes::zero(); left -= p.size, p.user += unsigned_of(p.size)) {
    const auto b = static_cast<std::size_t>(me.pieces++ % each);
    p.size = std::min(buffers_.size(), left);
    p.number = g.number * each + static_cast<int>(b);
    if (g.lines.empty()) {
      to_box(f, ranks, world, root, me.buffer[b], p);
    } else {
      if (b == 0 && me.buffer[b].used) barrier(f, ranks, world);  // all have copied out of both
      to_lines(f, g, world, root, me.buffer[b], p);
    }
    me.buffer[b].used = true;
  }
}

void FmplHardware::to_box(Fiber& f, const std::vector<int>& ranks, int world, int root, Buffer& b, const Piece& p) {
  const int colour = barrier_.colour(ranks, first_buffer_use + p.number % each);
  if (b.used) step_(f, world, "wait for a free buffer", [&] { barrier_.wait(f, world, colour); });
  if (world == root) {
    const auto [first, last] = std::minmax_element(ranks.begin(), ranks.end());  // nodes have the order of ranks
    copy_in(f, world, p);
    spread(f, world, *first, *last, p);
  } else {
    wait_for(f, world, root, b, p);
    copy_out(f, world, p);
  }
  step_(f, world, "give the buffer back", [&] { barrier_.come(f, ranks, world, colour); });
}

void FmplHardware::to_lines(Fiber& f, const Group& g, int world, int root, Buffer& b, const Piece& p) {
  const auto has = [](const NodeLine& l, int r) {
    return std::find(l.ranks.begin(), l.ranks.end(), r) != l.ranks.end();
  };
  const auto line = std::find_if(g.lines.begin(), g.lines.end(), [&](const NodeLine& l) { return has(l, world); });
  const bool roots_line = has(*line, root);
  if (world == root) {
    copy_in(f, world, p);
    for (const NodeLine& other : g.lines)
      if (!has(other, root))
        step_(f, world, "send to another line", [&] { buffers_.send(f, world, other.leader(), p.number, p.size); });
    if (line->ranks.size() > 1) spread(f, world, line->ranks.front(), line->ranks.back(), p);
    return;
  }
  const bool leads = !roots_line && world == line->leader();
  wait_for(f, world, roots_line || leads ? root : line->leader(), b, p);
  if (leads && line->ranks.size() > 1) spread(f, world, line->ranks[1], line->ranks.back(), p);
  copy_out(f, world, p);
}

void FmplHardware::copy_in(Fiber& f, int world, const Piece& p) {
  const ComBufNode& n = nodes_[world];
  step_(f, world, "copy into the buffer",
        [&] { n.core().copy(f, n.memory(), buffers_.buffer(p.number), p.user, p.size); });
  step_.copied(comm::Copier::core, p.size);
}

void FmplHardware::copy_out(Fiber& f, int world, const Piece& p) {
  const ComBufNode& n = nodes_[world];
  step_(f, world, "copy out of the buffer",
        [&] { n.core().copy(f, n.memory(), p.user, buffers_.buffer(p.number), p.size); });
  step_.copied(comm::Copier::core, p.size);
}

void FmplHardware::wait_for(Fiber& f, int world, int from, Buffer& b, const Piece& p) {
  const std::uint32_t node = nodes_[from].nia().node();
  step_(f, world, "wait for the broadcast",
        [&] { nodes_[world].wait_flag(f, buffers_.flag(p.number), node, b.flags[node]); });
}

void FmplHardware::spread(Fiber& f, int world, int first, int last, const Piece& p) {
  const auto node = [&](int rank) { return nodes_[rank].nia().node(); };
  step_(f, world, "start the broadcast", [&] {
    buffers_.start(f, world, {node(first), node(last)}, p.number, p.size);
  });
}

}  // namespace tsunagi::libraries
