// SPDX-License-Identifier: Apache-2.0
// Benchmark (d) on htsim: usage htsim_torus LOAD MICROSECONDS. 8x8 torus, packets of 80 bytes (64 of data and 8 of
// header in flits of 16) to uniform random terminals at LOAD of 16 GB/s a terminal, routed dimension by dimension;
// queues without bounds instead of credits.
#include <array>
#include <cstdlib>
#include <random>

#include "htsim_common.hpp"

using namespace compare;

namespace {

constexpr int side = 8;
constexpr int places = side * side;
constexpr int size = 80;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Torus {
  std::vector<std::unique_ptr<Wire>> up, down;
  std::array<std::vector<std::unique_ptr<Wire>>, 4> out;  // x+, x-, y+, y-
  std::vector<std::unique_ptr<Route>> routes;             // from x places + to
  Sink sink;

  Torus() {
    const auto wire = [] { return std::make_unique<Wire>(16, 5'000); };
    for (int i = 0; i < places; ++i) {
      up.push_back(wire());
      down.push_back(wire());
      for (auto& o : out) o.push_back(wire());
    }
    for (int from = 0; from < places; ++from)
      for (int to = 0; to < places; ++to) routes.push_back(way(over(from, to), sink));
  }

 private:
  /// Goes on by the shorter way of each dimension; x first.
  std::vector<Wire*> over(int from, int to) const {
    std::vector<Wire*> all{up[at(from)].get()};
    int x = from % side, y = from / side;
    for (int d; (d = (to % side + side - x) % side) != 0; x = (x + (d <= side / 2 ? 1 : side - 1)) % side)
      all.push_back(out[d <= side / 2 ? 0 : 1][at(y * side + x)].get());
    for (int d; (d = (to / side + side - y) % side) != 0; y = (y + (d <= side / 2 ? 1 : side - 1)) % side)
      all.push_back(out[d <= side / 2 ? 2 : 3][at(y * side + x)].get());
    all.push_back(down[at(to)].get());
    return all;
  }
};

/// Sends at random times until the end.
class Terminal final : public EventSource {
 public:
  Terminal(Torus& torus, int place, double load, simtime_picosec end)
      : EventSource(events(), "terminal"),
        flow_(nullptr),
        torus_(torus),
        place_(place),
        random_(static_cast<std::uint64_t>(place)),
        gap_(load * rate_of_16 / (size * 1e12)),
        end_(end) {
    next();
  }
  void doNextEvent() override {
    if (EventList::now() > end_) return;
    int to = other_(random_);
    if (to >= place_) ++to;
    send(flow_, *torus_.routes[at(place_ * places + to)], size);
    next();
  }

 private:
  void next() { events().sourceIsPendingRel(*this, static_cast<simtime_picosec>(gap_(random_))); }
  PacketFlow flow_;
  Torus& torus_;
  int place_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> gap_;  // ps
  std::uniform_int_distribution<int> other_{0, places - 2};
  simtime_picosec end_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const double load = std::atof(argv[1]);
  const double before = cpu_seconds();
  Torus torus;
  std::vector<std::unique_ptr<Terminal>> terminals;
  const auto end = static_cast<simtime_picosec>(1e6 * std::atof(argv[2]));
  for (int i = 0; i < places; ++i) terminals.push_back(std::make_unique<Terminal>(torus, i, load, end));
  run();
  report("htsim d", static_cast<double>(torus.sink.hops), cpu_seconds() - before, simulated_s());
  return 0;
}
