// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/arrivals.hpp"

#include "scenarios/traffic/offered_load.hpp"

namespace tsunagi::scenarios {

Wide ArrivalRate::mean_gap() const {
  constexpr std::int64_t million = OfferedLoad::whole;
  return static_cast<Wide>(slot.fs()) * million * million / (static_cast<Wide>(load) * share);
}

ArrivalProcess::ArrivalProcess(Arrivals kind, const ArrivalRate& rate)
    : kind_(kind),
      slot_(rate.slot),
      mean_gap_(Time::from_fs(static_cast<std::int64_t>(rate.mean_gap()))),
      load_(rate.share == OfferedLoad::whole ? rate.load : rate.load * rate.share),
      whole_(rate.share == OfferedLoad::whole ? OfferedLoad::whole : OfferedLoad::whole * OfferedLoad::whole),
      burst_(rate.burst) {}

Time ArrivalProcess::gap(stats::RandomStream& random) {
  switch (kind_) {
    case Arrivals::bernoulli:
      return slot_ * (1 + random.failures(load_, whole_));
    case Arrivals::bursts:
      return slot_ * slots_of_bursts(random);
    default:
      return random.exponential(mean_gap_);
  }
}

std::int64_t ArrivalProcess::slots_of_bursts(stats::RandomStream& random) {
  const bool was_on = begun_ || random.chance(load_, whole_);
  begun_ = true;
  if (was_on && !random.chance(1, burst_)) return 1;
  // A slot of being off has passed already if that was what the source began with.
  return (was_on ? 2 : 1) + random.failures(load_, burst_ * (whole_ - load_));
}

}  // namespace tsunagi::scenarios
