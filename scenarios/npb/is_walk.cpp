// SPDX-License-Identifier: Apache-2.0
#include "scenarios/npb/is_walk.hpp"

#include <algorithm>

namespace tsunagi::scenarios {

namespace {

constexpr std::uint64_t received_at = std::uint64_t{1} << 40;  // behind all counts
constexpr std::int64_t keys_a_look = 16;                       // read ahead of being counted

/// The keys that a rank has drawn, by bucket.
std::vector<std::int32_t> sorted(const IsKeys& k, int rank) {
  const IsClass& c = k.of();
  std::vector<std::int64_t> next;
  std::int64_t at = 0;
  for (int bucket = 0; bucket < c.buckets(); at += k.in_bucket(rank, bucket++)) next.push_back(at);
  std::vector<std::int32_t> out(static_cast<std::size_t>(k.own()));
  IsKeyStream drawn(c, rank, k.ranks());
  for (std::int64_t i = k.own(); i > 0; --i) {
    const std::int64_t key = drawn.next();
    const std::int64_t place = next[static_cast<std::size_t>(key >> c.shift())]++;
    out[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(key);
  }
  return out;
}

std::uint64_t count_of(std::int64_t value) { return unsigned_of(is_integer * value); }

/// A rank as it ranks its keys.
struct Ranker {
  std::unique_ptr<comm::MemoryWalk> walk;
  std::uint64_t read_at = received_at;
  IsRanking times;

  void count(const std::int32_t* keys, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i, read_at += unsigned_of(is_integer)) {
      // Keys are read in order, faster than they are counted.
      if (i % keys_a_look == 0) walk->stream(read_at, is_integer * std::min(keys_a_look, n - i), false);
      times.count += walk->refer(count_of(keys[i]), is_integer);
    }
  }
};

}  // namespace

std::vector<IsRanking> follow_ranking(const IsKeys& keys,
                                      const std::function<std::unique_ptr<comm::MemoryWalk>(int rank)>& walk) {
  std::vector<IsRanking> out(static_cast<std::size_t>(keys.ranks()));
  std::vector<Ranker> all(out.size());
  const auto pass = [&](int rank) {
    const std::int64_t first = static_cast<std::int64_t>(keys.first_bucket(rank)) << keys.of().shift();
    return all[static_cast<std::size_t>(rank)].walk->stream(count_of(first), is_integer * keys.range(rank), true);
  };
  for (int rank = 0; rank < keys.ranks(); ++rank) {
    Ranker& r = all[static_cast<std::size_t>(rank)];
    r.walk = walk(rank);
    if (r.walk == nullptr) return out;
    r.times.clear = pass(rank);
  }
  for (int from = 0; from < keys.ranks(); ++from) {
    const std::vector<std::int32_t> its = sorted(keys, from);
    for (int to = 0; to < keys.ranks(); ++to)
      all[static_cast<std::size_t>(to)].count(its.data() + keys.sent_before(from, to), keys.sent(from, to));
  }
  for (int rank = 0; rank < keys.ranks(); ++rank) {
    Ranker& r = all[static_cast<std::size_t>(rank)];
    r.times.add = pass(rank);
    out[static_cast<std::size_t>(rank)] = r.times;
  }
  return out;
}

}  // namespace tsunagi::scenarios
