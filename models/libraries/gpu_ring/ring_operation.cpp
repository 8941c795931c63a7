// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/gpu_ring/ring_operation.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "units/parse.hpp"

namespace tsunagi::libraries {

using Kind = comm::QueuedCollective::Kind;

namespace {

std::string text(const std::vector<int>& ranks) {
  std::string out;
  for (const int rank : ranks) out += (out.empty() ? "" : "+") + std::to_string(rank);
  return out.empty() ? "nobody" : out;
}

std::string place(Bytes at, Bytes size) { return to_string(size) + " from byte " + std::to_string(at.count()); }

}  // namespace

RingContent RingOperation::combined(int rank, const RingBlock& b, const std::vector<const RingContent*>& came,
                                    bool own) const {
  RingContent out{number_, b.offset, b.size, {}};
  if (own) out.of.push_back(rank);
  for (const RingContent* c : came) {
    if (c->operation != number_ || c->at != b.offset || c->size != b.size)
      throw std::runtime_error("rank " + std::to_string(rank) + " takes " + place(b.offset, b.size) + " of call " +
                               std::to_string(number_) + ", but has got " + place(c->at, c->size) + " of call " +
                               std::to_string(c->operation));
    for (const int of : c->of) {
      const auto at = std::lower_bound(out.of.begin(), out.of.end(), of);
      if (at != out.of.end() && *at == of)
        throw std::runtime_error("rank " + std::to_string(rank) + " combines what rank " + std::to_string(of) +
                                 " brought twice");
      out.of.insert(at, of);
    }
  }
  return out;
}

std::vector<RingOperation::Due> RingOperation::due(int rank) const {
  const int n = ranks();
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  const Bytes part(call_.size.count() / n);
  switch (call_.kind) {
    case Kind::allreduce:
      return {{{}, call_.size, all}};
    case Kind::reduce:
      return rank == call_.root ? std::vector<Due>{{{}, call_.size, all}} : std::vector<Due>{};
    case Kind::reduce_scatter:
      return {{part * rank, part, all}};
    case Kind::send_receive:
      return {{{}, call_.size, {(rank + n - 1) % n}}};
    case Kind::broadcast:
      return {{{}, call_.size, {call_.root}}};
    case Kind::all_gather:
      break;
  }
  std::vector<Due> out;
  for (const int of : all) out.push_back({part * of, part, {of}});
  return out;
}

bool RingOperation::over(int rank) {
  std::vector<RingContent>& kept = kept_[static_cast<std::size_t>(rank)];
  std::sort(kept.begin(), kept.end(), [](const RingContent& a, const RingContent& b) { return a.at < b.at; });
  std::size_t i = 0;
  for (const Due& d : due(rank))
    for (Bytes at = d.at; at < d.at + d.size; at += kept[i++].size) {
      while (i < kept.size() && kept[i].size == Bytes::zero()) ++i;
      if (i == kept.size() || kept[i].at != at || kept[i].of != d.of)
        throw std::runtime_error(
            "rank " + std::to_string(rank) + " should have, of " + text(d.of) + ", what follows byte " +
            std::to_string(at.count()) + " of call " + std::to_string(number_) + ", but has " +
            (i == kept.size() ? "nothing" : place(kept[i].at, kept[i].size) + " of " + text(kept[i].of)));
    }
  kept.clear();
  return ++over_ == ranks();
}

}  // namespace tsunagi::libraries
