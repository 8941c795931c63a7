// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "scenarios/all_to_all.hpp"
#include "scenarios/get.hpp"
#include "scenarios/neighbours.hpp"
#include "scenarios/pairs.hpp"
#include "scenarios/ping_pong.hpp"
#include "scenarios/put.hpp"
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
      {config::kind<PairsConfig>("pairs", "one message to and fro between every pair: latency and hops"), make_pairs},
      {config::kind<PutConfig>("put", "prepared puts started together: time and bandwidth a size and count"), make_put},
      {config::kind<GetConfig>("get", "one rank fetches from another: latency and bandwidth a size"), make_get},
      {config::kind<AllToAllConfig>("all_to_all", "every rank puts a block to every other one: time a size"),
       make_all_to_all},
      {config::kind<StreamConfig>("stream", "messages back to back one way: sustained bandwidth a size"), make_stream},
      {config::kind<TrafficConfig>("traffic",
                                   "open-loop synthetic traffic: latency and accepted load a row of offered load"),
       make_traffic},
  };
  return all;
}

void check_method(const std::string& method, const std::vector<std::string>& known) {
  if (method.empty() || std::find(known.begin(), known.end(), method) != known.end()) return;
  std::string names;
  for (const std::string& k : known) names += (names.empty() ? "" : ", ") + k;
  throw config::error_at("/scenario/methods",
                         "the library has no method \"" + method + "\"; methods: " + (names.empty() ? "none" : names));
}

std::unique_ptr<Scenario> build(const config::AnyConfig& c) {
  for (const ScenarioKind& s : catalog())
    if (s.kind.name == c.kind()) return s.build(c);
  throw std::logic_error("scenario kind without a builder: " + c.kind());
}

}  // namespace tsunagi::scenarios
