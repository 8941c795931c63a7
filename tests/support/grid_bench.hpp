// SPDX-License-Identifier: Apache-2.0
// A network with the datagram library, by hand:
//
//   GridBench b(torus({8, 8}));
//   b.program(0, [](comm::Rank& r) { auto q = r.isend(9, {{}, 64_B, {}, {}}); r.wait(q, comm::Milestone::delivered);
//   }); b.run();
//
// One a process, as `Bench`.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank.hpp"
#include "models/catalog.hpp"
#include "models/libraries/datagram/datagram.hpp"
#include "models/router/input_queued_router.hpp"
#include "models/router/link.hpp"
#include "models/router/router.hpp"
#include "models/router/terminal.hpp"
#include "support/catch.hpp"
#include "support/explained.hpp"
#include "support/print.hpp"
#include "topo/graph.hpp"
#include "topo/grid_topologies.hpp"

namespace tsunagi::test {

/// What a network is made of; whole-number times by default: 1 ns a cycle and a flit, 5 ns of flight.
struct Network {
  std::string kind = "torus";
  std::vector<std::int64_t> sizes;  // none: a crossbar
  int terminals = 1;
  router::RouterConfig router = [] {
    router::RouterConfig c;
    c.buffer_flits = 64;
    return c;
  }();
  router::TerminalConfig terminal = {};
  router::LinkConfig link = {};
  std::optional<router::InputQueuedRouterConfig> input_queued = {};  // in place of `router`
  topo::GridRouting routes = topo::GridRouting::dimension_order;
};

/// The same network of input-queued routers.
inline Network input_queued(Network n, const std::function<void(router::InputQueuedRouterConfig&)>& change = {}) {
  n.input_queued.emplace();
  static_cast<router::RouterConfig&>(*n.input_queued) = n.router;
  if (change) change(*n.input_queued);
  return n;
}

inline Network ring(int nodes) { return {"torus", {nodes}}; }
inline Network torus(std::vector<std::int64_t> sizes) { return {"torus", std::move(sizes)}; }
inline Network mesh(std::vector<std::int64_t> sizes) { return {"mesh", std::move(sizes)}; }
inline Network crossbar(int terminals) { return {"crossbar", {}, terminals}; }

/// A crossbar of input-queued routers with one virtual channel: all that an input has stands in one FIFO.
inline Network fifo_crossbar(int terminals, const std::function<void(router::InputQueuedRouterConfig&)>& change = {}) {
  Network n = crossbar(terminals);
  n.router.virtual_channels = n.link.virtual_channels = 1;
  return input_queued(n, change);
}

template <class C>
config::AnyConfig any_of(const char* kind, C c) {
  auto holder = std::make_shared<config::ConfigHolder<C>>();
  holder->value = std::move(c);
  return {kind, std::move(holder)};
}

inline topo::NetworkParts parts_of(const Network& n) {
  const config::AnyConfig router =
      n.input_queued ? any_of("input_queued_router", *n.input_queued) : any_of("router", n.router);
  return {{any_of("terminal", n.terminal)}, router, any_of("link", n.link), {}};
}

inline topo::Graph graph_of(const Network& n) {
  const topo::NetworkParts parts = parts_of(n);
  if (n.kind == "crossbar") return topo::build(any_of("crossbar", topo::CrossbarConfig{n.terminals, parts}));
  return topo::build(any_of(n.kind.c_str(), topo::GridConfig{n.sizes, n.terminals, {n.routes, {}}, parts}));
}

class GridBench {
 public:
  /// `explained`: every wait of a packet is kept, and has to be explained in the end.
  explicit GridBench(const Network& n, int max_train = 1, const std::string& findings = {}, bool explained = true)
      : GridBench(graph_of(n), max_train, findings, explained) {}
  explicit GridBench(topo::Graph graph, int max_train = 1, const std::string& findings = {}, bool explained = true)
      : machine_(sim_, std::move(graph), model_catalog(), 1, max_train, findings), library_({}, machine_) {
    if (max_train > 1 || !explained) return;
    history_ = std::make_unique<explain::History>(machine_.channels());
    machine_.listen(*history_);
  }

  void program(int rank, std::function<void(comm::Rank&)> f) {
    sim_.spawn("rank " + std::to_string(rank), [this, rank, f = std::move(f)](Fiber& fiber) {
      comm::Rank r(world_, fiber, rank);
      f(r);
      world_.finish(fiber, rank);
    });
  }
  /// Runs until nothing moves. What it found out about its own foresight, if that was wrong; the run is then to be done
  /// again with it.
  std::string attempt(Time limit = 1_s) {
    try {
      sim_.run(limit);
    } catch (...) {  // what a wrong foresight leads to does not count
      if (!machine_.foresight().refuted()) throw;
    }
    return machine_.foresight().refuted() ? machine_.foresight().findings() : std::string();
  }
  /// Runs until nothing moves; everything must be home then.
  void run(Time limit = 1_s) {
    REQUIRE(sim_.run(limit));
    REQUIRE(sim_.unfinished().empty());
    CHECK(machine_.leftovers() == std::vector<std::string>{});
    CHECK(world_.leftovers() == std::vector<std::string>{});
    if (history_ != nullptr) CHECK(unexplained(*history_) == "");
  }
  sim::Simulation& sim() { return sim_; }
  Machine& machine() { return machine_; }
  libraries::Datagram& library() { return library_; }
  comm::World& world() { return world_; }

 private:
  sim::Simulation sim_;
  std::unique_ptr<explain::History> history_;
  Machine machine_;
  libraries::Datagram library_;
  comm::World world_{library_};
};

/// A message of `n` bytes, sent now; returns when it is delivered.
inline comm::Request deliver(comm::Rank& rank, int to, Bytes n) {
  comm::Request q = rank.isend(to, {{}, n, {}, {}});
  rank.wait(q, comm::Milestone::delivered);
  return q;
}

/// Fifteen senders of a crossbar of 16 share the wire to one receiver packet by packet, and keep it full.
inline void expect_fair_incast(const Network& n) {
  GridBench b(n);
  constexpr int messages = 40;
  std::vector<Time> last(16);
  for (int from = 1; from < 16; ++from)
    b.program(from, [&last, from](comm::Rank& r) {
      std::vector<comm::Request> all;
      for (int i = 0; i < messages; ++i) all.push_back(r.isend(0, {{}, 64_B, {}, {}}));
      for (const comm::Request& q : all) r.wait(q, comm::Milestone::delivered);
      last[static_cast<std::size_t>(from)] = r.now();
    });
  b.run();
  const Time end = *std::max_element(last.begin(), last.end());
  CHECK(end == 1_ns + 5_ns * 2 + 3_ns + 5_ns * (15 * messages) + 1_ns);
  for (int from = 1; from < 16; ++from) CHECK(last[static_cast<std::size_t>(from)] > end - 5_ns * 15);
}

}  // namespace tsunagi::test
