// SPDX-License-Identifier: Apache-2.0
// Routers that choose: what it gains, what it costs, and that nothing depends on who acts first.
#include <string>
#include <vector>

#include "stats/random.hpp"
#include "support/child.hpp"
#include "support/grid_bench.hpp"
#include "system/simulated.hpp"

namespace adaptive_routes_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;
using topo::GridRouting;

namespace {

/// A grid with so many virtual channels, adaptive or not, of either kind of router.
Network adaptive(Network n, GridRouting routes, int virtual_channels, bool queued = false) {
  n.routes = routes;
  n.router.virtual_channels = n.link.virtual_channels = virtual_channels;
  n.router.buffer_flits = 128;
  return queued ? input_queued(n) : n;
}

/// One of the shipped dragonflies' traffic: shares of the load that are accepted, in percent of what is offered.
std::vector<double> accepted(const std::string& routes, const Overrides& scenario) {
  Overrides all = {{"/machine", R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/machines/dragonfly_72_valiant.json"})"},
                   {"/machine/topology/routes", '"' + routes + '"'},
                   {"/scenario/grid", "[]"},
                   {"/scenario/size", "\"256 B\""},
                   {"/scenario/window", "\"20 us\""}};
  all.insert(all.end(), scenario.begin(), scenario.end());
  std::vector<double> out;
  for (const report::Row& r : rows_of("torus_traffic", all).rows)
    out.push_back(100.0 * static_cast<double>(cell<Bytes>(r, "accepted").count()) /
                  static_cast<double>(cell<Bytes>(r, "offered").count()));
  return out;
}

/// When the messages of random pairs were delivered; every rank has many under way.
std::string under_load(const Network& n, bool reversed, Bytes size = 256_B) {
  return in_child([&] {
    GridBench b(n);
    b.sim().agenda().reverse_ties(reversed);
    const int ranks = b.library().ranks();
    std::string out;
    std::vector<std::string> times(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      b.program(rank, [&, rank](comm::Rank& r) {
        stats::RandomStream random(static_cast<std::uint64_t>(rank), "partners");
        std::vector<comm::Request> all;
        for (int i = 0; i < 40; ++i)
          all.push_back(r.isend(static_cast<int>((rank + 1 + random.below(ranks - 1)) % ranks), {{}, size, {}, {}}));
        for (const comm::Request& q : all) {
          r.wait(q, Milestone::delivered);
          times[static_cast<std::size_t>(rank)] += std::to_string(q.at(Milestone::delivered).fs()) + ' ';
        }
      });
    b.run();
    for (const std::string& t : times) out += t + '\n';
    return out;
  });
}

}  // namespace

TEST_CASE("UGAL takes several times what minimal routes take of a dragonfly's worst traffic") {
  const Overrides shift = {{"/scenario/pattern", "\"shift\""},
                           {"/scenario/distance", "8"},
                           {"/scenario/loads", R"(["12 %", "30 %", "45 %"])"}};
  const std::vector<double> minimal = accepted("minimal", shift);
  CHECK(minimal[1] < 45);  // an eighth of the whole: eight terminals share a global link
  const std::vector<double> ugal = accepted("ugal", shift);
  for (const double share : ugal) CHECK(share > 98.5);
  CHECK(accepted("valiant_by_packet", shift)[1] > 98.5);
}

TEST_CASE("UGAL loses nothing of a dragonfly's uniform traffic where routes over a third group lose half") {
  const Overrides uniform = {{"/scenario/pattern", "\"uniform\""}, {"/scenario/loads", R"(["40 %", "70 %"])"}};
  for (const std::string routes : {"minimal", "ugal"})
    for (const double share : accepted(routes, uniform)) CHECK(share > 99);
  CHECK(accepted("valiant_by_packet", uniform)[1] < 80);
}

TEST_CASE("without traffic beside it a packet takes as long on adaptive routes as on others") {
  const auto times = [](GridRouting routes, bool queued) {
    return in_child([&] {
      GridBench b(adaptive(torus({4, 4}), routes, 6, queued));
      std::string out;
      b.program(5, [&](comm::Rank& r) {
        for (int to = 0; to < r.size(); ++to) {
          if (to == 5) continue;
          const comm::Request q = deliver(r, to, 200_B);
          out += std::to_string((q.at(Milestone::delivered) - q.at(Milestone::posted)).fs()) + ' ';
        }
      });
      b.run();
      return out;
    });
  };
  for (const bool queued : {false, true}) {
    const std::string plain = times(GridRouting::dimension_order, queued);
    CHECK(times(GridRouting::minimal_adaptive, queued) == plain);
    CHECK(times(GridRouting::ugal, queued) == plain);
  }
}

TEST_CASE("packets of one instant choose by what was before it, the next by what they chose") {
  // Ranks 0 and 1 at router 0 of a mesh of 2 x 2, ranks 6 and 7 at router 3: over router 1 or router 2.
  Network n = adaptive(mesh({2, 2}), GridRouting::minimal_adaptive, 2);
  n.terminals = 2;
  GridBench b(n);
  for (const int rank : {0, 1})
    b.program(rank, [](comm::Rank& r) {
      for (int i = 0; i < 20; ++i) r.isend(6 + i % 2, {{}, 256_B, {}, {}});
    });
  b.run();
  const auto sent = [&](const char* port) {
    const net::Device& router = *b.machine().all<router::Router>().front();
    return router.ports()[static_cast<std::size_t>(router.find_port(port))].channel().counters().packets;
  };
  CHECK(sent("d0+") + sent("d1+") == 40);
  CHECK(sent("d0+") >= 18);  // one behind the other they take turns: the longer queue is not joined
  CHECK(sent("d1+") >= 18);
}

TEST_CASE("a packet is ahead of others from when a router has it until its credit is back from the next one") {
  GridBench b(adaptive(ring(4), GridRouting::minimal_adaptive, 2));
  std::vector<int> ahead;  // nanoseconds at which it was
  b.program(0, [](comm::Rank& r) { r.isend(1, {{}, 256_B, {}, {}}); });
  b.sim().spawn("probe", [&](Fiber& f) {
    const net::Device& router = *b.machine().all<router::Router>().front();
    const net::Channel& out = router.ports()[static_cast<std::size_t>(router.find_port("d0+"))].channel();
    for (int t = 1; t < 60; ++t) {
      f.wait_any({}, 1_ns * t, "the next nanosecond");
      if (out.backlog() == 17) ahead.push_back(t);
    }
  });
  b.run();
  // 1 cycle to send, 5 ns of flight, 3 cycles of the router: offered at 9 ns. 5 and 3 more, 17 flits until its tail has
  // left the next router's buffer, 5 for the credit: 39 ns.
  REQUIRE(!ahead.empty());
  CHECK(ahead.front() == 10);
  CHECK(ahead.back() == 39);
  CHECK(ahead.size() == 30);
}

TEST_CASE("adaptive routes carry transposed traffic on a torus that dimension order cannot") {
  const auto share = [](const std::string& routes) {
    const report::Rows rows = rows_of("torus_traffic", {{"/machine/topology/routes", '"' + routes + '"'},
                                                        {"/machine/topology/router/virtual_channels", "6"},
                                                        {"/machine/topology/wire/virtual_channels", "6"},
                                                        {"/scenario/pattern", "\"transpose\""},
                                                        {"/scenario/size", "\"256 B\""},
                                                        {"/scenario/loads", R"(["60 %"])"}});
    return static_cast<double>(cell<Bytes>(rows.rows[0], "accepted").count()) /
           static_cast<double>(cell<Bytes>(rows.rows[0], "offered").count());
  };
  CHECK(share("dimension_order") < 0.5);
  CHECK(share("minimal_adaptive") > 0.98);
}

TEST_CASE("a stream whose first message was overtaken may seem faster than its wire, others may not") {
  const auto stream = [](const std::string& routes) {
    return rows_of("torus_traffic", {{"/machine/topology/kind", "\"mesh\""},
                                     {"/machine/topology/sizes", "[2, 2, 3, 4]"},
                                     {"/machine/topology/routes", '"' + routes + '"'},
                                     {"/machine/topology/seed", "2"},
                                     {"/machine/topology/router/latency", "20"},
                                     {"/machine/topology/router/turns", "\"inputs\""},
                                     {"/machine/topology/router/virtual_channels", "6"},
                                     {"/machine/topology/wire/virtual_channels", "6"},
                                     {"/scenario", R"({"kind": "stream", "sizes": ["5 KiB"], "messages": 20})"}});
  };
  const report::Rows overtaken = stream("valiant");
  const report::Row& row = overtaken.rows.at(0);
  const double wire = 16e9 * 256 / 272;  // of a packet's bytes 16 are its header
  CHECK(static_cast<double>(cell<Bytes>(row, "bytes").count()) * 1e15 >
        wire * static_cast<double>(cell<Time>(row, "time").fs()));
  CHECK(overtaken.ceilings.at(0).burst == 20 * 5_KiB);
  CHECK(stream("dimension_order").ceilings.at(0).burst == 0_B);
}

TEST_CASE("adaptive routes do not depend on the order of simultaneous alarms, and end with the smallest buffers") {
  for (const GridRouting routes : {GridRouting::minimal_adaptive, GridRouting::valiant, GridRouting::ugal})
    for (const bool queued : {false, true})
      for (const bool wrap : {false, true}) {
        CAPTURE(static_cast<int>(routes), queued, wrap);
        Network n = adaptive(wrap ? torus({4, 3}) : mesh({4, 3}), routes, wrap ? 6 : 2, queued);
        n.router.buffer_flits = 17;  // one packet
        if (queued) n.input_queued->buffer_flits = n.input_queued->output_buffer_flits = 17;
        const std::string forward = under_load(n, false);
        CHECK(!forward.empty());
        CHECK(forward == under_load(n, true));
      }
}

TEST_CASE("terminals of one router exchange messages over adaptive routes") {
  for (const GridRouting routes : {GridRouting::minimal_adaptive, GridRouting::valiant, GridRouting::ugal})
    for (const bool queued : {false, true}) {
      Network n = adaptive(ring(3), routes, 4, queued);
      n.terminals = 2;
      CHECK(!under_load(n, false).empty());
      Network one = adaptive(ring(1), routes, 4, queued);
      one.terminals = 3;
      CHECK(!under_load(one, false).empty());
    }
}

TEST_CASE("messages that are received come in the order in which they were sent, whatever way their packets took") {
  for (const GridRouting routes : {GridRouting::valiant, GridRouting::minimal_adaptive}) {
    const std::string told = in_child([&] {
      GridBench b(adaptive(torus({4, 4}), routes, 6));
      const auto size_of = [](int i) { return i % 3 == 0 ? 2_KiB : Bytes(8 * (i + 1)); };
      int wrong = 0;
      for (int rank = 0; rank < 16; ++rank)
        b.program(rank, [&, rank](comm::Rank& r) {
          comm::Group g = r.world();
          std::vector<comm::Request> all;
          for (int i = 0; i < 30; ++i) all.push_back(g.isend((rank + 5) % 16, 0, {{}, size_of(i), {}, {}}));
          for (int i = 0; i < 30; ++i)
            if (g.recv((rank + 11) % 16, 0, {{}, 2_KiB, {}, {}}).size != size_of(i)) ++wrong;
          g.wait_all(all);
        });
      b.run();
      return std::to_string(wrong);
    });
    CHECK(told == "0");
  }
}

}  // namespace adaptive_routes_test
