// SPDX-License-Identifier: Apache-2.0
// A cluster inside somebody else's SystemC model: how it ends, and what it says then.
#include "cluster/cluster.hpp"

#include <stdexcept>

#include "model/tlm/tlm_bench.hpp"
#include "support/temporary_folder.hpp"

namespace cluster_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr const char* pair = R"({
  "name": "cards",
  "machine": {"name": "pair", "topology": {"kind": "tca", "nodes": 2, "cable": {"kind": "pcie"}, "node": {
    "kind": "group",
    "devices": {
      "core0": {"kind": "core"},
      "memory": {"kind": "memory"},
      "rc": {"kind": "root_complex", "slots": [
        {"name": "slot0", "window_base": "512 GiB", "window_size": "512 GiB"},
        {"name": "slot1", "window_base": "256 GiB", "window_size": "1 MiB"}]},
      "peach2": {"kind": "peach2"},
      "card": {"kind": "tlm_card", "bar_base": "256 GiB"}
    },
    "links": [
      {"ends": ["core0.bus", "rc.core0"], "wire": {"kind": "on_chip"}},
      {"ends": ["rc.memory", "memory.bus"], "wire": {"kind": "on_chip"}},
      {"ends": ["rc.slot0", "peach2.n"], "wire": {"kind": "pcie"}},
      {"ends": ["rc.slot1", "card.pcie"], "wire": {"kind": "pcie"}}
    ]}}},
  "library": {"kind": "tca"}
})";

/// Two nodes with a card each.
struct Pair {
  TemporaryFolder folder;
  Cluster cluster{folder.write("pair.json", pair).string()};
  card::TlmCard& card() const { return cluster.get<card::TlmCard>("node0.card"); }
};

}  // namespace

TEST_CASE("a cluster's programs and a model's traffic end well together") {
  Pair p;
  Initiator dma("dma", p.card());
  Target target("target", p.card());
  int done = 0;
  thread([&] {
    for (;;) {
      dma.write(0x10000000, Data(512, 1));
      ++done;
    }
  });
  tick(10_ns);
  p.cluster.program(0, [](comm::Rank& r) { r.send(1, {0_B, 100_B, "", ""}); });
  p.cluster.program(1, [](comm::Rank& r) { r.recv(0, {0_B, 100_B, "", ""}); });
  sc_core::sc_start(sc(1_ms));
  CHECK(p.cluster.ended());
  CHECK(kernel_time() < 1_ms);
  CHECK(done > 1);
  CHECK_NOTHROW(p.cluster.finish());
}

TEST_CASE("at the limit a cluster says which program waits, and for what") {
  Pair p;
  tick(1_us);
  p.cluster.program(0, [](comm::Rank&) {});
  p.cluster.program(1, [](comm::Rank& r) { r.recv(0, {0_B, 100_B, "", ""}); });
  sc_core::sc_start(sc(1_ms));
  CHECK_FALSE(p.cluster.ended());
  CHECK_THROWS_WITH(p.cluster.finish(), Catch::StartsWith("the kernel has stopped at 1 ms, before the programs' end\n"
                                                          "  rank 1 waits for a write to node1.memory"));
}

TEST_CASE("at the limit a cluster says that a model's target keeps a transaction") {
  Pair p;
  Target target("target", p.card());
  sc_core::sc_event never;
  target.before = [&](tlm::tlm_generic_payload&) { sc_core::wait(never); };
  Initiator other("other", p.cluster.get<card::TlmCard>("node1.card"));
  Initiator dma("dma", p.card());
  tick(1_us);
  thread([&] { dma.write(std::uint64_t{256} << 30, Data(8)); });  // its own window
  p.cluster.program(0, [](comm::Rank& r) { r.wait_until(1_us); });
  sc_core::sc_start(sc(1_ms));
  CHECK_FALSE(p.cluster.ended());
  CHECK_THROWS_WITH(p.cluster.finish(),
                    Catch::StartsWith("the kernel has stopped at 1 ms, before the end of what is under way\n") &&
                        Catch::Contains("\n  node0.card: transactions for the model's target are under way"));
}

TEST_CASE("at the limit a cluster says that a model's write is under way") {
  Pair p;
  Initiator dma("dma", p.card());
  thread([&] { dma.write(0x10000000, Data(1 << 20)); });
  p.cluster.program(0, [](comm::Rank& r) { r.wait_until(1_us); });
  sc_core::sc_start(sc(10_us));
  CHECK_FALSE(p.cluster.ended());
  CHECK_THROWS_WITH(p.cluster.finish(), Catch::StartsWith("the kernel has stopped at 10 us, before the end of what is "
                                                          "under way\n") &&
                                            Catch::Contains("\n  node0.card: transactions of the model's initiator"));
}

TEST_CASE("what a rank's program throws comes out of the cluster") {
  Pair p;
  tick(1_us);
  p.cluster.program(0, [](comm::Rank&) { throw std::runtime_error("rank 0 has had enough"); });
  p.cluster.program(1, [](comm::Rank& r) { r.recv(0, {0_B, 100_B, "", ""}); });
  sc_core::sc_start(sc(1_ms));
  CHECK(kernel_time() == 0_ns);
  CHECK_THROWS_WITH(p.cluster.ended(), "rank 0 has had enough");
  CHECK_THROWS_WITH(p.cluster.finish(), "rank 0 has had enough");
}

TEST_CASE("what a thread of others throws comes out of the kernel's start") {
  Pair p;
  Initiator dma("dma", p.card());
  thread([&] {
    dma.read(0x1000, 64);
    throw std::runtime_error("the model has had enough");
  });
  p.cluster.program(0, [](comm::Rank& r) { r.wait_until(100_us); });
  CHECK_THROWS_WITH(sc_core::sc_start(sc(1_ms)), Catch::Contains("the model has had enough"));
  CHECK_THROWS_WITH(p.cluster.finish(), Catch::Contains("before the programs' end"));
}

TEST_CASE("what a model's target throws comes out of the cluster") {
  Pair p;
  Target target("target", p.card());
  target.before = [](tlm::tlm_generic_payload&) { throw std::runtime_error("the target has had enough"); };
  Initiator dma("dma", p.card());
  thread([&] { dma.write(std::uint64_t{256} << 30, Data(8)); });
  tick(1_us);
  p.cluster.program(0, [](comm::Rank& r) { r.wait_until(100_us); });
  sc_core::sc_start(sc(1_ms));
  CHECK(kernel_time() < 100_us);
  CHECK_THROWS_WITH(p.cluster.finish(), "the target has had enough");
}

TEST_CASE("a signal of the model is remembered by the program that waits for it later") {
  Pair p;
  Signal early(p.cluster);
  Signal late(p.cluster);
  Time heard;
  thread([&] {
    early.set();
    sc_core::wait(sc(50_us));
    late.set();
  });
  p.cluster.program(0, [&](comm::Rank& r) {
    r.wait_until(10_us);
    early.wait(r);
    CHECK(kernel_time() == 10_us);
    late.wait(r);
    heard = kernel_time();
  });
  sc_core::sc_start(sc(1_ms));
  CHECK(heard == 50_us);
  p.cluster.finish();
}

}  // namespace cluster_test
