// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/gpu_ring/ring_plan.hpp"

#include <algorithm>

#include "units/bytes.hpp"

namespace tsunagi::libraries {

using Kind = comm::QueuedCollective::Kind;

namespace {

constexpr Bytes grain{16};  // elements of a vector load: blocks and channels are cut there

Bytes rounded_up(Bytes n) { return grain * units_of(n, grain); }

bool of_parts(const comm::QueuedCollective& c) { return c.kind == Kind::all_gather || c.kind == Kind::reduce_scatter; }

/// Round the ring: `first` is what a rank begins with, `reduces` how many of the next ones are combined.
std::vector<RingPrimitive> round_the_ring(const comm::QueuedCollective& c, int rank, int n) {
  const int next = (rank + 1) % n;
  const int previous = (rank + n - 1) % n;
  const auto block = [&](int back) { return (rank + 2 * n - back) % n; };
  std::vector<RingPrimitive> out;
  switch (c.kind) {
    case Kind::allreduce:
      out.push_back({block(1), {}, true, false, {next}});
      for (int j = 2; j < n; ++j) out.push_back({block(j), {previous}, true, false, {next}});
      out.push_back({block(0), {previous}, true, true, {next}});
      for (int j = 1; j < n - 1; ++j) out.push_back({block(j), {previous}, false, true, {next}});
      out.push_back({block(n - 1), {previous}, false, true, {}});
      break;
    case Kind::reduce_scatter:
      out.push_back({block(1), {}, true, false, {next}});
      for (int j = 2; j < n; ++j) out.push_back({block(j), {previous}, true, false, {next}});
      out.push_back({block(0), {previous}, true, true, {}});
      break;
    case Kind::all_gather:
      out.push_back({block(0), {}, true, true, {next}});
      for (int j = 1; j < n - 1; ++j) out.push_back({block(j), {previous}, false, true, {next}});
      out.push_back({block(n - 1), {previous}, false, true, {}});
      break;
    case Kind::send_receive:
      out.push_back({0, {}, true, false, {next}});
      out.push_back({0, {previous}, false, true, {}});
      break;
    case Kind::broadcast:
      out.push_back({0, {previous}, false, true, {next}});
      if (rank == c.root) out.front().from.clear();
      if (rank == c.root) out.front().own = true;
      if (next == c.root) out.front().to.clear();
      break;
    case Kind::reduce:
      out.push_back({0, {previous}, true, rank == c.root, {next}});
      if (previous == c.root) out.front().from.clear();
      if (rank == c.root) out.front().to.clear();
      break;
  }
  return out;
}

}  // namespace

int tree_parent(int rank) { return rank == 0 ? -1 : (rank - 1) / 2; }

std::vector<int> tree_children(int rank, int ranks) {
  std::vector<int> out;
  for (const int child : {2 * rank + 1, 2 * rank + 2})
    if (child < ranks) out.push_back(child);
  return out;
}

std::vector<RingPrimitive> ring_primitives(RingAlgorithm a, const comm::QueuedCollective& c, int rank, int ranks) {
  if (a == RingAlgorithm::ring || c.kind != Kind::allreduce) return round_the_ring(c, rank, ranks);
  const int up = tree_parent(rank);
  const std::vector<int> down = tree_children(rank, ranks);
  if (up < 0) return {{0, down, true, true, down}};
  return {{0, down, true, false, {up}}, {0, {up}, false, true, down}};
}

int steps_of(RingAlgorithm a, Kind k, int ranks) {
  if (a == RingAlgorithm::tree && k == Kind::allreduce) {
    int depth = 0;
    for (int rank = ranks - 1; rank > 0; rank = tree_parent(rank)) ++depth;
    return 2 * depth;
  }
  return k == Kind::allreduce ? 2 * (ranks - 1) : k == Kind::send_receive ? 1 : ranks - 1;
}

int blocks_of(RingAlgorithm a, const comm::QueuedCollective& c, int ranks) {
  return of_parts(c) || (a == RingAlgorithm::ring && c.kind == Kind::allreduce) ? ranks : 1;
}

std::vector<std::vector<RingBlock>> ring_rounds(const RingConfig& r, const RingWay& way,
                                                const comm::QueuedCollective& c, int ranks, int channel) {
  const RingProtocolConfig& p = r.of(way.protocol);
  const Bytes slot(p.buffer.count() / r.steps);
  const Bytes most = way.protocol == RingProtocol::simple ? slot * r.chunk_steps
                                                          : r.data_of(way.protocol) * (slot / r.line_of(way.protocol));
  const int blocks = blocks_of(way.algorithm, c, ranks);
  const Bytes part = of_parts(c) ? Bytes(c.size.count() / ranks) : c.size;  // what channels share
  const Bytes share = rounded_up(Bytes((part.count() + way.channels - 1) / way.channels));
  const Bytes begin = std::min(part, share * channel);
  const Bytes end = std::min(part, begin + share);
  std::vector<std::vector<RingBlock>> out;
  const int cut = of_parts(c) ? 1 : blocks;  // into how many blocks a round's bytes are cut
  for (Bytes at = begin; at < end;) {
    const Bytes left = end - at;
    const Bytes chunk = std::min(most, rounded_up(Bytes((left.count() + cut - 1) / cut)));
    std::vector<RingBlock>& round = out.emplace_back();
    for (int b = 0; b < blocks; ++b) {
      const Bytes offset = std::min(end, of_parts(c) ? at : at + chunk * b);
      const Bytes n = std::min(chunk, end - offset);
      round.push_back({of_parts(c) ? offset + part * b : offset, n});
    }
    at = std::min(end, at + chunk * cut);
  }
  return out;
}

std::vector<RingBlock> slices_of(const RingConfig& r, const RingBlock& b) {
  const int n = r.chunk_steps / r.slice_steps;
  const Bytes slot(r.simple.buffer.count() / r.steps);
  const Bytes least(slot.count() * r.slice_steps / 32);
  Bytes each = std::max(rounded_up(Bytes((b.size.count() + n - 1) / n)), least);
  std::vector<RingBlock> out;
  Bytes done;
  for (int i = 0; i < n; ++i) {
    each = std::min(each, b.size - done);
    out.push_back({b.offset + done, each});
    done += each;
  }
  return out;
}

RingWay choose_way(const RingConfig& r, const comm::QueuedCollective& c, int ranks) {
  RingWay way;
  way.algorithm = r.algorithm;
  const int steps = steps_of(r.algorithm, c.kind, ranks);
  Time least = Time::max();
  for (int i = 0; i < ring_protocols; ++i) {
    const auto p = static_cast<RingProtocol>(i);
    const RingProtocolConfig& of = r.of(p);
    if (r.protocol.empty() ? !of.enabled : r.protocol != name_of(p)) continue;
    // A ring hands each byte on once a step, in parts of the number of blocks.
    const Bytes bytes(c.size.count() * steps / blocks_of(r.algorithm, c, ranks));
    const Time t = of.base_latency + of.step_latency * steps + of.rate.time(bytes);
    if (t >= least) continue;
    least = t;
    way.protocol = p;
  }
  const RingProtocolConfig& p = r.of(way.protocol);
  const Bytes least_bytes = p.thread_bytes * p.threads;
  way.channels = static_cast<int>(std::clamp<std::int64_t>(c.size / least_bytes, 1, r.channels));
  return way;
}

}  // namespace tsunagi::libraries
