// SPDX-License-Identifier: Apache-2.0
// Random messages of library mpi between memories and GPUs of two nodes: what arrives is what was sent, byte for byte,
// with limits, blocks and pools that are drawn, and trains move nothing.
// TSUNAGI_MACHINES=n runs n of them; TSUNAGI_SEED=s runs only that one, as a failure prints it.
#include <algorithm>
#include <random>

#include "models/gpu/gpu.hpp"
#include "models/host/memory/memory.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"
#include "system/program_bench.hpp"

namespace mpi_gpu_random_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::int64_t filled = 200'000;  // bytes of each place that say something before the messages
constexpr Bytes spare = 256_KiB;          // behind those, for a message each

struct Message {
  int from = 0;
  int tag = 0;
  std::string source;
  std::string target;
  Bytes offset;
  Bytes size;
  bool late = false;  // its receive
};

std::uint8_t byte_at(std::int64_t i) { return static_cast<std::uint8_t>((i * 11 + i / 241) % 253 + 1); }

std::vector<Message> messages(std::mt19937& random, int n) {
  const auto draw = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  };
  const char* places[] = {"", "gpu0", "gpu1"};
  constexpr std::int64_t lengths[] = {1, 8, 100, 4095, 8192, 8193, 16337, 17360, 17361, 40000, 131072, 131073};
  std::vector<Message> out;
  for (int i = 0; i < n; ++i) {
    Message m;
    m.from = static_cast<int>(draw(2));
    m.tag = static_cast<int>(draw(2));
    m.source = places[draw(3)];
    m.target = places[draw(3)];
    m.size = Bytes(lengths[draw(12)]);
    m.offset = Bytes(draw(filled - m.size.count() + 1));
    m.late = draw(2) == 0;
    out.push_back(m);
  }
  return out;
}

Overrides config(std::mt19937& random) {
  const auto pick = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
  Overrides all = {{"/library/gpu/pool", pick({"1", "2", "3", "64"})},
                   {"/library/gpu/granted", pick({"1", "2", "8"})},
                   {"/library/gpu/block", pick({"\"4 KiB\"", "\"16 KiB\"", "\"128 KiB\""})},
                   {"/library/gpu/direct_limit", pick({"\"0 B\"", "\"0 B\"", "\"8 KiB\"", "\"64 KiB\""})},
                   {"/library/gpu/receive_limit", pick({"\"0 B\"", "\"0 B\"", "\"20 KiB\"", "\"128 KiB\""})},
                   {"/library/gpu/gdrcopy", R"({"kind": "gdrcopy"})"},
                   {"/library/gpu/gdrcopy_limit", pick({"\"0 B\"", "\"0 B\"", "\"100 B\"", "\"8 KiB\""})},
                   {"/library/gpu/pinned_eager", pick({"true", "false"})},
                   {"/library/cuda/driver/query_cycles", pick({"1", "2600", "20000"})},
                   {"/library/cuda/driver/record_cycles", pick({"0", "3900"})},
                   {"/library/gpu/control", pick({"\"640 B\"", "\"1640 B\""})},
                   {"/library/eager_limit", pick({"\"0 B\"", "\"1 KiB\"", "\"17360 B\""})},
                   {"/library/receives", pick({"2", "3", "256"})},
                   {"/library/r3_window", "\"32 KiB\""},
                   {"/library/depth", pick({"4", "64"})},
                   {"/library/fast_path/slots", pick({"0", "1", "16"})},
                   {"/library/fast_path/after", pick({"0", "10"})}};
  if (random() % 2 == 0) return all;
  // Two rails, of which the second cable may be much longer.
  const auto cable = [](const std::string& port, const std::string& flight) {
    return R"({"ends": ["node0.hca.)" + port + R"(", "node1.hca.)" + port +
           R"("], "wire": {"$use": ")" TSUNAGI_TEST_CONFIGS R"(/parts/infiniband_fdr_4x.json", "flight": ")" + flight +
           R"("}})";
  };
  for (const char* node : {"node0", "node1"})
    all.push_back({"/machine/topology/devices/" + std::string(node) + "/devices/hca/ports", "2"});
  all.push_back({"/machine/topology/links",
                 "[" + cable("port1", "10 ns") + ", " + cable("port2", pick({"10 ns", "40 us"})) + "]"});
  all.push_back({"/library/rails", R"(["hca.port1", "hca.port2"])"});
  all.push_back({"/library/stripe_above", pick({"\"64 B\"", "\"16 KiB\""})});
  all.push_back({"/library/gpu/all_rails", pick({"true", "true", "false"})});
  return all;
}

std::uint64_t user(ProgramBench& b, int rank) {
  const host::MemoryConfig& m = b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory").config();
  return unsigned_of(m.base + host::buffers_from(m.size));
}

std::vector<std::uint8_t> said(ProgramBench& b, int rank, const std::string& place, Bytes offset, Bytes n) {
  const std::string node = "node" + std::to_string(rank) + ".";
  if (!place.empty()) return b.machine().get<gpu::Gpu>(node + place).bytes(unsigned_of(offset), n);
  return b.machine().get<host::Memory>(node + "memory").bytes(user(b, rank) + unsigned_of(offset), n);
}

Bytes target_of(std::size_t i) { return Bytes(filled + 4096) + spare * static_cast<std::int64_t>(i); }

void run_rank(comm::Rank& r, const std::vector<Message>& all) {
  comm::Group g = r.world();
  // Both GPUs get what the peer's memory says.
  for (const char* gpu : {"gpu0", "gpu1"}) {
    const comm::Request in = g.irecv(1 - r.id(), 5, {Bytes::zero(), Bytes(filled), gpu, {}, {}});
    g.send(1 - r.id(), 5, {Bytes::zero(), Bytes(filled), {}, {}, {}});
    g.wait_all({in});
  }
  std::vector<comm::Request> requests;
  const auto post = [&](bool late) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].from != r.id() && all[i].late == late)
        requests.push_back(
            g.irecv(all[i].from, 10 + static_cast<int>(i), {target_of(i), all[i].size, all[i].target, {}, {}}));
  };
  post(false);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].from == r.id())
      requests.push_back(
          g.isend(1 - r.id(), 10 + static_cast<int>(i), {all[i].offset, all[i].size, all[i].source, {}, {}}));
  r.compute(50_us);
  post(true);
  g.wait_all(requests);
}

/// What went wrong, and when everything was over.
std::string report(std::uint32_t seed, int max_train, std::string& findings) {
  std::mt19937 random(seed);
  const Overrides overrides = config(random);
  const std::vector<Message> all = messages(random, 24);
  ProgramBench b("mpi_gpu_ping_pong", overrides, max_train, findings);
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < filled; ++i) bytes.push_back(byte_at(i));
  for (int rank = 0; rank < 2; ++rank)
    for (std::size_t i = 0; i < bytes.size(); i += 4096)
      b.machine()
          .get<host::Memory>("node" + std::to_string(rank) + ".memory")
          .preset(user(b, rank) + i, {&bytes[i], std::min<std::size_t>(4096, bytes.size() - i)});
  std::string out;
  b.all([&](comm::Rank& r) {
    run_rank(r, all);
    out += "rank " + std::to_string(r.id()) + " ends at " + std::to_string(r.now().fs()) + "\n";
  });
  findings = b.attempt(1_s);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Message& m = all[i];
    const std::vector<std::uint8_t> there = said(b, 1 - m.from, m.target, target_of(i), m.size);
    for (std::size_t k = 0; k < there.size(); ++k)
      if (there[k] != byte_at(m.offset.count() + static_cast<std::int64_t>(k))) {
        out += "WRONG message " + std::to_string(i) + " from \"" + m.source + "\" to \"" + m.target + "\", byte " +
               std::to_string(k) + " of " + std::to_string(there.size()) + "\n";
        break;
      }
  }
  return out;
}

std::string run(std::uint32_t seed, int max_train) {
  std::string findings;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::string both = in_child([&] {
      const std::string told = report(seed, max_train, findings);
      return told + "--\n" + findings;
    });
    const std::size_t at = both.find("--\n");
    findings = both.substr(at + 3);
    if (findings.empty()) return both.substr(0, at);
  }
  return "WRONG: never ends";
}

}  // namespace

TEST_CASE("mpi: random messages between memories and GPUs come whole, and trains move nothing") {
  const std::int64_t only = from_environment("TSUNAGI_SEED", -1);
  const std::int64_t last = only >= 0 ? only : from_environment("TSUNAGI_MACHINES", 8);
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = only >= 0 ? only : 1; i <= last; ++i) seeds.push_back(i);
  // Where messages that had overtaken others, on a faster rail, once held the receives that those needed.
  if (only < 0) seeds.push_back(47);
  for (const std::int64_t i : seeds) {
    INFO("TSUNAGI_SEED=" << i);
    const auto seed = static_cast<std::uint32_t>(i);
    try {
      const std::string once = run(seed, 1);
      CHECK(once.find("WRONG") == std::string::npos);
      CHECK(once == run(seed, 64));
    } catch (const std::runtime_error& e) {
      FAIL_CHECK(e.what());
    }
  }
}

}  // namespace mpi_gpu_random_test
