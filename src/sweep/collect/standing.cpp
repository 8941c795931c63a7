// SPDX-License-Identifier: Apache-2.0
#include "sweep/collect/standing.hpp"

#include <set>

namespace tsunagi::sweep {

Standing standing(const Points& points, const Results& results, const HandOf& hand, const StandingTold& told) {
  Standing out;
  for (std::size_t i = 0; i < points.size; ++i) {
    const Point point = points.at(i);
    std::optional<Result> result;
    try {
      result = results.find(point.id);
    } catch (const DamagedResult& e) {
      told.complaint(e.what());
    }
    if (result) {
      ++(result->ok ? out.done : out.failed);
      if (!result->ok) told.failure(point, *result);
      continue;
    }
    const Hand whose = hand(point.id);
    ++(whose == Hand::running ? out.running : whose == Hand::queued ? out.queued : out.missing);
  }
  return out;
}

Missing missing(const Points& points, const Results& results, const HandOf& hand, std::uint64_t count,
                bool retry_failed) {
  const auto is_missing = [&](const std::string& id) {
    try {
      const std::optional<Result> result = results.find(id);
      return !result || (!result->ok && retry_failed);
    } catch (const DamagedResult&) {
      return true;
    }
  };
  Missing out;
  std::set<std::uint64_t> shards;
  for (std::size_t i = 0; i < points.size; ++i) {
    const std::string id = points.at(i).id;
    if (!is_missing(id)) continue;
    if (hand(id) != Hand::nobody) {
      ++out.in_hand;
      continue;
    }
    ++out.points;
    shards.insert(Shard::number_of(id, count));
  }
  out.shards.assign(shards.begin(), shards.end());
  return out;
}

}  // namespace tsunagi::sweep
