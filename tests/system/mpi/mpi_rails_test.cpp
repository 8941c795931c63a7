// SPDX-License-Identifier: Apache-2.0
// Messages of library mpi over two rails of a card; one machine a test.
#include "models/host/core.hpp"
#include "models/infiniband/hca.hpp"
#include "support/child.hpp"
#include "system/mpi/mpi_pair.hpp"

namespace mpi_rails_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// One way, in the middle of a ping-pong.
Time latency(const std::string& size, const Overrides& more) {
  Overrides all = mpi_pair(more);
  all.push_back({"/scenario/sizes", "[" + in_quotes(size) + "]"});
  return cell<Time>(rows_of(mpi_run, all).rows.front(), "latency");
}

Overrides with(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const config::Override one_rail = {"/library/rails", R"(["hca.port1"])"};

/// A long message while one of the cables is as long as 40 us: it is there when all of its bytes are.
void check_slow_rail(int slow) {
  ProgramBench b(mpi_run,
                 mpi_pair({{"/machine/topology/links/" + std::to_string(slow) + "/wire/flight", "\"40 us\""}}));
  const comm::Buffer there = bytes(100'001_B, 64_KiB);
  Time done;
  b.program(0, [](comm::Rank& r) { r.world().send(1, 7, bytes(100'001_B)); });
  b.program(1, [&](comm::Rank& r) {
    r.world().recv(0, 7, there);
    done = r.now();
  });
  b.run();
  CHECK(written_once(b, 1, there, done) == "");
  // The bytes of that rail come behind at least one other envelope that took the same way, or the fast one.
  CHECK(done > 40_us);
}

/// Packets that left a card by a port.
std::int64_t packets(ProgramBench& b, const std::string& card, std::size_t port) {
  return b.machine().get<infiniband::Hca>(card).ports()[port].channel().counters().packets;
}

/// The same nodes with two cards of one port, each in a slot of its own, and perhaps a GPU.
Overrides two_cards(const Overrides& more = {}, bool gpu = false) {
  const auto use = [](const std::string& part) {
    return R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/parts/" + part + R"("})";
  };
  const auto link = [&](const std::string& a, const std::string& b, const std::string& wire) {
    return R"({"ends": [")" + a + R"(", ")" + b + R"("], "wire": )" + use(wire) + "}";
  };
  Overrides all;
  for (const std::string node : {"node0", "node1"}) {
    const std::string devices = "/machine/topology/devices/" + node;
    const std::string slot = gpu ? R"(, {"name": "slot2", "window_base": "256 GiB", "window_size": "272 MiB"}])" : "]";
    if (gpu)
      all.push_back({devices + "/devices/gpu0",
                     R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/parts/k20.json", "bar_base": "256 GiB"})"});
    all.insert(all.end(), {{devices + "/devices/hca2",
                            R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/parts/connectx_3.json", "bar_base": "513 GiB"})"},
                           {devices + "/devices/rc/slots",
                            R"([{"name": "slot0", "window_base": "512 GiB", "window_size": "64 KiB"},
              {"name": "slot1", "window_base": "513 GiB", "window_size": "64 KiB"})" +
                                slot},
                           {devices + "/links",
                            "[" + link("core0.bus", "rc.core0", "on_chip_bus.json") + "," +
                                link("rc.memory", "memory.bus", "on_chip_bus.json") + "," +
                                link("rc.slot0", "hca.pcie", "pcie_gen3_x8.json") + "," +
                                link("rc.slot1", "hca2.pcie", "pcie_gen3_x8.json") +
                                (gpu ? "," + link("rc.slot2", "gpu0.pcie", "pcie_gen2_x16.json") : "") + "]"}});
  }
  all.push_back(
      {"/machine/topology/links", "[" + link("node0.hca.port1", "node1.hca.port1", "infiniband_fdr10_4x.json") + "," +
                                      link("node0.hca2.port1", "node1.hca2.port1", "infiniband_fdr10_4x.json") + "]"});
  all.push_back({"/library/rails", R"(["hca.port1", "hca2.port1"])"});
  return with(all, more);
}

/// Eight short messages of rank 0: how many more packets it sends by the first port than by the second.
std::int64_t more_by_first_port(const std::string& policy) {
  const Overrides all = mpi_pair({{"/library/rail_policy", in_quotes(policy)}});
  return std::stoll(in_child([&] {
    ProgramBench b(mpi_run, all);
    b.program(0, [](comm::Rank& r) {
      for (int i = 0; i < 8; ++i) r.world().send(1, 7, bytes(1_KiB));
    });
    b.program(1, [](comm::Rank& r) {
      for (int i = 0; i < 8; ++i) r.world().recv(0, 7, bytes(1_KiB));
    });
    b.run();
    return std::to_string(packets(b, "node0.hca", 1) - packets(b, "node0.hca", 2));
  }));
}

}  // namespace

TEST_CASE("mpi: a long message over two rails saves half of a link's time") {
  // 256 packets of 2,048 B and 28 of headers and delimiters at 5 GB/s.
  const Time half = Time::from_fs(std::int64_t{256} * 2'076 * 200'000);
  const Time one = latency("1 MiB", with(wide_slots(), {one_rail})), two = latency("1 MiB", wide_slots());
  CAPTURE(one, two);
  // Another write and another finished message.
  CHECK(one - two < half);
  CHECK(one - two > half - 1_us);
}

TEST_CASE("mpi: over two rails of one card the slot is the bottleneck") {
  const report::Rows rows =
      rows_of("mpi_bw", mpi_pair({{"/scenario/sizes", R"(["64 KiB"])"}, {"/scenario/large_iterations", "1"}}));
  Rate slot;
  for (const report::Ceiling& c : rows.ceilings)
    if (c.name.find("PCIe writes") == 0) slot = c.rate;
  const Time bytes_alone = slot.time(1_MiB), took = latency("1 MiB", {});
  CAPTURE(bytes_alone, took);
  CHECK(took > bytes_alone);
  // Ready to send, clear to send, and the write.
  CHECK(took < bytes_alone + 8_us);
}

TEST_CASE("mpi: a message that was cut is there when its bytes of the first rail are") { check_slow_rail(0); }
TEST_CASE("mpi: a message that was cut is there when its bytes of the second rail are") { check_slow_rail(1); }

TEST_CASE("mpi: messages up to the threshold go by one rail, and a long one in pieces of 4 MiB") {
  const auto writes = [](const std::string& size, const Overrides& more) {
    const report::Rows rows = rows_of(mpi_run, with(mpi_pair({{"/scenario/sizes", "[" + in_quotes(size) + "]"},
                                                              {"/scenario/large_iterations", "1"},
                                                              {"/scenario/large_warm_up", "0"}}),
                                                    more));
    const report::StepAccount* step = rows.rows.front().accounts()->find("post the write");
    return step == nullptr ? 0 : step->calls / 2;  // both ways
  };
  CHECK(writes("64 KiB", {}) == 2);
  CHECK(writes("64 KiB", {one_rail}) == 1);
  CHECK(writes("64 KiB", {{"/library/stripe_above", "\"64 KiB\""}}) == 1);
  CHECK(writes("65537 B", {{"/library/stripe_above", "\"64 KiB\""}}) == 2);
  CHECK(writes("4 MiB", {one_rail}) == 1);
  CHECK(writes("9 MiB", {one_rail}) == 3);
  CHECK(writes("9 MiB", {}) == 6);
  // The last piece is not cut.
  CHECK(writes("8200 KiB", {}) == 5);
}

TEST_CASE("mpi: short messages take turns on the ports, or keep to the first") {
  CHECK(more_by_first_port("use_first") >= 8);
  CHECK(std::abs(more_by_first_port("fixed_mapping")) <= 1);
  CHECK(std::abs(more_by_first_port("round_robin")) <= 1);
}

TEST_CASE("mpi: over two cards neither slot is the bottleneck, and short messages keep to the first card") {
  const Time half = Time::from_fs(std::int64_t{256} * 2'076 * 200'000);
  const Overrides first_card = {{"/library/rails", R"(["hca.port1"])"}};
  const Time one = latency("1 MiB", two_cards(first_card)), two = latency("1 MiB", two_cards());
  CAPTURE(one, two);
  CHECK(one - two < half);
  CHECK(one - two > half - 1_us);
  ProgramBench b(mpi_run, mpi_pair(two_cards()));
  b.all([](comm::Rank& r) {
    comm::Group g = r.world();
    for (int i = 0; i < 8; ++i)
      if (r.id() == 0)
        g.send(1, 7, bytes(1_KiB));
      else
        g.recv(0, 7, bytes(1_KiB));
  });
  b.run();
  CHECK(packets(b, "node0.hca", 1) >= 8);
  CHECK(packets(b, "node0.hca2", 1) == 0);
}

TEST_CASE("mpi: slots are written by both cards where they take turns") {
  ProgramBench b(mpi_run,
                 mpi_pair(two_cards({{"/library/rail_policy", "\"round_robin\""}, {"/library/fast_path/after", "0"}})));
  b.all([](comm::Rank& r) {
    comm::Group g = r.world();
    for (int i = 0; i < 8; ++i)
      if (r.id() == 0)
        g.send(1, 7, bytes(1_KiB, 1_KiB * i));
      else
        g.recv(0, 7, bytes(1_KiB, 1_KiB * i));
  });
  CHECK(b.attempt() == "");
  // Each look is at both cards.
  const std::vector<comm::Accounts::Step> steps = b.library().accounts().steps();
  const auto look = std::find_if(steps.begin(), steps.end(), [](const comm::Accounts::Step& s) {
    return s.name == std::string("look at the completion queues");
  });
  REQUIRE(look != steps.end());
  const host::CoreConfig& core = b.machine().get<host::Core>("node0.core0").config();
  const Clock clock(core.clock);
  CHECK(look->total > clock.cycles(2 * core.poll_cycles - 1) * look->calls);
  CHECK(look->total < clock.cycles(2 * core.poll_cycles + 1) * look->calls);
  CHECK(packets(b, "node0.hca", 1) >= 4);
  CHECK(packets(b, "node0.hca2", 1) >= 4);
  CHECK(written_once(b, 1, bytes(8_KiB)) == "");
}

TEST_CASE("mpi: cards of both rails read and write a GPU") {
  ProgramBench b(mpi_run,
                 mpi_pair(two_cards(
                     {{"/library/cuda", R"({"kind": "cuda"})"}, {"/library/gpu/direct_limit", "\"64 KiB\""}}, true)));
  b.all([](comm::Rank& r) {
    const comm::Buffer there = {0_B, 64_KiB, "gpu0", {}, {}};
    if (r.id() == 0)
      r.world().send(1, 7, there);
    else
      r.world().recv(0, 7, there);
  });
  CHECK(b.attempt() == "");
  // Half of 32 packets, and what says that they are there.
  CHECK(packets(b, "node0.hca", 1) >= 17);
  CHECK(packets(b, "node0.hca2", 1) >= 17);
}

TEST_CASE("mpi: blocks of a GPU go by the first rail, or are cut over all rails") {
  // Packets that go by the first and by the second rail, of a message of four blocks of 128 KiB, from a GPU to
  // `target`.
  const auto counts = [](const std::string& all_rails, const std::string& target) {
    return in_child([&] {
      ProgramBench b(mpi_run, mpi_pair(two_cards({{"/library/cuda", R"({"kind": "cuda"})"},
                                                  {"/library/gpu/block", "\"128 KiB\""},
                                                  {"/library/gpu/all_rails", all_rails}},
                                                 true)));
      b.all([&](comm::Rank& r) {
        if (r.id() == 0)
          r.world().send(1, 7, {0_B, 512_KiB, "gpu0", {}, {}});
        else
          r.world().recv(0, 7, {0_B, 512_KiB, target, {}, {}});
      });
      REQUIRE(b.attempt() == "");
      return std::to_string(packets(b, "node0.hca", 1)) + " " + std::to_string(packets(b, "node0.hca2", 1));
    });
  };
  // 256 packets of 2 KiB, and four messages that say so, or one, on each rail; a ready to send, and an acknowledgement
  // of the clear to send.
  CHECK(counts("false", "gpu0") == "262 0");
  CHECK(counts("true", "gpu0") == "134 132");
  CHECK(counts("true", "") == "131 129");
}

TEST_CASE("mpi: both directions at once over two rails") {
  ProgramBench b(mpi_run, mpi_pair());
  b.all([](comm::Rank& r) {
    comm::Group g = r.world();
    const int peer = 1 - r.id();
    std::vector<comm::Request> all;
    for (int i = 0; i < 4; ++i) all.push_back(g.irecv(peer, i, bytes(300'000_B, 4_MiB + 512_KiB * i)));
    for (int i = 0; i < 4; ++i) all.push_back(g.isend(peer, 3 - i, bytes(300'000_B, 512_KiB * i)));
    g.wait_all(all);
  });
  b.run();
  for (int rank : {0, 1})
    for (int i = 0; i < 4; ++i) CHECK(written_once(b, rank, bytes(300'000_B, 4_MiB + 512_KiB * i)) == "");
}

TEST_CASE("mpi: what rails cannot be is refused before time 0") {
  CHECK_THAT(refusal(mpi_run, mpi_pair({{"/library/rails", R"(["hca.port1", "card.port2"])"}})),
             Catch::Contains("card"));
  CHECK_THAT(refusal(mpi_run, {{"/library/rails", R"(["hca.port1", "hca.port2"])"}}), Catch::Contains("port"));
  CHECK_THAT(refusal(mpi_run, mpi_pair({{"/library/stripe_above", "\"8 B\""}})), Catch::Contains("stripe_above"));
  CHECK_THAT(refusal(mpi_run, mpi_pair({{"/library/rendezvous", "\"r3\""}, {"/library/r3_window", "\"8 MiB\""}})),
             Catch::Contains("\"r3_window\" is more than the 256 receives of 17 KiB"));
  CHECK_THAT(refusal(mpi_run, mpi_pair({{"/library/rail_policy", "\"any\""}})), Catch::Contains("fixed_mapping"));
  CHECK_THAT(refusal(mpi_run, mpi_pair({{"/library/rendezvous", "\"put\""}})), Catch::Contains("rput"));
}

}  // namespace mpi_rails_test
