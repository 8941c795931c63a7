// SPDX-License-Identifier: Apache-2.0
// What single operations of the core cost.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/simulation.hpp"
#include "units/clock.hpp"
#include "units/rate.hpp"

namespace tsunagi::bench {
namespace {

/// Gaps of a pseudo-random sequence, the same in every run.
class Gaps {
 public:
  Time next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return Time::from_fs(1 + static_cast<std::int64_t>(state_ >> 44));  // up to 1 ns
  }

 private:
  std::uint64_t state_ = 1;
};

struct Holder final : sim::Alarm {
  Holder(sim::Agenda& a, Gaps& g) : Alarm(sim::Phase::arrive), agenda(a), gaps(g) {}
  void ring() override { agenda.arm(*this, agenda.now() + gaps.next()); }
  sim::Agenda& agenda;
  Gaps& gaps;
};

/// Hold model: every alarm that rings is armed again; so many are always pending.
void agenda_hold(benchmark::State& state) {
  sim::Agenda agenda;
  Gaps gaps;
  std::vector<std::unique_ptr<Holder>> alarms;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    alarms.push_back(std::make_unique<Holder>(agenda, gaps));
    agenda.arm(*alarms.back(), gaps.next());
  }
  for (auto _ : state) agenda.ring_due(agenda.next());
  state.SetItemsProcessed(static_cast<std::int64_t>(agenda.wakeups()));
}
BENCHMARK(agenda_hold)->Name("agenda/hold")->Arg(16)->Arg(1000)->Arg(20000);

void clock_edge(benchmark::State& state) {
  const Clock clock{Frequency(state.range(0))};
  Time t;
  for (auto _ : state) benchmark::DoNotOptimize(t = clock.after(t + Time::from_fs(1234567), 3));
}
BENCHMARK(clock_edge)->Name("clock/after")->Arg(250'000'000)->Arg(2'600'000'000);

void rate_time(benchmark::State& state) {
  const Rate rate = Rate::bytes_in(state.range(0), 1'015'625);
  Remainder remainder;
  for (auto _ : state) benchmark::DoNotOptimize(rate.time(Bytes(280), remainder));
}
BENCHMARK(rate_time)->Name("rate/time")->Arg(1)->Arg(8);

}  // namespace
}  // namespace tsunagi::bench
