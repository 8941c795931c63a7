// SPDX-License-Identifier: Apache-2.0
// Benchmarks (a), (b) and (c) on htsim: usage htsim_flows a|b PACKETS, PACKETS a flow, or htsim_flows c MICROSECONDS.
// Packets follow routes over queues and pipes; no credits, no acknowledgements, queues without bounds.
//   a: 280 bytes on wires of 4 GB/s, one flow over five hops.   b: ring of 16, from every node to both neighbours,
//   three hops each.   c: 15 terminals of a crossbar send 16 packets of 272 bytes each time to one, at 6 % of 16 GB/s
//   each.
#include <cstdlib>
#include <cstring>
#include <random>

#include "htsim_common.hpp"

using namespace compare;

namespace {

constexpr int tlp = 280;
constexpr double rate = 4;  // GB/s
constexpr simtime_picosec flight = 200'000;
constexpr simtime_picosec slot = 70'000;  // of a packet on the wire

/// Sends so many packets along its routes in turn, one each time that the wire is free.
class Source final : public EventSource {
 public:
  Source(std::vector<Route*> routes, std::uint64_t packets)
      : EventSource(events(), "source"), flow_(nullptr), routes_(std::move(routes)), left_(packets) {
    events().sourceIsPending(*this, 0);
  }
  void doNextEvent() override {
    if (left_-- == 0) return;
    send(flow_, *routes_[left_ % routes_.size()], tlp);
    events().sourceIsPendingRel(*this, slot);
  }

 private:
  PacketFlow flow_;
  std::vector<Route*> routes_;
  std::uint64_t left_;
};

/// Sends messages of 16 packets at random times until the end.
class Bursts final : public EventSource {
 public:
  static constexpr int packets = 16;
  static constexpr int size = 272;
  static constexpr double load = 0.06;  // of 16 GB/s
  Bursts(Route& route, unsigned seed, simtime_picosec end)
      : EventSource(events(), "bursts"), flow_(nullptr), route_(route), random_(seed), end_(end) {
    next();
  }
  void doNextEvent() override {
    if (EventList::now() > end_) return;
    for (int i = 0; i < packets; ++i) send(flow_, route_, size);
    next();
  }

 private:
  void next() { events().sourceIsPendingRel(*this, static_cast<simtime_picosec>(gap_(random_))); }
  PacketFlow flow_;
  Route& route_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> gap_{load * rate_of_16 / (packets * size * 1e12)};  // ps
  simtime_picosec end_;
};

/// They live as long as the program.
struct Machine {
  std::vector<std::unique_ptr<Wire>> wires;
  std::vector<std::unique_ptr<Route>> routes;
  std::vector<std::unique_ptr<EventSource>> sources;
  Sink sink;

  Wire* wire(double gigabytes_per_second, simtime_picosec delay) {
    wires.push_back(std::make_unique<Wire>(gigabytes_per_second, delay));
    return wires.back().get();
  }
  Route* route(const std::vector<Wire*>& over) {
    routes.push_back(way(over, sink));
    return routes.back().get();
  }
};

void one_flow(Machine& m, std::uint64_t packets) {
  std::vector<Wire*> over;
  for (int i = 0; i < 5; ++i) over.push_back(m.wire(rate, flight));
  m.sources.push_back(std::make_unique<Source>(std::vector<Route*>{m.route(over)}, packets));
}

/// A host sends to its two neighbours in turn.
void ring(Machine& m, std::uint64_t packets) {
  constexpr std::size_t n = 16;
  std::vector<Wire*> up, down, east, west;
  for (std::size_t i = 0; i < n; ++i)
    for (auto* to : {&up, &down, &east, &west}) to->push_back(m.wire(rate, flight));
  for (std::size_t i = 0; i < n; ++i) {
    Route* next = m.route({up[i], east[i], down[(i + 1) % n]});
    Route* last = m.route({up[i], west[i], down[(i + n - 1) % n]});
    m.sources.push_back(std::make_unique<Source>(std::vector<Route*>{next, last}, 2 * packets));
  }
}

void incast(Machine& m, std::uint64_t microseconds) {
  Wire* down = m.wire(16, 5'000);
  for (unsigned i = 0; i < 15; ++i)
    m.sources.push_back(std::make_unique<Bursts>(*m.route({m.wire(16, 5'000), down}), i, microseconds * 1'000'000));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::strlen(argv[1]) != 1 || std::strchr("abc", *argv[1]) == nullptr) return 2;
  const std::uint64_t n = std::strtoull(argv[2], nullptr, 10);
  const double before = cpu_seconds();
  Machine m;
  *argv[1] == 'a' ? one_flow(m, n) : *argv[1] == 'b' ? ring(m, n) : incast(m, n);
  run();
  report(std::string("htsim ") + argv[1], static_cast<double>(m.sink.hops), cpu_seconds() - before, simulated_s());
  return 0;
}
