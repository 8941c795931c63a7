// SPDX-License-Identifier: Apache-2.0
// The hold model on the kernel's own timed events, which the agenda replaces: a process of its own, because SystemC
// elaborates once.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <systemc>

namespace tsunagi::bench {
namespace {

/// So many methods, each of which triggers itself again after up to 1 ns.
class Holders : public sc_core::sc_module {
 public:
  Holders(const sc_core::sc_module_name& name, std::int64_t pending) : sc_core::sc_module(name) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    for (std::int64_t i = 0; i < pending; ++i)
      sc_core::sc_spawn([this] { ring(); }, sc_core::sc_gen_unique_name("holder"), &options);
  }
  std::int64_t wakeups() const { return wakeups_; }

 private:
  void ring() {
    ++wakeups_;
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    sc_core::next_trigger(sc_core::sc_time::from_value(1 + (state_ >> 44)));
  }
  std::uint64_t state_ = 1;
  std::int64_t wakeups_ = 0;
};

struct Measured {
  double seconds = 0;
  std::int64_t wakeups = 0;
};

Measured hold(std::int64_t pending) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  Holders holders("holders", pending);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto begin = std::chrono::steady_clock::now();
  // About two million wake-ups at one every 0.52 ns a holder.
  sc_core::sc_start(sc_core::sc_time(1'048'576.0 / static_cast<double>(pending), sc_core::SC_NS));
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), holders.wakeups()};
}

void kernel_hold(benchmark::State& state) {
  std::int64_t wakeups = 0;
  for (auto _ : state) {
    int fd[2];
    if (pipe(fd) != 0) return state.SkipWithError("no pipe");
    const pid_t child = fork();
    if (child < 0) return state.SkipWithError("no process");
    if (child == 0) {
      const Measured m = hold(state.range(0));
      _exit(write(fd[1], &m, sizeof m) == sizeof m ? 0 : 1);
    }
    close(fd[1]);
    Measured m;
    if (read(fd[0], &m, sizeof m) != sizeof m) state.SkipWithError("the simulation failed");
    close(fd[0]);
    waitpid(child, nullptr, 0);
    state.SetIterationTime(m.seconds);
    wakeups += m.wakeups;
  }
  state.SetItemsProcessed(wakeups);
}
BENCHMARK(kernel_hold)
    ->Name("kernel/hold")
    ->Arg(16)
    ->Arg(1000)
    ->Arg(20000)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tsunagi::bench
