// SPDX-License-Identifier: Apache-2.0
// The PEACH2 pair as shipped, against a closed form of its configs' values.
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "models/host/core.hpp"
#include "models/host/on_chip.hpp"
#include "models/host/root_complex.hpp"
#include "models/pcie/link.hpp"
#include "models/peach2/peach2.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "topo/graphs/explicit.hpp"

namespace tca_pair_test {

using namespace tsunagi;

namespace {

RunConfig pio_run(const std::string& iterations, const std::string& warm_up) {
  return config::read<RunConfig>(
      config::load(
          TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json",
          {{"/scenario/iterations", iterations}, {"/scenario/warm_up", warm_up}, {"/scenario/sizes", "[\"8 B\"]"}}),
      all_kinds());
}

/// The parameters that a small write meets on its way, out of the run's machine.
struct Path {
  host::CoreConfig core;
  host::RootComplexConfig root;
  host::MemoryConfig memory;
  peach2::Peach2Config chip;
  host::OnChipConfig bus;
  pcie::LinkConfig slot;
  pcie::LinkConfig cable;

  explicit Path(const RunConfig& run) {
    const topo::Graph g = topo::build(run.machine.topology);
    for (const topo::Node& n : g.nodes) {
      if (n.config.kind() == "core") core = n.config.as<host::CoreConfig>();
      if (n.config.kind() == "root_complex") root = n.config.as<host::RootComplexConfig>();
      if (n.config.kind() == "memory") memory = n.config.as<host::MemoryConfig>();
      if (n.config.kind() == "peach2") chip = n.config.as<peach2::Peach2Config>();
    }
    const auto kind = [&](const topo::End& e) { return g.nodes[e.node].config.kind(); };
    for (const topo::Link& l : g.links) {
      const bool same = kind(l.a) == kind(l.b);  // a cable, or the wire between two sockets
      if (l.wire.kind() == "on_chip" && !same) bus = l.wire.as<host::OnChipConfig>();
      if (kind(l.b) == "peach2") (same ? cable : slot) = l.wire.as<pcie::LinkConfig>();
    }
  }

  Clock chip_clock() const { return Clock(chip.clock); }
  Time bus_time(Bytes n) const {
    return Time::from_fs((n + bus.header).count() * bus.bandwidth.num() / bus.bandwidth.den());
  }
  static Time wire_time(const pcie::LinkConfig& c, Bytes payload) {
    const Rate r = pcie::link_rate(c);
    return Time::from_fs((payload + 24_B).count() * r.num() / r.den());  // 16 B header, 8 B framing
  }

  /// From the call of `send` at `t` to the write on the first chip's edge: everything up to the last
  /// byte at port N, without any clock.
  Time until_chip(Time t) const {
    t += Clock(core.clock).cycles(core.store_cycles) + core.store_to_bus;  // retire, flush the line
    t += bus_time(8_B) + bus.flight;                                       // to the root complex
    t += root.posted_latency;
    return t + wire_time(slot, 8_B) + slot.flight;  // to port N
  }
  /// Through one chip, from its edge on: receive, route, transmit. A small write's two beats are as
  /// long as its 32 bytes on the wire, so the wire starts with the first beat.
  Time through_chip() const { return chip_clock().cycles(2 * chip.hard_ip_cycles + chip.route_cycles); }
  Time aligned(Time t) const { return chip_clock().at_or_after(t); }

  /// When the write that is sent at `t` is visible to the other core.
  Time visible(Time t) const {
    t = aligned(until_chip(t)) + through_chip();  // up to one 4 ns cycle to align
    t += wire_time(cable, 8_B) + cable.flight;
    t = aligned(t) + through_chip();  // the second chip's clock has its own phase to the bytes
    t += wire_time(slot, 8_B) + slot.flight;
    t += root.posted_latency;
    return t + bus_time(8_B) + bus.flight + memory.write_latency;
  }
  Time poll_period() const { return Clock(core.clock).cycles(core.poll_cycles); }
  /// When a poll that began at `start` has the value in a register.
  Time seen(Time start, Time since) const {
    const std::int64_t iterations = since <= start ? 0 : (since - start + poll_period() - 1_fs) / poll_period();
    return start + poll_period() * iterations + core.poll_detect;
  }
  /// When a store's `send` returns.
  Time sent(Time t) const { return t + Clock(core.clock).cycles(core.store_cycles); }
};

Time latency(const RunConfig& run) {
  const report::Rows r = test::simulated(run).rows;
  REQUIRE(r.rows.size() == 1);
  const report::Cell* cell = r.rows.front().find("latency");
  REQUIRE(cell != nullptr);
  return std::get<Time>(*cell);
}

/// All rows as text.
std::string rows(const RunConfig& run) {
  const runner::Outcome r = test::simulated(run);
  std::string text = std::to_string(r.cost.wakeups) + " " + std::to_string(r.cost.packet_hops) + " " +
                     std::to_string(r.cost.simulated.fs());
  for (const report::Row& row : r.rows.rows)
    for (const auto& [name, cell] : row.cells()) {
      text += " " + name + "=";
      if (const Time* t = std::get_if<Time>(&cell)) text += std::to_string(t->fs());
      if (const Bytes* b = std::get_if<Bytes>(&cell)) text += std::to_string(b->count());
    }
  return text;
}

}  // namespace

TEST_CASE("one PIO round trip takes exactly the sum of its stages") {
  const RunConfig run = pio_run("1", "0");
  const Path path(run);
  // Rank 1 polls from 0 on; rank 0 from the end of its store on. No ordered set is due so early, and the
  // acknowledgements (at their latency limit) are out of the way before the answer comes.
  const Time at_1 = path.seen(0_ns, path.visible(0_ns));
  const Time at_0 = path.seen(path.sent(0_ns), path.visible(at_1));
  REQUIRE(at_0 < 3_us);
  CHECK(latency(run) == Time::from_fs(at_0.fs() / 2));
}

TEST_CASE("the steps of one PIO round trip take what the closed form says") {
  const RunConfig run = pio_run("1", "0");
  const Path path(run);
  const Time at_1 = path.seen(0_ns, path.visible(0_ns));
  const Time at_0 = path.seen(path.sent(0_ns), path.visible(at_1));
  const report::Rows rows = test::simulated(run).rows;
  REQUIRE(rows.accounts);
  const report::StepAccount* store = rows.accounts->find("store the message");
  const report::StepAccount* poll = rows.accounts->find("poll the last word");
  REQUIRE((store != nullptr && poll != nullptr && rows.accounts->steps.size() == 2));
  CHECK(store->calls == 2);
  CHECK(store->mean() == path.sent(0_ns));
  CHECK(poll->calls == 2);
  CHECK(poll->total == at_1 + (at_0 - path.sent(0_ns)));
}

TEST_CASE("a row accounts for its timed round trips alone") {
  const report::Rows rows = test::simulated(pio_run("7", "3")).rows;
  REQUIRE(rows.rows.size() == 1);
  const report::Accounts* row = rows.rows.front().accounts();
  REQUIRE((row != nullptr && rows.accounts));
  CHECK(rows.accounts->find("store the message")->calls == 20);
  CHECK(row->find("store the message")->calls == 14);
  CHECK(row->find("poll the last word")->calls == 14);
  CHECK(row->messages == 14);
  CHECK(row->payload == 14 * 8_B);
  // Rank 0 does nothing else between its two readings of the clock, and rank 1 as long, a little shifted.
  const Time both = row->find("store the message")->total + row->find("poll the last word")->total;
  const Time each = std::get<Time>(*rows.rows.front().find("latency")) * 14;
  CHECK(both > each * 2 - 14_ns);
  CHECK(both < each * 2 + 14_ns);
}

TEST_CASE("the mean PIO latency is the closed form within its alignments") {
  const RunConfig run = pio_run("100", "2");
  const Path path(run);
  // Without waiting for any edge, and with the longest wait at each: two chips' clocks, one poll iteration.
  const Time cycle = path.chip_clock().cycles(1);
  const Time fixed = path.until_chip(0_ns) + path.through_chip() * 2 + path.wire_time(path.cable, 8_B) +
                     path.cable.flight + path.wire_time(path.slot, 8_B) + path.slot.flight + path.root.posted_latency +
                     path.bus_time(8_B) + path.bus.flight + path.memory.write_latency + path.core.poll_detect;
  // An ordered set or a DLLP may be in the way once on each of three links.
  const Time in_the_way = (8_ns + 2_ns) * 3;
  CHECK(latency(run) >= fixed);
  CHECK(latency(run) <= fixed + cycle * 2 + path.poll_period() + in_the_way);
}

TEST_CASE("messages into a GPU's memory are polled wherever they end, across a boundary of completions, too") {
  const auto latencies = [](const std::string& sizes) {
    std::vector<Time> out;
    for (const report::Row& row :
         test::rows_of("tca_gpu_pio_ping_pong", {{"/scenario/sizes", sizes}, {"/scenario/iterations", "4"}}).rows)
      out.push_back(test::cell<Time>(row, "latency"));
    return out;
  };
  const std::vector<Time> within = latencies(R"(["256 B", "264 B"])");
  const std::vector<Time> across =
      latencies(R"(["257 B", "258 B", "259 B", "260 B", "261 B", "262 B", "263 B", "515 B", "4099 B"])");
  REQUIRE(across.size() == 9);
  // A word in two completions costs a header more: 20 B at 4 GB/s; a load before it may just have missed the word.
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(across[i] > within[0]);
    CHECK(across[i] < within[1] + within[1]);
  }
}

TEST_CASE("the same run twice is the same to the femtosecond, wake-ups included") {
  const RunConfig run = pio_run("20", "2");
  const std::string first = rows(run);
  CHECK(first == rows(run));
  CHECK(first.find("latency=") != std::string::npos);
}

TEST_CASE("a run that is not over at its limit fails with who waits, and leaves in order") {
  RunConfig run = pio_run("100", "2");
  run.options.limit_simulated_time = 10300_ns;  // packets under way
  std::string text = "no failure";
  try {
    test::simulated(run);
  } catch (const std::runtime_error& e) {
    text = e.what();
  }
  CHECK(text.find("the run is not over at its limit of simulated time") == 0);
  CHECK(text.find("rank 0 waits for ") != std::string::npos);
  CHECK(text.find("rank 1 waits for ") != std::string::npos);
}

}  // namespace tca_pair_test
