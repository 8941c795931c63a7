// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/lines_barrier.hpp"

#include <algorithm>

#include "topo/crossbars_shape.hpp"

namespace tsunagi::libraries {

namespace {

constexpr std::uint64_t release_word = 8;

}  // namespace

std::vector<NodeLine> lines_of(const comm::ByRank<ComBufNode>& nodes, std::vector<int> ranks) {
  const topo::CrossbarsShape* shape = topo::crossbars_shape(nodes.front().nia().network());
  if (shape == nullptr) return {};
  const int along = shape->crossed().front();
  std::sort(ranks.begin(), ranks.end());  // nodes have the order of ranks
  std::map<int, NodeLine> lines;
  for (const int rank : ranks) {
    const auto node = [&](int r) { return static_cast<int>(nodes[r].nia().node()); };
    NodeLine& line = lines[shape->line(node(rank), along)];
    if (!line.ranks.empty() &&
        shape->coordinate(node(rank), along) != shape->coordinate(node(line.ranks.back()), along) + 1)
      return {};
    line.ranks.push_back(rank);
  }
  std::vector<NodeLine> out;
  for (auto& [number, line] : lines) out.push_back(std::move(line));
  return out;
}

LinesBarrier::LinesBarrier(comm::ByRank<ComBufNode>& nodes, Signals& signals, const comm::Steps& step)
    : nodes_(nodes),
      signals_(signals),
      step_(step),
      released_(nodes.size()),
      built_(nodes.size()),
      last_(nodes.size()) {
  for (ComBufNode& n : nodes) {
    field_ = n.take_field("words of releases", Bytes(release_word) * static_cast<std::int64_t>(nodes.size()), &words_);
    source_ = n.take("release", Bytes(release_word)).base;
    tcw_ = n.take("TCW of releases", sr8000::Tcw::size).base;
  }
}

void LinesBarrier::run(Fiber& f, const std::vector<NodeLine>& lines, int rank) {
  const auto mine = std::find_if(lines.begin(), lines.end(), [rank](const NodeLine& l) {
    return std::find(l.ranks.begin(), l.ranks.end(), rank) != l.ranks.end();
  });
  const int leader = mine->leader();
  const auto tell = [&](int to) { step_(f, rank, "tell that all are here", [&] { signals_.tell(f, rank, to); }); };
  const auto hear = [&](int from) { step_(f, rank, "wait for others", [&] { signals_.hear(f, rank, from); }); };
  if (rank != leader) {
    tell(leader);
    return step_(f, rank, "wait for the release", [&] {
      nodes_[rank].wait_flag(f, words_ + release_word * static_cast<std::uint64_t>(leader), last_[rank][leader]);
    });
  }
  for (const int member : mine->ranks)
    if (member != rank) hear(member);
  const int first = lines.front().leader();
  if (rank != first) {
    tell(first);
    hear(first);
  } else {
    for (const NodeLine& l : lines)
      if (l.leader() != first) hear(l.leader());
    for (const NodeLine& l : lines)
      if (l.leader() != first) tell(l.leader());
  }
  if (mine->ranks.size() > 1) step_(f, rank, "release the line", [&] { release(f, *mine); });
}

void LinesBarrier::release(Fiber& f, const NodeLine& line) {
  const auto leader = static_cast<std::size_t>(line.leader());
  ComBufNode& n = nodes_[leader];
  sr8000::Tcw t;
  t.source = source_;
  t.length = Bytes(release_word);
  t.destination = nodes_[line.ranks[1]].nia().node();
  t.last = nodes_[line.ranks.back()].nia().node();
  t.field = static_cast<std::uint16_t>(field_);
  t.offset = release_word * leader;
  t.broadcast = true;
  if (!(built_[leader] == t)) {
    n.build(f, tcw_, t);
    built_[leader] = t;
  }
  const flow::WordBytes said(++released_[leader]);
  n.kick(f, tcw_, {{source_, said}});
}

}  // namespace tsunagi::libraries
