// SPDX-License-Identifier: Apache-2.0
// What blocks of a collective kernel do: who sends what to whom, in which pieces, and by which protocol.
#include "models/libraries/gpu_ring/ring_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "models/gpu/command.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace ring_plan_test {

using namespace tsunagi;
using namespace tsunagi::libraries;
using comm::QueuedCollective;
using Kind = QueuedCollective::Kind;

namespace {

constexpr Kind kinds[] = {Kind::allreduce, Kind::all_gather, Kind::reduce_scatter, Kind::broadcast, Kind::reduce};

/// What each rank has of each block, as a set of ranks, after the primitives of all, each done as soon as it can be.
/// Checks that what is sent is received, and that nobody's part is combined twice.
std::vector<std::map<int, std::set<int>>> outcome(RingAlgorithm a, const QueuedCollective& c, int n) {
  std::vector<std::vector<RingPrimitive>> all;
  for (int rank = 0; rank < n; ++rank) all.push_back(ring_primitives(a, c, rank, n));
  std::vector<std::size_t> next(all.size());
  std::map<std::pair<int, int>, std::vector<std::pair<int, std::set<int>>>> sent;  // from, to
  std::vector<std::map<int, std::set<int>>> kept(all.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < n; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      if (next[r] == all[r].size()) continue;
      const RingPrimitive& p = all[r][next[r]];
      if (std::any_of(p.from.begin(), p.from.end(), [&](int from) { return sent[{from, rank}].empty(); })) continue;
      std::set<int> has;
      if (p.own) has.insert(rank);
      for (const int from : p.from) {
        auto& queue = sent[{from, rank}];
        CHECK(queue.front().first == p.block);
        for (const int of : queue.front().second) CHECK(has.insert(of).second);
        queue.erase(queue.begin());
      }
      if (p.keep) kept[r][p.block] = has;
      for (const int to : p.to) sent[{rank, to}].emplace_back(p.block, has);
      ++next[r];
      moved = true;
    }
  }
  for (int rank = 0; rank < n; ++rank)
    CHECK(next[static_cast<std::size_t>(rank)] == all[static_cast<std::size_t>(rank)].size());
  for (const auto& [between, queue] : sent) CHECK(queue.empty());
  return kept;
}

std::set<int> everybody(int n) {
  std::set<int> out;
  for (int rank = 0; rank < n; ++rank) out.insert(rank);
  return out;
}

}  // namespace

TEST_CASE("primitives of all ranks bring everybody what is due") {
  for (const int n : {2, 3, 4, 5, 8})
    for (const RingAlgorithm a : {RingAlgorithm::ring, RingAlgorithm::tree})
      for (const Kind kind : kinds) {
        const int root = n - 1;
        CAPTURE(n, name_of(a), name_of(kind));
        const QueuedCollective c{kind, 1_MiB, root};
        const auto kept = outcome(a, c, n);
        for (int rank = 0; rank < n; ++rank) {
          std::map<int, std::set<int>> due;
          for (int b = 0; b < blocks_of(a, c, n); ++b) {
            if (kind == Kind::allreduce) due[b] = everybody(n);
            if (kind == Kind::all_gather) due[b] = {b};
            if (kind == Kind::reduce_scatter && b == rank) due[b] = everybody(n);
            if (kind == Kind::broadcast) due[b] = {root};
            if (kind == Kind::reduce && rank == root) due[b] = everybody(n);
          }
          CHECK(kept[static_cast<std::size_t>(rank)] == due);
        }
      }
  const auto kept = outcome(RingAlgorithm::ring, {Kind::send_receive, 1_MiB, 0}, 4);
  for (int rank = 0; rank < 4; ++rank)
    CHECK(kept[static_cast<std::size_t>(rank)] == std::map<int, std::set<int>>{{0, {(rank + 3) % 4}}});
}

TEST_CASE("an all-reduce hands each block on 2 (n - 1) times, by ring or by tree") {
  for (const int n : {2, 3, 4, 8})
    for (const RingAlgorithm a : {RingAlgorithm::ring, RingAlgorithm::tree}) {
      std::size_t messages = 0;
      const QueuedCollective c{Kind::allreduce, 1_MiB, 0};
      for (int rank = 0; rank < n; ++rank)
        for (const RingPrimitive& p : ring_primitives(a, c, rank, n)) messages += p.to.size();
      CHECK(messages == static_cast<std::size_t>(2 * (n - 1) * blocks_of(a, c, n)));
    }
}

TEST_CASE("rounds of all channels have every byte once, in chunks that fit the slots") {
  const RingConfig r;
  for (const int n : {2, 3, 4, 8})
    for (const RingProtocol p : {RingProtocol::ll, RingProtocol::ll128, RingProtocol::simple})
      for (const Kind kind : {Kind::allreduce, Kind::all_gather, Kind::broadcast})
        for (const int channels : {1, 2, 3})
          for (const Bytes size : {48_B * n, 16_KiB * n, 1_MiB * n, 11_MiB * n}) {
            const QueuedCollective c{kind, size, 0};
            std::map<std::int64_t, std::int64_t> pieces;
            Bytes largest;
            for (int channel = 0; channel < channels; ++channel)
              for (const auto& round : ring_rounds(r, {RingAlgorithm::ring, p, channels}, c, n, channel)) {
                CHECK(round.size() == static_cast<std::size_t>(blocks_of(RingAlgorithm::ring, c, n)));
                for (const RingBlock& b : round) {
                  largest = std::max(largest, b.size);
                  if (b.size > Bytes::zero()) CHECK(pieces.emplace(b.offset.count(), b.size.count()).second);
                }
              }
            std::int64_t at = 0;
            for (const auto& [offset, length] : pieces) {
              CHECK(offset == at);
              at += length;
            }
            CHECK(Bytes(at) == size);
            const Bytes most = p == RingProtocol::ll ? 32_KiB : 2_MiB;
            if (p != RingProtocol::ll128) CHECK(largest <= most);
          }
}

TEST_CASE("a chunk is two slices, of 32 KiB at least") {
  const RingConfig r;
  const auto sizes = [&](Bytes n) {
    std::vector<Bytes> out;
    Bytes at = 512_B;
    for (const RingBlock& s : slices_of(r, {512_B, n})) {
      CHECK(s.offset == at);
      at += s.size;
      out.push_back(s.size);
    }
    return out;
  };
  CHECK(sizes(Bytes::zero()) == std::vector<Bytes>{Bytes::zero(), Bytes::zero()});
  CHECK(sizes(20_KiB) == std::vector<Bytes>{20_KiB, Bytes::zero()});
  CHECK(sizes(40_KiB) == std::vector<Bytes>{32_KiB, 8_KiB});
  CHECK(sizes(2_MiB) == std::vector<Bytes>{1_MiB, 1_MiB});
}

TEST_CASE("the model takes lines with flags for short calls, slices for long ones, and fewer channels for little data") {
  const RingConfig r;
  const auto way = [&](Bytes size, const RingConfig& c) { return choose_way(c, {Kind::allreduce, size, 0}, 4); };
  // 6.6 + 6 x 1 us and 6 GB/s, or 8.4 + 6 x 5.7 us and 12 GB/s: equal at 240,000 B.
  CHECK(way(239'999_B, r).protocol == RingProtocol::ll);
  CHECK(way(240'001_B, r).protocol == RingProtocol::simple);
  CHECK(way(1_KiB, r).channels == 1);
  CHECK(way(32_KiB, r).channels == 2);
  CHECK(way(64_MiB, r).channels == 2);
  RingConfig forced;
  forced.protocol = "simple";
  CHECK(way(1_KiB, forced).protocol == RingProtocol::simple);
  RingConfig no_lines;
  no_lines.ll.enabled = false;
  CHECK(way(1_KiB, no_lines).protocol == RingProtocol::simple);
}

TEST_CASE("everybody in a tree has one parent, who knows of it") {
  for (const int n : {2, 3, 7, 8}) {
    CHECK(tree_parent(0) == -1);
    for (int rank = 1; rank < n; ++rank) {
      const std::vector<int> siblings = tree_children(tree_parent(rank), n);
      CHECK(std::count(siblings.begin(), siblings.end(), rank) == 1);
    }
  }
}

TEST_CASE("a kernel's command says its program") {
  gpu::KernelCommand k;
  k.program = 77;
  CHECK(std::get<gpu::KernelCommand>(gpu::decode(gpu::encode(k))).program == 77);
  CHECK(std::get<gpu::KernelCommand>(gpu::decode(gpu::encode(gpu::KernelCommand{}))).program == 0);
}

}  // namespace ring_plan_test
