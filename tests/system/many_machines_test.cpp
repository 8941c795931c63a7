// SPDX-License-Identifier: Apache-2.0
// Machines come and go without a trace in the kernel or on the heap.
#include <malloc.h>

#include <systemc>

#include "experiment/simulate.hpp"
#include "machine/machine.hpp"
#include "models/catalog.hpp"
#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "topo/graph.hpp"

namespace many_machines_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Bytes of the heap in use; always 0 under AddressSanitizer, which finds leaks itself.
std::size_t heap() { return ::mallinfo2().uordblks; }

}  // namespace

TEST_CASE("ten thousand machines are built and destroyed in one process") {
  const RunConfig run = run_of("head_of_line", {});
  const topo::Graph graph = topo::build(run.machine.topology);
  sim::Simulation sim;
  std::size_t before = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (i == 1000) before = heap();  // the kernel's tables have grown to their size
    const Machine machine(sim, graph, model_catalog());
  }
  CHECK(heap() <= before + 4096);
  CHECK(sc_core::sc_find_object("tsunagi")->get_child_objects().size() == 1);  // the agenda
}

TEST_CASE("a machine of each shipped run is built and destroyed two thousand times") {
  for (const char* name : {"tca_ping_pong", "ring_traffic", "cuda_peer_ping_pong"}) {
    CAPTURE(name);
    const std::string grown = in_child([&] {
      const RunConfig run = run_of(name, {});
      const topo::Graph graph = topo::build(run.machine.topology);
      sim::Simulation sim;
      std::size_t before = 0;
      for (int i = 0; i < 2000; ++i) {
        if (i == 1000) before = heap();
        const Machine machine(sim, graph, model_catalog(), 1, 64);
      }
      return std::to_string(heap() > before + 4096 ? heap() - before : 0);
    });
    CHECK(grown == "0");
  }
}

}  // namespace many_machines_test
