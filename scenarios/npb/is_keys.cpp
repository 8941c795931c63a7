// SPDX-License-Identifier: Apache-2.0
#include "scenarios/npb/is_keys.hpp"

namespace tsunagi::scenarios {

void NpbRandom::skip(std::uint64_t n) {
  std::uint64_t power = multiplier;  // to 2^i
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) x_ = x_ * power & mask;
    power = power * power & mask;
  }
}

IsKeyStream::IsKeyStream(const IsClass& c, int rank, int ranks) : shift_(NpbRandom::bits + 2 - c.max_key_log2) {
  random_.skip(static_cast<std::uint64_t>(c.keys() / ranks * 4 * rank));
}

IsKeys::IsKeys(const IsClass& c, int ranks)
    : class_(c),
      ranks_(ranks),
      below_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(c.buckets() + 1)),
      begins_(static_cast<std::size_t>(ranks) + 1, c.buckets()) {
  count();
  distribute();
}

void IsKeys::count() {
  for (int rank = 0; rank < ranks_; ++rank) {
    IsKeyStream keys(class_, rank, ranks_);
    std::int32_t* mine = &below_[index(rank, 0)];
    for (std::int64_t i = own(); i > 0; --i) ++mine[1 + (keys.next() >> class_.shift())];
    for (int bucket = 0; bucket < class_.buckets(); ++bucket) mine[bucket + 1] += mine[bucket];
  }
}

/// The loop of is.c that makes `process_bucket_distrib_ptr1` and `send_count`.
void IsKeys::distribute() {
  begins_.front() = 0;
  std::int64_t sum = 0;
  int rank = 0;
  for (int bucket = 0; bucket < class_.buckets() && rank < ranks_; ++bucket) {
    for (int from = 0; from < ranks_; ++from) sum += in_bucket(from, bucket);
    if (sum >= own() * (rank + 1)) begins_[static_cast<std::size_t>(++rank)] = bucket + 1;
  }
}

std::int64_t IsKeys::received(int rank) const {
  std::int64_t n = 0;
  for (int from = 0; from < ranks_; ++from) n += sent(from, rank);
  return n;
}

}  // namespace tsunagi::scenarios
