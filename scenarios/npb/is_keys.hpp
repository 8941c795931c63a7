// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "units/bytes.hpp"

namespace tsunagi::scenarios {

/// A key, or a count of keys.
constexpr Bytes is_integer{4};

/// A class of NPB IS, sizes as powers of two: all keys, what keys are less than, buckets.
struct IsClass {
  int keys_log2;
  int max_key_log2;
  int buckets_log2;
  std::int64_t keys() const { return std::int64_t{1} << keys_log2; }
  std::int64_t max_key() const { return std::int64_t{1} << max_key_log2; }
  int buckets() const { return 1 << buckets_log2; }
  int shift() const { return max_key_log2 - buckets_log2; }
};

/// NPB's random numbers: x times 5^13 modulo 2^46 each, from 314159265 on; a number is x / 2^46. The benchmarks compute
/// them in doubles, in halves of 23 bits (randlc); integers give the same.
class NpbRandom {
 public:
  explicit NpbRandom(std::uint64_t seed = 314159265) : x_(seed) {}
  /// x, below 2^46.
  std::uint64_t next() { return x_ = x_ * multiplier & mask; }  // modulo 2^64 is modulo 2^46, too
  /// As if `next` had been called so often.
  void skip(std::uint64_t n);
  static constexpr int bits = 46;

 private:
  static constexpr std::uint64_t multiplier = 1220703125;  // 5^13
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t x_;
};

/// The keys that a rank of NPB IS draws: a rank's numbers follow those of the rank before it, four a key (create_seq
/// and find_my_seed of is.c).
class IsKeyStream {
 public:
  IsKeyStream(const IsClass& c, int rank, int ranks);
  /// The mean of four numbers times the largest key and one.
  std::int64_t next() {
    std::uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += random_.next();
    return static_cast<std::int64_t>(sum >> shift_);
  }

 private:
  NpbRandom random_;
  int shift_;
};

/// Who has which keys before and behind an iteration of NPB IS. `ranks`: a power of two, at most the number of buckets.
/// Without the twenty keys of rank 0 that is.c changes from iteration to iteration to verify itself.
class IsKeys {
 public:
  IsKeys(const IsClass& c, int ranks);
  const IsClass& of() const { return class_; }
  int ranks() const { return ranks_; }
  /// That each rank draws.
  std::int64_t own() const { return class_.keys() / ranks_; }
  /// Of those of rank `rank` in bucket `bucket`.
  std::int64_t in_bucket(int rank, int bucket) const { return below(rank, bucket + 1) - below(rank, bucket); }
  /// That rank `from` sends to rank `to` (to itself, too), and to those before it.
  std::int64_t sent(int from, int to) const { return sent_before(from, to + 1) - sent_before(from, to); }
  std::int64_t sent_before(int from, int to) const { return below(from, first_bucket(to)); }
  /// That a rank gets, its own ones included.
  std::int64_t received(int rank) const;
  /// Its buckets are `first_bucket(rank)` .. `first_bucket(rank + 1)` - 1: it takes the next ones until all keys up to
  /// there are its share of all, and those of the ranks before it, or more. So behind the last bucket with a key there
  /// are some of nobody, or ranks that have none.
  int first_bucket(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
  /// Values that a rank's keys may have.
  std::int64_t range(int rank) const {
    return static_cast<std::int64_t>(first_bucket(rank + 1) - first_bucket(rank)) << class_.shift();
  }

 private:
  std::size_t index(int rank, int bucket) const {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(class_.buckets() + 1) +
           static_cast<std::size_t>(bucket);
  }
  /// Keys of a rank in the buckets before that one.
  std::int32_t below(int rank, int bucket) const { return below_[index(rank, bucket)]; }
  void count();
  void distribute();

  IsClass class_;
  int ranks_;
  std::vector<std::int32_t> below_;  // by rank, then by bucket and the end of the last
  std::vector<int> begins_;          // by rank, and where the last one's buckets end
};

}  // namespace tsunagi::scenarios
