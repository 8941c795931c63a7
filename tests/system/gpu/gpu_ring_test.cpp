// SPDX-License-Identifier: Apache-2.0
// Collectives between GPUs by kernels that store into each other's memory. The library checks every byte of each
// outcome by who brought it, and fails the run if it is not what it should be.
#include <algorithm>
#include <string>
#include <vector>

#include "cluster/accounts.hpp"
#include "models/gpu/gpu.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace gpu_ring_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::QueuedCollective;
using Kind = QueuedCollective::Kind;

namespace {

constexpr const char* run = "nccl_all_reduce_4090";
constexpr Kind kinds[] = {Kind::allreduce,    Kind::all_gather, Kind::reduce_scatter,
                          Kind::send_receive, Kind::broadcast,  Kind::reduce};

std::string part(const std::string& name) {
  return R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/parts/" + name + R"(.json")";
}

std::string names(const std::string& of, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += (i > 0 ? ", " : "") + ("\"" + of + std::to_string(i)) + "\"";
  return "[" + out + "]";
}

/// `n` GPUs in slots of their own, which record what is written.
Overrides server(int n) {
  std::string devices = R"("memory": )" + part("epyc_memory") + "}";
  std::string slots;
  std::string links = R"({"ends": ["rc.memory", "memory.bus"], "wire": )" + part("mesh_bus") + "}}";
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    const std::string base = std::to_string(512 + 64 * i) + " GiB";
    devices += R"(, "core)" + number + R"(": )" + part("epyc_7763_core") + R"(}, "gpu)" + number + R"(": )" +
               part("rtx_4090") + R"(, "bar_base": ")" + base + R"(", "record": true})";
    slots += std::string(i > 0 ? ", " : "") + R"({"name": "slot)" + number + R"(", "window_base": ")" + base +
             R"(", "window_size": "32784 MiB"})";
    links += R"(, {"ends": ["core)" + number + R"(.bus", "rc.core)" + number + R"("], "wire": )" + part("mesh_bus") +
             R"(}}, {"ends": ["rc.slot)" + number + R"(", "gpu)" + number + R"(.pcie"], "wire": )" +
             part("pcie_gen4_x8") + "}}";
  }
  devices += R"(, "rc": )" + part("epyc_milan_root_complex") + R"(, "cores": )" + std::to_string(n) +
             R"(, "slots": [)" + slots + "]}";
  return {{"/machine", R"({"name": "server", "topology": {"kind": "explicit", "devices": {)" + devices +
                           R"(}, "links": [)" + links + "]}}"},
          {"/library/cores", names("core", n)},
          {"/library/gpus", names("gpu", n)}};
}

void add(Overrides& to, const std::string& pointer, const std::string& value) { to.push_back({pointer, value}); }

/// All ranks queue the calls, and wait for the last.
void do_all(ProgramBench& b, int n, const std::vector<QueuedCollective>& calls) {
  for (int rank = 0; rank < n; ++rank)
    b.program(rank, [calls](comm::Rank& r) {
      comm::StreamEvent last;
      for (const QueuedCollective& c : calls) last = r.enqueue(c);
      r.synchronise(last);
    });
  b.run();
}

}  // namespace

TEST_CASE("every collective brings 2, 3, 4 and 8 GPUs what is due, by every protocol") {
  for (const int n : {2, 3, 4, 8})
    for (const char* protocol : {"ll", "ll128", "simple"})
      for (const char* algorithm : {"ring", "tree"}) {
        CAPTURE(n, protocol, algorithm);
        CHECK(in_child([&] {
                Overrides o = server(n);
                add(o, "/library/ring/protocol", "\"" + std::string(protocol) + "\"");
                add(o, "/library/ring/algorithm", "\"" + std::string(algorithm) + "\"");
                // Slots that a call goes round several times.
                add(o, "/library/ring/ll/buffer", "\"64 KiB\"");
                add(o, "/library/ring/ll128/buffer", "\"64 KiB\"");
                add(o, "/library/ring/simple/buffer", "\"256 KiB\"");
                ProgramBench b(run, o);
                std::vector<QueuedCollective> calls;
                for (const Bytes size : {Bytes(16 * n), Bytes(4096 * n + 16 * n), Bytes(16 * n * 6249)})
                  for (const Kind kind : kinds)
                    if (size.count() % (16 * n) == 0 || kind == Kind::allreduce) calls.push_back({kind, size, n - 1});
                do_all(b, n, calls);
                return std::to_string(calls.size());
              }) >= "1");
      }
}

TEST_CASE("an all-reduce of n ranks is 2 (n - 1) messages of each block") {
  for (const int n : {2, 4})
    for (const char* protocol : {"ll", "simple"}) {
      CAPTURE(n, protocol);
      const std::string counted = in_child([&] {
        Overrides o = server(n);
        add(o, "/library/ring/protocol", "\"" + std::string(protocol) + "\"");
        add(o, "/library/ring/channels", "1");
        ProgramBench b(run, o);
        // A block of each rank's is 16 KiB: a chunk, and a slice.
        do_all(b, n, {{Kind::allreduce, 16_KiB * n, 0}});
        const report::Accounts a = accounts_of(b.library());
        return std::to_string(a.messages) + " " + std::to_string(a.payload.count());
      });
      const int messages = n * 2 * (n - 1);
      CHECK(counted == std::to_string(messages) + " " + std::to_string(messages * 16 * 1024));
    }
}

TEST_CASE("no flag lands before its data, and every byte of a buffer comes from where its sender had it") {
  constexpr int n = 4;
  const std::string checked = in_child([&] {
    Overrides o = server(n);
    add(o, "/library/ring/protocol", "\"simple\"");
    add(o, "/library/ring/channels", "1");
    ProgramBench b(run, o);
    do_all(b, n, {{Kind::allreduce, 256_KiB, 0}});  // blocks of 64 KiB: two slices of 32 KiB
    int flags = 0;
    for (int rank = 0; rank < n; ++rank) {
      const auto& all = b.machine().get<gpu::Gpu>("gpu" + std::to_string(rank)).extents();
      std::uint64_t buffer = ~std::uint64_t{0};
      for (const host::Extent& e : all)
        if (e.length > 8_B) buffer = std::min(buffer, e.address);
      const std::uint64_t tail = buffer + unsigned_of(4_MiB);
      for (const host::Extent& flag : all) {
        if (flag.address != tail) continue;
        Bytes before;
        for (const host::Extent& e : all)
          if (e.length > 8_B && e.when <= flag.when) before += e.length;
        const auto due = 32_KiB * static_cast<std::int64_t>(flag.value / 2);
        if (before < due)
          return "flag " + std::to_string(flag.value) + " of rank " + std::to_string(rank) + " is early";
        ++flags;
      }
      Bytes whole;
      for (const host::Extent& e : all)
        if (e.length > 8_B) whole += e.length;
      if (whole != 384_KiB) return std::to_string(whole.count()) + " B came to rank " + std::to_string(rank);
    }
    return std::to_string(flags);
  });
  CHECK(checked == std::to_string(n * 6 * 2));
}

TEST_CASE("what a link carries bounds a long all-reduce, and lines with flags carry half") {
  const auto rate = [](const char* protocol) {
    const report::Row row = rows_of(run, {{"/library/ring/protocol", "\"" + std::string(protocol) + "\""},
                                          {"/scenario/sizes", R"(["4 MiB"])"},
                                          {"/scenario/iterations", "1"}})
                                .rows.front();
    return static_cast<double>(cell<Bytes>(row, "bus").count()) / static_cast<double>(cell<Time>(row, "time").fs()) *
           1e6;
  };
  // Eight lanes of 16 GT/s in lines of 128 B, each with 24 B of its own.
  const double line = 8 * 16.0 / 8 * 128 / 130 * 128 / 152;
  const double simple = rate("simple");
  const double ll = rate("ll");
  const double ll128 = rate("ll128");
  CHECK(simple < line);
  CHECK(simple > 0.85 * line);
  CHECK(ll < line / 2);
  CHECK(ll > 0.4 * line);
  CHECK(ll128 < line * 120 / 128);
  CHECK(ll128 > ll);
}

TEST_CASE("scenarios of one collective run over the library's own") {
  for (const char* scenario : {R"({"kind": "reduction", "sizes": ["8 B", "60000 B"], "iterations": 2})",
                               R"({"kind": "reduction", "result": "reduce", "rotate": true, "sizes": ["60000 B"]})",
                               R"({"kind": "broadcast", "rotate": true, "sizes": ["60000 B"], "iterations": 4})",
                               R"({"kind": "barrier", "iterations": 2})"}) {
    CAPTURE(scenario);
    for (const report::Row& row : rows_of(run, {{"/scenario", scenario}}).rows)
      CHECK(std::get<std::string>(*row.find("algorithm")) == "software");
  }
}

TEST_CASE("ranks that do not call the same fail, and say so") {
  CHECK(in_child([] {
          ProgramBench b(run, server(2));
          b.program(0, [](comm::Rank& r) { r.synchronise(r.enqueue({Kind::allreduce, 1_KiB, 0})); });
          b.program(1, [](comm::Rank& r) { r.synchronise(r.enqueue({Kind::allreduce, 2_KiB, 0})); });
          try {
            b.run();
          } catch (const std::exception& e) {
            return std::string(e.what());
          }
          return std::string();
        }).find("call 1 of rank") != std::string::npos);
}

TEST_CASE("what cannot be is refused before time 0") {
  CHECK_THAT(refusal(run, {{"/library/gpus", R"(["gpu0", "gpu1", "gpu2", "gpu9"])"}}), Catch::Contains("gpu9"));
  CHECK_THAT(refusal(run, {{"/library/cores", R"(["core0"])"}}), Catch::Contains("does not name one for each"));
  CHECK_THAT(refusal(run, {{"/machine/topology/devices/gpu2/stores/line", "\"0 B\""}}),
             Catch::Contains("gpu2 does not say what its kernels' stores cost"));
  CHECK_THAT(refusal(run, {{"/library/ring/protocol", "\"lll\""}}), Catch::Contains("none of ll, ll128, simple"));
  CHECK_THAT(refusal(run, {{"/scenario/test", "\"all_gather\""}, {"/scenario/sizes", R"(["1000 B"])"}}),
             Catch::Contains("whole 16 B"));
  CHECK_THAT(refusal("a6000_peer_copies", {{"/scenario", R"({"kind": "nccl_tests"})"}}),
             Catch::Contains("queues no collectives"));
  CHECK_THAT(refusal(run, {{"/scenario", R"({"kind": "ping_pong"})"}}), Catch::Contains("sends no messages"));
  CHECK_THAT(refusal(run, {{"/scenario", R"({"kind": "reduction", "algorithms": ["ring"]})"}}),
             Catch::Contains("no two-sided messages"));
  CHECK_THAT(refusal(run, {{"/scenario", R"({"kind": "reduction", "ranks": [2]})"}}),
             Catch::Contains("all GPUs take part"));
}

}  // namespace gpu_ring_test
