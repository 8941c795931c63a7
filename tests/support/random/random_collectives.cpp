// SPDX-License-Identifier: Apache-2.0
// Collective calls and windows of random programs.
#include <algorithm>
#include <string>

#include "support/random/random_rank.hpp"

namespace tsunagi::test {

using comm::Buffer;

namespace {

Buffer buffer(Bytes at, Bytes n) { return {at, n, {}, {}}; }

}  // namespace

void RandomRank::collective(const Operation& o) {
  comm::Group& g = group(o.group);
  const int me = g.rank();
  const Bytes n = o.size;
  const Bytes in = source_of(o.number);
  const Bytes out = target_of(o.number);
  const bool root = me == o.from;
  const Bytes all = n * g.size();
  switch (o.which) {
    case 0:
      return g.barrier();
    case 1:
      if (root) g.copy(buffer(out, n), buffer(in, n));
      g.broadcast(o.from, buffer(out, n));
      return expect(o, out, n, g.in_world(o.from), in);
    case 2:
      g.allgather(buffer(in, n), buffer(out, all));
      for (int i = 0; i < g.size(); ++i) expect(o, out + n * i, n, g.in_world(i), in);
      return;
    case 3:
      g.all_to_all(buffer(in, all), buffer(out, all));
      for (int i = 0; i < g.size(); ++i) expect(o, out + n * i, n, g.in_world(i), in + n * me);
      return;
    case 4:
      g.gather(o.from, buffer(in, n), buffer(out, root ? all : n));
      for (int i = 0; root && i < g.size(); ++i) expect(o, out + n * i, n, g.in_world(i), in);
      return;
    case 5:
      g.scatter(o.from, buffer(in, all), buffer(out, n));
      return expect(o, out, n, g.in_world(o.from), in + n * me);
    default:
      if (o.which == 6)
        g.allreduce(buffer(in, n), buffer(out, n));
      else
        g.reduce(o.from, buffer(in, n), buffer(out, n));
      if ((o.which == 7 && !root) || n == Bytes::zero()) return;
      Bytes at = in;
      for (const comm::Ledger::Piece& piece : rank_->ledger()->read(rank_->id(), buffer(out, n))) {
        const std::string sum = rank_->ledger()->text({piece});
        if (piece.offset != at || std::count(sum.begin(), sum.end(), '+') != g.size() - 1)
          complain(o, "a reduction gives " + sum);
        at += piece.size;
      }
  }
}

/// Whoever has `me` as a target has put `size` bytes to its own place there.
void RandomRank::check_window(const Operation& o, comm::Group& g, Bytes window) {
  for (int i = 0; i < g.size(); ++i) {
    const std::vector<int>& targets = o.targets[static_cast<std::size_t>(i)];
    if (std::find(targets.begin(), targets.end(), g.rank()) != targets.end())
      expect(o, window + o.size * i, o.size, g.in_world(i), source_of(o.number));
  }
}

/// Puts, then gets of what was put, between fences.
void RandomRank::fence(const Operation& o) {
  comm::Group& g = group(o.group);
  const Bytes n = o.size;
  const Bytes at = target_of(o.number);
  const std::vector<int>& mine = o.targets[static_cast<std::size_t>(g.rank())];
  const auto w = g.window(buffer(at, n * g.size()));
  w->fence();
  for (const int to : mine) w->put(to, n * g.rank(), buffer(source_of(o.number), n));
  w->fence();
  check_window(o, g, at);
  const Bytes got = at + n * g.size();
  for (std::size_t i = 0; i < mine.size(); ++i)
    w->get(mine[i], n * g.rank(), buffer(got + n * static_cast<std::int64_t>(i), n));
  w->fence();
  for (std::size_t i = 0; i < mine.size(); ++i)
    expect(o, got + n * static_cast<std::int64_t>(i), n, rank_->id(), source_of(o.number));
}

/// The same by epochs of some ranks.
void RandomRank::epoch(const Operation& o) {
  comm::Group& g = group(o.group);
  const Bytes at = target_of(o.number);
  const std::vector<int>& mine = o.targets[static_cast<std::size_t>(g.rank())];
  std::vector<int> origins;
  for (int i = 0; i < g.size(); ++i)
    if (const std::vector<int>& t = o.targets[static_cast<std::size_t>(i)];
        std::find(t.begin(), t.end(), g.rank()) != t.end())
      origins.push_back(i);
  const auto w = g.window(buffer(at, o.size * g.size()));
  if (!origins.empty()) w->post(origins);
  if (!mine.empty()) {
    w->start(mine);
    for (const int to : mine) w->put(to, o.size * g.rank(), buffer(source_of(o.number), o.size));
    w->complete();
  }
  if (!origins.empty()) w->wait();
  check_window(o, g, at);
}

}  // namespace tsunagi::test
