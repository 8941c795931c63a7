// SPDX-License-Identifier: Apache-2.0
// Random programs of two-sided messages, collectives and windows on random networks, sub-clusters and library mpi:
// every byte is where it belongs, matching keeps MPI's order, and neither trains nor the order in which the kernel runs
// what happens at one time move anything. TSUNAGI_MACHINES=n runs n of a kind; TSUNAGI_SEED=s runs only that one, as a
// failure prints it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/grid_bench.hpp"
#include "support/random/random_program.hpp"
#include "system/program_bench.hpp"

namespace random_programs_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// How a program is run.
struct Mode {
  const char* name;
  int max_train = 1;
  bool reversed = false;
  bool delayed = false;
};
constexpr Mode modes[] = {{"packet by packet"},
                          {"reversed ties", 1, true},
                          {"delayed alarms", 1, false, true},
                          {"trains", 64},
                          {"trains with delayed alarms", 64, true, true}};

void set(sim::Simulation& sim, const Mode& m) {
  sim.agenda().reverse_ties(m.reversed);
  sim.delay_alarms(m.delayed);
}

std::string pick(std::mt19937_64& random, const std::vector<std::string>& of) { return of[random() % of.size()]; }

Network random_network(std::mt19937_64& random) {
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  Network n = draw(2) == 0   ? crossbar(2 + draw(9))
              : draw(2) == 0 ? torus({2 + draw(3), 2 + draw(2)})
                             : mesh({2 + draw(3), 1 + draw(3)});
  n.terminal.send_latency = draw(3);
  n.terminal.receive_latency = draw(3);
  return n;
}

/// Where the run of `m` on a network found something out about its foresight, that; else its report.
std::string on_network(std::uint64_t seed, const Mode& m, std::string& findings) {
  std::mt19937_64 random(seed);
  const Network n = random_network(random);
  GridBench b(n, m.max_train, findings, false);
  set(b.sim(), m);
  b.world().check_data();
  b.world().set_scratch(64_MiB, 16_MiB);
  const int ranks = b.library().ranks();
  RandomProgram program(ranks, seed, 256_B);
  for (int rank = 0; rank < ranks; ++rank) {
    b.world().ledger()->fill(rank, {{}, RandomProgram::source_size, {}, {}}, std::to_string(rank));
    b.program(rank, [&program](comm::Rank& r) { program.run(r, {}); });
  }
  findings = b.attempt(1_s);
  if (!findings.empty()) return {};
  std::string out = program.report();
  for (const sim::Stuck& s : b.sim().unfinished()) out += "WRONG " + s.who + " waits for " + s.waits_for + "\n";
  for (const std::string& s : b.machine().leftovers()) out += "WRONG " + s + "\n";
  for (const std::string& s : b.world().leftovers()) out += "WRONG " + s + "\n";
  return out;
}

/// A sub-cluster of 2 to 16 nodes whose buffers are few and small, with latencies that are drawn.
Overrides random_cluster(std::mt19937_64& random, Bytes eager) {
  const int nodes = pick(random, {"2", "2", "2", "2", "4", "4", "4", "6", "8", "16"})[0] - '0';
  const std::string devices = "/machine/topology/node/devices/";
  const auto text = [](const std::string& s) { return "\"" + s + "\""; };
  Overrides out{{"/machine/topology/nodes", std::to_string(nodes == 1 ? 16 : nodes)},
                {"/machine/topology/rings", nodes == 2 ? "1" : pick(random, {"1", "2"})},
                {"/library/messages",
                 fmt::format(R"({{"eager_limit": "{} B", "slots": {}, "unexpected": 256, "queue_entries": {}}})",
                             eager.count(), pick(random, {"2", "3", "4"}), pick(random, {"1", "2", "64"}))},
                {"/machine/topology/cable/flight", text(pick(random, {"1 ns", "10 ns", "100 ns", "1 us"}))},
                {devices + "core0/clock", text(pick(random, {"1 GHz", "2 GHz", "2.6 GHz"}))},
                {devices + "core0/poll_cycles", pick(random, {"1", "4", "10", "100"})},
                {devices + "core0/poll_detect", text(pick(random, {"0 ns", "1 ns", "60 ns"}))},
                {devices + "core0/store_to_bus", text(pick(random, {"0 ns", "80 ns", "500 ns"}))},
                {devices + "memory/write_latency", text(pick(random, {"0 ns", "1 ns", "60 ns", "1 us"}))},
                {devices + "peach2/dma/step_cycles", pick(random, {"1", "41", "200"})},
                {devices + "peach2/dma/descriptor_cycles", pick(random, {"0", "32", "64"})}};
  return out;
}

std::string on_cluster(std::uint64_t seed, const Mode& m, std::string& findings) {
  std::mt19937_64 random(seed);
  const Bytes eager(std::stoi(pick(random, {"8", "64", "100", "256", "2048"})));
  ProgramBench b("tca_pairs", random_cluster(random, eager), m.max_train, findings);
  set(b.sim(), m);
  b.world().check_data();
  const Time begin = 200_us;
  RandomProgram program(b.ranks(), seed, eager);
  for (int rank = 0; rank < b.ranks(); ++rank) {
    b.world().ledger()->fill(rank, {{}, RandomProgram::source_size, {}, {}}, std::to_string(rank));
    const std::string node = "node" + std::to_string(rank);
    b.sim().spawn("fill", [&b, node, rank, begin](Fiber& f) {
      std::vector<std::uint8_t> bytes;
      for (std::int64_t i = 0; i < RandomProgram::source_size.count(); ++i)
        bytes.push_back(RandomProgram::byte_of(rank, i));
      const std::uint64_t to = b.library().address(rank, rank, {{}, RandomProgram::source_size, {}, {}});
      b.machine().get<host::Core>(node + ".core0").store(f, to, {bytes.data(), bytes.size()});
      if (f.now() >= begin) throw std::logic_error("filling takes too long");
    });
    b.program(rank, [&, node](comm::Rank& r) {
      r.wait_until(begin);
      const auto address = [&b, &r](Bytes at, Bytes n) { return b.library().address(r.id(), r.id(), {at, n, {}, {}}); };
      program.run(r, [&](Bytes at, Bytes n) {
        return b.machine().get<host::Memory>(node + ".memory").bytes(address(at, n), n);
      });
    });
  }
  findings = b.attempt();
  return findings.empty() ? program.report() : std::string();
}

/// Library mpi on two or 16 nodes, with limits, slots and buffers that are drawn; windows by RDMA or by messages.
std::string on_mpi(std::uint64_t seed, const Mode& m, std::string& findings) {
  std::mt19937_64 random(seed);
  const Bytes eager(std::stoi(pick(random, {"64", "256", "2048", "8192"})));
  const auto limit = [&] { return "\"" + pick(random, {"0 B", "0 B", "64 B", "300 B", "2 KiB"}) + "\""; };
  const Overrides library{{"/library/eager_limit", "\"" + std::to_string(eager.count()) + " B\""},
                          {"/library/receives", pick(random, {"3", "8", "256"})},
                          {"/library/depth", pick(random, {"4", "64"})},
                          {"/library/rendezvous", pick(random, {"\"rput\"", "\"rget\"", "\"r3\""})},
                          {"/library/r3_window", "\"34 KiB\""},
                          {"/library/fast_path/slots", pick(random, {"0", "2", "16"})},
                          {"/library/fast_path/after", pick(random, {"0", "10"})},
                          {"/library/one_sided/path", pick(random, {"\"direct\"", "\"direct\"", "\"messages\""})},
                          {"/library/one_sided/put_limit", limit()},
                          {"/library/one_sided/get_limit", limit()},
                          {"/library/one_sided/copy_limit", limit()}};
  ProgramBench b(pick(random, {"mpi_latency", "mpi_latency", "mpi_allreduce"}), library, m.max_train, findings);
  set(b.sim(), m);
  b.world().check_data();
  RandomProgram program(b.ranks(), seed, eager);
  for (int rank = 0; rank < b.ranks(); ++rank) {
    b.world().ledger()->fill(rank, {{}, RandomProgram::source_size, {}, {}}, std::to_string(rank));
    b.program(rank, [&program](comm::Rank& r) { program.run(r, {}); });
  }
  findings = b.attempt();
  return findings.empty() ? program.report() : std::string();
}

/// Hitachi's MPI on 2 to 8 nodes of an SR8000, with and without -rdma, with few and small buffers.
std::string on_sr8000(std::uint64_t seed, const Mode& m, std::string& findings) {
  std::mt19937_64 random(seed);
  const Bytes eager(std::stoi(pick(random, {"8", "64", "256", "2048"})));
  const std::string core = "/machine/topology/node/devices/core0/";
  const Overrides library{{"/machine/topology/sizes", pick(random, {"[2]", "[3]", "[2, 2]", "[3, 2]", "[4, 2]"})},
                          {"/library/rdma", pick(random, {"true", "false"})},
                          {"/library/eager_limit", "\"" + std::to_string(eager.count()) + " B\""},
                          {"/library/slots", pick(random, {"1", "2", "4"})},
                          {"/library/chunk", pick(random, {"\"1 KiB\"", "\"3000 B\"", "\"16 KiB\""})},
                          {"/library/transfers", pick(random, {"1", "2", "64"})},
                          {"/library/sendright", pick(random, {"\"0 ns\"", "\"50 us\""})},
                          {"/library/visit_cycles", pick(random, {"0", "1", "100", "308"})},
                          {core + "poll_cycles", pick(random, {"1", "10", "100"})},
                          {core + "poll_detect", pick(random, {"\"0 ns\"", "\"300 ns\""})}};
  ProgramBench b("hitachi_mpi_ping_pong", library, m.max_train, findings);
  set(b.sim(), m);
  b.world().check_data();
  RandomProgram program(b.ranks(), seed, eager);
  for (int rank = 0; rank < b.ranks(); ++rank) {
    b.world().ledger()->fill(rank, {{}, RandomProgram::source_size, {}, {}}, std::to_string(rank));
    host::Memory& memory = b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory");
    const std::uint64_t user = unsigned_of(host::buffers_from(memory.config().size));
    for (std::int64_t at = 0; at < RandomProgram::source_size.count(); at += 4096) {
      std::vector<std::uint8_t> bytes;
      for (std::int64_t i = at; i < at + 4096; ++i) bytes.push_back(RandomProgram::byte_of(rank, i));
      memory.preset(user + static_cast<std::uint64_t>(at), {bytes.data(), bytes.size()});
    }
    b.program(rank, [&program, &memory, user](comm::Rank& r) {
      program.run(r, [&](Bytes at, Bytes n) { return memory.bytes(user + unsigned_of(at), n); });
    });
  }
  findings = b.attempt();
  return findings.empty() ? program.report() : std::string();
}

using Run = std::string (*)(std::uint64_t seed, const Mode& m, std::string& findings);

/// Runs a program as often as its foresight turns out to be wrong, each time in a process of its own.
std::string report_of(Run run, std::uint64_t seed, const Mode& m) {
  std::string findings;
  for (int attempts = 0; attempts < 200; ++attempts) {
    const std::string both = in_child([&] {
      std::string found = findings;
      const std::string report = run(seed, m, found);
      return found.empty() ? "r" + report : "f" + found;
    });
    if (both[0] == 'r') return both.substr(1);
    findings = both.substr(1);
  }
  return "WRONG never ends";
}

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream x(a), y(b);
  for (std::string s, t;;) {
    const bool more = static_cast<bool>(std::getline(x, s));
    if (more != static_cast<bool>(std::getline(y, t))) return "one has more lines";
    if (!more) return {};
    if (s != t) return s + " | " + t;
  }
}

std::string wrong_of(const std::string& report) {
  std::string out;
  std::istringstream in(report);
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, 5, "WRONG") == 0) out += line + "\n";
  return out;
}

/// `quick` programs from seed `first` on, and one that showed what no other did.
void for_programs(Run run, std::uint64_t first, std::int64_t quick, std::uint64_t one) {
  const std::int64_t only = from_environment("TSUNAGI_SEED", -1);
  const std::int64_t count = only >= 0 ? 1 : from_environment("TSUNAGI_MACHINES", quick);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t seed = only >= 0 ? static_cast<std::uint64_t>(only)
                               : i == 0  ? one
                                         : first + static_cast<std::uint64_t>(i);
    std::string reference;
    for (const Mode& m : modes) {
      INFO("TSUNAGI_SEED=" << seed << ", " << m.name);
      try {
        const std::string report = report_of(run, seed, m);
        CHECK(wrong_of(report) == "");
        if (m.max_train == 1 && !m.reversed && !m.delayed) reference = report;
        CHECK(first_difference(reference, report) == "");
      } catch (const std::runtime_error& e) {
        FAIL_CHECK(e.what());
        break;
      }
    }
  }
}

}  // namespace

TEST_CASE("random programs over plain networks get what they should at times that nothing moves") {
  for_programs(on_network, 1'045, 12, 1'017);
}

TEST_CASE("random programs over PEACH2 get what they should at times that nothing moves") {
  for_programs(on_cluster, 2'040, 8, 2'321);
}

TEST_CASE("random programs over InfiniBand get what they should at times that nothing moves") {
  for_programs(on_mpi, 3'011, 8, 3'001);
}

TEST_CASE("random programs over remote DMA get what they should at times that nothing moves") {
  for_programs(on_sr8000, 4'000, 8, 4'051);
}

}  // namespace random_programs_test
