// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "scenarios/neighbours.hpp"
#include "scenarios/ping_pong.hpp"
#include "scenarios/stream.hpp"
#include "scenarios/traffic.hpp"

namespace tsunagi::scenarios {

const std::vector<ScenarioKind>& catalog() {
  static const std::vector<ScenarioKind> all = {
      {config::kind<PingPongConfig>("ping_pong", "one message to and fro: latency and bandwidth a size"),
       make_ping_pong},
      {config::kind<NeighboursConfig>("neighbours",
                                      "every rank streams to the next and the previous one: bandwidth of all"),
       make_neighbours},
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
