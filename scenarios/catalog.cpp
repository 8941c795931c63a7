// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "scenarios/benchmarks/osu.hpp"
#include "scenarios/benchmarks/pcie_bench.hpp"
#include "scenarios/benchmarks/perftest.hpp"
#include "scenarios/benchmarks/posted_receives.hpp"
#include "scenarios/collectives/all_to_all.hpp"
#include "scenarios/collectives/barrier.hpp"
#include "scenarios/collectives/broadcast.hpp"
#include "scenarios/collectives/reduction.hpp"
#include "scenarios/copy.hpp"
#include "scenarios/halo_exchange.hpp"
#include "scenarios/lattice_qcd/cg_halo.hpp"
#include "scenarios/neighbours.hpp"
#include "scenarios/one_sided/get.hpp"
#include "scenarios/one_sided/prepared_puts.hpp"
#include "scenarios/one_sided/put.hpp"
#include "scenarios/pairs.hpp"
#include "scenarios/ping_pong.hpp"
#include "scenarios/random_pairs.hpp"
#include "scenarios/stream.hpp"
#include "scenarios/traffic/traffic.hpp"

namespace tsunagi::scenarios {

const std::vector<ScenarioKind>& catalog() {
  static const std::vector<ScenarioKind> all = {
      {config::kind<PingPongConfig>("ping_pong", "one message to and fro: latency and bandwidth a size"),
       make_ping_pong},
      {config::kind<NeighboursConfig>("neighbours",
                                      "every rank streams to the next and the previous one: bandwidth of all"),
       make_neighbours},
      {config::kind<PairsConfig>("pairs", "one message to and fro between every pair: latency and hops"), make_pairs},
      {config::kind<PutConfig>("put", "prepared puts started together: time and bandwidth a size and count"), make_put},
      {config::kind<PreparedPutsConfig>(
           "prepared_puts", "ping-pong, broadcast, allgather by prepared puts and notifications: time a size"),
       make_prepared_puts},
      {config::kind<GetConfig>("get", "one rank fetches from another: latency and bandwidth a size"), make_get},
      {config::kind<CopyConfig>("copy", "copies between two devices of a node: time and bandwidth a size"), make_copy},
      {config::kind<PcieBenchConfig>("pcie_bench",
                                     "DMA of a card on host memory: latency or bandwidth a window and size"),
       make_pcie_bench},
      {config::kind<PerftestConfig>("perftest",
                                    "ib_write_lat, ib_write_bw and so on: latency or bandwidth of an adapter a size"),
       make_perftest},
      {config::kind<AllToAllConfig>("all_to_all", "every rank puts a block to every other one: time a size"),
       make_all_to_all},
      {config::kind<BroadcastConfig>("broadcast", "one rank's bytes to all ranks: time an algorithm and size"),
       make_broadcast},
      {config::kind<ReductionConfig>("reduction", "all ranks' bytes combined: time an algorithm and size"),
       make_reduction},
      {config::kind<BarrierConfig>("barrier", "all ranks wait for all: time an algorithm"), make_barrier},
      {config::kind<HaloExchangeConfig>(
           "halo_exchange", "faces to the neighbours in a grid of ranks, and computation: time an iteration"),
       make_halo_exchange},
      {config::kind<CgHaloConfig>(
           "cg_halo", "conjugate gradients of lattice QCD on GPUs, faces to the neighbours: time an iteration"),
       make_cg_halo},
      {config::kind<OsuConfig>("osu",
                               "osu_latency, osu_bw and so on: latency or bandwidth of two-sided messages a size"),
       make_osu},
      {config::kind<PostedReceivesConfig>("posted_receives",
                                          "receives posted long before their messages: gap between calls, latency"),
       make_posted_receives},
      {config::kind<RandomPairsConfig>("random_pairs", "random partners exchange messages: rates, fairness a size"),
       make_random_pairs},
      {config::kind<StreamConfig>("stream", "messages back to back one way: sustained bandwidth a size"), make_stream},
      {config::kind<TrafficConfig>("traffic",
                                   "open-loop synthetic traffic: latency and accepted load a row of offered load"),
       make_traffic},
  };
  return all;
}

std::unique_ptr<Scenario> build(const config::AnyConfig& c) {
  for (const ScenarioKind& s : catalog())
    if (s.kind.name == c.kind()) return s.build(c);
  throw std::logic_error("scenario kind without a builder: " + c.kind());
}

}  // namespace tsunagi::scenarios
