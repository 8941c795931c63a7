// SPDX-License-Identifier: Apache-2.0
// Library mpi with buffers in GPU memory: blocking copies, blocks with events, GPUDirect RDMA.
#include <algorithm>
#include <map>

#include "models/gpu/gpu.hpp"
#include "models/host/memory/memory.hpp"
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/print.hpp"
#include "system/program_bench.hpp"
#include "system/simulated.hpp"

namespace mpi_gpu_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr const char* staged = "mpi_gpu_ping_pong";
constexpr const char* direct = "mpi_gdr_ping_pong";
constexpr const char* by_window = "mpi_gdrcopy_ping_pong";

std::string list(const std::string& size) { return "[\"" + size + "\"]"; }

/// One size of a run, with accounts.
report::Row row_of(const char* run, const std::string& size, Overrides more = {}) {
  more.push_back({"/scenario/sizes", list(size)});
  return rows_of(run, more).rows.front();
}

Time latency(const char* run, const std::string& size, const Overrides& more = {}) {
  return cell<Time>(row_of(run, size, more), "latency");
}

/// How often a step was done for a message, or zero.
double steps(const report::Row& row, const std::string& name) {
  REQUIRE(row.accounts() != nullptr);
  const report::StepAccount* s = row.accounts()->find(name);
  return s == nullptr ? 0 : static_cast<double>(s->calls) / static_cast<double>(row.accounts()->messages);
}

std::uint8_t byte_at(std::int64_t offset) { return static_cast<std::uint8_t>((offset * 7 + offset / 251) % 251 + 1); }

std::uint64_t user(ProgramBench& b, const std::string& node) {
  const host::MemoryConfig& m = b.machine().get<host::Memory>(node + ".memory").config();
  return unsigned_of(m.base + host::buffers_from(m.size));
}

/// What is wrong with `n` bytes that should be those from `first` on; empty: nothing.
std::string differs(const std::vector<std::uint8_t>& there, std::int64_t first) {
  for (std::size_t i = 0; i < there.size(); ++i)
    if (there[i] != byte_at(first + static_cast<std::int64_t>(i)))
      return "byte " + std::to_string(i) + " of " + std::to_string(there.size());
  return {};
}

/// Host of rank 0 to a GPU of rank 1, to another GPU of rank 0, to the host of rank 1: what is wrong with the bytes.
std::string round(const char* run, const Overrides& more, const std::vector<Bytes>& sizes) {
  ProgramBench b(run, more);
  Bytes all;
  for (const Bytes n : sizes) all += n;
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < all.count(); ++i) bytes.push_back(byte_at(i));
  for (std::size_t i = 0; i < bytes.size(); i += 4096)
    b.machine()
        .get<host::Memory>("node0.memory")
        .preset(user(b, "node0") + i, {&bytes[i], std::min<std::size_t>(4096, bytes.size() - i)});
  b.all([&](comm::Rank& r) {
    comm::Group g = r.world();
    Bytes at;
    for (const Bytes n : sizes) {
      const auto in = [&](const char* place) { return comm::Buffer{at, n, place, {}, {}}; };
      if (r.id() == 0) {
        g.send(1, 0, in("host"));
        g.recv(1, 1, in("gpu1"));
        g.send(1, 2, in("gpu1"));
      } else {
        g.recv(0, 0, in("gpu0"));
        g.send(0, 1, in("gpu0"));
        g.recv(0, 2, in(""));
      }
      at += n;
    }
  });
  b.run();
  std::string out;
  const std::string on_gpu = differs(b.machine().get<gpu::Gpu>("node0.gpu1").bytes(0, all), 0);
  const std::string at_host = differs(b.machine().get<host::Memory>("node1.memory").bytes(user(b, "node1"), all), 0);
  if (!on_gpu.empty()) out += "GPU: " + on_gpu + " ";
  if (!at_host.empty()) out += "host: " + at_host;
  return out;
}

}  // namespace

TEST_CASE("mpi on GPUs: every byte comes, by blocking copies, by one block, by many") {
  // Around the eager limit and whole blocks, and beyond what is granted at a time.
  CHECK(round(staged, {},
              {1_B, 8_B, 100_B, 5000_B, 17360_B, 17361_B, 65536_B, 131071_B, 131072_B, 131073_B, 1310725_B}) == "");
}

TEST_CASE("mpi on GPUs: every byte comes with a block at each end, one after the other") {
  CHECK(round(staged, {{"/library/gpu/pool", "1"}, {"/library/gpu/granted", "1"}, {"/library/gpu/block", "\"16 KiB\""}},
              {17361_B, 16384_B * 5, 100001_B}) == "");
}

TEST_CASE("mpi on GPUs: every byte comes where control messages have no room but for what they say") {
  CHECK(
      round(staged,
            {{"/library/gpu/control", "\"64 B\""}, {"/library/gpu/block", "\"4 KiB\""}, {"/library/gpu/granted", "64"}},
            {17361_B, 300'000_B}) == "");
}

TEST_CASE("mpi on GPUs: every byte comes that cards read and write in GPU memory") {
  CHECK(round(direct, {}, {1_B, 8_B, 4096_B, 8191_B, 8192_B, 8193_B, 100000_B}) == "");
}

TEST_CASE("mpi on GPUs: every byte comes that cores copy through windows, and that cards write behind one copy") {
  // At offsets that are multiples of 16 and at others, around each limit, and above all of them.
  CHECK(round(by_window, {}, {16_B, 8_B, 1_B, 4071_B, 8192_B, 8193_B, 16336_B, 16337_B, 131072_B, 131073_B}) == "");
}

TEST_CASE("mpi on GPUs: every byte comes that cards write in blocks, a block at a time") {
  CHECK(round(by_window, {{"/library/gpu/block", "\"16 KiB\""}, {"/library/gpu/pool", "1"}}, {16337_B, 49153_B}) == "");
}

TEST_CASE("mpi on GPUs: who copies a message how often") {
  const auto copies = [](const char* run, const std::string& size, const Overrides& more = {}) {
    const report::Row row = row_of(run, size, more);
    const std::int64_t messages = row.accounts()->messages;
    return std::pair(row.accounts()->by_core.copies / messages, row.accounts()->by_dma.copies / messages);
  };
  // An engine out of the GPU, the core out of pinned memory; and back.
  CHECK(copies(staged, "8 B") == std::pair<std::int64_t, std::int64_t>(2, 2));
  CHECK(copies(staged, "8 B", {{"/library/gpu/pinned_eager", "true"}}) == std::pair<std::int64_t, std::int64_t>(0, 2));
  // Out of the GPU, over the network, into the GPU: a message of many blocks, too.
  CHECK(copies(staged, "64 KiB") == std::pair<std::int64_t, std::int64_t>(0, 3));
  CHECK(copies(staged, "2 MiB") == std::pair<std::int64_t, std::int64_t>(0, 3));
  CHECK(copies(direct, "8 KiB") == std::pair<std::int64_t, std::int64_t>(0, 1));
}

TEST_CASE("mpi on GPUs: blocks, events and clear-to-sends of a message") {
  // Without slots, which are given back by headers now and then.
  const auto count = [](const std::string& size, const std::string& step) {
    return steps(row_of(staged, size, {{"/library/fast_path/slots", "0"}}), step);
  };
  CHECK(count("17360 B", "cudaMemcpy from the GPU") == 1);
  CHECK(count("17360 B", "cudaEventRecord") == 0);
  CHECK(count("17361 B", "cudaMemcpy from the GPU") == 0);
  CHECK(count("128 KiB", "cudaEventRecord") == 2);
  CHECK(count("128 KiB", "post the write") == 1);
  CHECK(count("131073 B", "cudaEventRecord") == 4);
  CHECK(count("131073 B", "post the write") == 2);
  // Ready, clear, a finished message a block; and a clear to send more than 8 blocks.
  CHECK(count("1 MiB", "handle a header") == 2 + 8);
  CHECK(count("1048577 B", "handle a header") == 3 + 9);
  CHECK(count("1 MiB", "cudaEventCreate and Destroy") == 1);
}

TEST_CASE("mpi on GPUs: a message of one block is copied, written and copied one after the other") {
  // What 64 KiB more take, but for what the loop that asks for events sees late: at most a turn for each event.
  const double engines = 2 * 65536 / (8.0 * 256 / (256 + 24)), wire = 65536 / 4.925;
  const Time more = latency(staged, "128 KiB") - latency(staged, "64 KiB");
  CHECK(more > Time::from_fs(static_cast<std::int64_t>((engines + wire) * 1e6)) - 2_us);
  CHECK(more < Time::from_fs(static_cast<std::int64_t>((engines + wire) * 1e6)) + 2_us);
}

TEST_CASE("mpi on GPUs: a message is delivered when its last block has been copied, and then soon seen") {
  ProgramBench b(staged, {});
  b.all([](comm::Rank& r) {
    comm::Group g = r.world();
    const comm::Buffer whole{{}, 512_KiB, "gpu0", {}, {}};
    if (r.id() == 0) return g.send(1, 0, whole);
    const comm::Request q = g.irecv(0, 0, whole);
    g.wait(q);
    const Time seen = q.at(comm::Milestone::completed);
    CHECK(q.at(comm::Milestone::delivered) < seen);
    CHECK(q.at(comm::Milestone::delivered) > seen - 4_us);  // two turns of its loop at most
  });
  b.run();
}

TEST_CASE("mpi on GPUs: blocks overlap, but for their calls") {
  // Ten blocks more: 131,072 B each on the wire at 4.925 GB/s, and before the first the calls that start all copies and
  // record their events, 2.5 + 0.5 + 1.5 us each; a further clear-to-send once, some 6 us to and fro, and events seen
  // late.
  const Time ten = latency(staged, "3 MiB") - latency(staged, "1792 KiB");
  CHECK(ten > 266_us + 45_us);
  CHECK(ten < 266_us + 45_us + 15_us);
}

TEST_CASE("mpi on GPUs: the ends and the asking cost what the config says") {
  const Overrides quick = {{"/library/gpu/pointer_tests", "0"}};
  // Both sides of one message, 260 cycles of 2.6 GHz twice.
  CHECK(latency(staged, "8 B") - latency(staged, "8 B", quick) > 390_ns);
  CHECK(latency(staged, "8 B") - latency(staged, "8 B", quick) < 410_ns);  // but for edges of polling loops
  const Overrides ideal = {{"/library/cuda/driver/query_cycles", "1"}};
  const Time saved = latency(staged, "64 KiB") - latency(staged, "64 KiB", ideal);
  CHECK(saved > Time::zero());  // what is left of the last turn of each of two loops
  CHECK(saved < 4_us);
}

TEST_CASE("mpi on GPUs: a rendezvous that the card does alone has no copy and no event") {
  const report::Row row = row_of(direct, "8 KiB");
  for (const char* step : {"cudaMemcpy from the GPU", "cudaMemcpy to the GPU", "cudaEventRecord", "cudaEventQuery"})
    CHECK(steps(row, step) == 0);
  CHECK(steps(row, "handle a header") == 3);
  CHECK(steps(row_of(direct, "8193 B"), "cudaMemcpy from the GPU") == 1);  // eager
  CHECK(steps(row_of(direct, "16337 B"), "cudaEventRecord") == 2);         // staged
}

TEST_CASE("mpi on GPUs: short messages are eager where cores copy through windows") {
  const report::Row row = row_of(by_window, "8 KiB");
  CHECK(steps(row, "gdr_copy_from_mapping") == 1);
  CHECK(steps(row, "gdr_copy_to_mapping") == 1);
  CHECK(steps(row, "cudaMemcpy from the GPU") == 0);
  CHECK(steps(row, "handle a header") == 1);
  const report::Row longer = row_of(by_window, "8193 B");  // eager, too, by cudaMemcpy
  CHECK(steps(longer, "gdr_copy_from_mapping") == 0);
  CHECK(steps(longer, "cudaMemcpy from the GPU") == 1);
  // No rendezvous, and no read of a GPU by a card: a load's way to the GPU and back in place of them.
  CHECK(latency(by_window, "8 B") + 2_us < latency(direct, "8 B"));
  // 8 KiB come out of a window at its loads' rate, 16 B a load, and go into the other one at the bus's.
  CHECK(latency(by_window, "8 KiB") > latency(by_window, "8 B", {{"/library/gpu/gdrcopy_limit", "\"8 B\""}}) + 5_us);
}

TEST_CASE("mpi on GPUs: a message up to the limit of receiving is copied by its sender alone") {
  const auto events = [](const char* run, const char* size) { return steps(row_of(run, size), "cudaEventRecord"); };
  CHECK(events(by_window, "16337 B") == 1);
  CHECK(events(by_window, "128 KiB") == 1);
  CHECK(events(by_window, "131073 B") == 2);
  CHECK(events(direct, "16337 B") == 2);
  // The receiver's copy falls away, with its launch and its event: microseconds.
  CHECK(latency(by_window, "64 KiB") + 5_us < latency(direct, "64 KiB"));
}

TEST_CASE("mpi on GPUs: what cards and cores move themselves is not bound by the receiver's copy engine") {
  const Overrides slow = {{"/library/gpu/direct_limit", "\"0 B\""},
                          {"**/gpu0/copy_engines/tags", "1"},
                          {"**/gpu0/copy_engines/max_read_request", "\"128 B\""},
                          {"/scenario/source", "\"host\""}};
  const auto bounds = [&](const char* run, const char* receive_limit) {
    Overrides o = slow;
    o.push_back({"/library/gpu/receive_limit", receive_limit});
    o.push_back({"/scenario/sizes", list("64 KiB")});
    for (const report::Ceiling& c : rows_of(run, o).ceilings)
      if (c.name.find("tags x MRRS") != std::string::npos) return true;
    return false;
  };
  CHECK(bounds(direct, "\"0 B\""));
  CHECK_FALSE(bounds(direct, "\"128 KiB\""));
  CHECK_FALSE(bounds(by_window, "\"0 B\""));
}

TEST_CASE("mpi on GPUs: puts of windows by packets are staged at both ends, whatever cards may write") {
  const auto events = [](const Overrides& o) {
    return steps(row_of("osu_put_latency", "64 KiB", o), "cudaEventRecord");
  };
  CHECK(events({{"/library/gpu/receive_limit", "\"128 KiB\""}}) == events({}));
  CHECK(events({}) > 0);
}

TEST_CASE("mpi on GPUs: with pieces a message beyond the limit of reading is staged at both ends") {
  const Overrides r3 = {{"/library/rendezvous", "\"r3\""}, {"/library/r3_window", "\"64 KiB\""}};
  const report::Row row = row_of(by_window, "64 KiB", r3);
  CHECK(steps(row, "cudaEventRecord") == 2);
  CHECK(steps(row, "cudaMemcpy to the GPU") == 0);
}

TEST_CASE("mpi on GPUs: a program's own copy is a cudaMemcpy, whatever copies messages") {
  ProgramBench b(by_window);
  Time took;
  b.program(0, [&](comm::Rank& r) {
    const Time begin = r.now();
    r.copy({0_B, 64_B, "gpu0", {}, {}}, {0_B, 64_B, {}, {}, {}});
    took = r.now() - begin;
  });
  b.program(1, [](comm::Rank&) {});
  b.run();
  CHECK(took > 3_us);  // a call, a command and its release; through the window it is a tenth of that
}

TEST_CASE("mpi on GPUs: the card reaches the last byte of a GPU's window") {
  const auto with = [](const char* size) {
    return refusal(direct, {{"/machine/topology/devices/node0/devices/gpu0/bar_size", "\"1 MiB\""},
                            {"/machine/topology/devices/node0/devices/rc/slots/1/window_size", "\"17 MiB\""},
                            {"/library/gpu/direct_limit", "\"2 MiB\""},
                            {"/scenario/sizes", list(size)},
                            {"/scenario/iterations", "1"},
                            {"/scenario/warm_up", "0"}});
  };
  CHECK(with("1 MiB") == "no error");
  CHECK_THAT(with("1048577 B"), Catch::Contains("but its window shows 1 MiB"));
}

TEST_CASE("mpi on GPUs: reads of a GPU by the card are as slow as the root complex lets them be") {
  // Slots for reads between cards, 256 B each: 0.88 GB/s on this host, whatever the link.
  const Time more = latency(direct, "8 KiB") - latency(direct, "4 KiB");
  CHECK(more > 4_us);
  CHECK(more < 5_us);
}

TEST_CASE("mpi on GPUs: windows both ways with hardly a block to spare") {
  const Overrides tight = {{"/library/cuda", R"({"kind": "cuda"})"},
                           {"/library/gpu/pool", "2"},
                           {"/library/gpu/granted", "3"},
                           {"/library/gpu/block", "\"16 KiB\""},
                           {"/scenario/test", "\"bibw\""},
                           {"/scenario/window", "7"},
                           {"/scenario/source", "\"gpu0\""},
                           {"/scenario/target", "\"gpu1\""},
                           {"/scenario/sizes", R"(["4 KiB", "40000 B", "100 KiB"])"}};
  const report::Rows rows = rows_of("mpi_latency", tight);
  CHECK(rows.rows.size() == 3);
  Overrides by_packet = tight;
  by_packet.push_back({"/options/max_train", "1"});
  CHECK(report::digest(rows) == report::digest(rows_of("mpi_latency", by_packet)));
}

TEST_CASE("mpi on GPUs: between host and GPU") {
  const Overrides cuda = {{"/library/cuda", R"({"kind": "cuda"})"},
                          {"/scenario/sizes", R"(["8 B", "64 KiB", "1 MiB"])"}};
  const auto with = [&](const char* source, const char* target) {
    Overrides o = cuda;
    o.push_back({"/scenario/source", std::string("\"") + source + "\""});
    o.push_back({"/scenario/target", std::string("\"") + target + "\""});
    std::vector<Time> out;
    for (const report::Row& row : rows_of("mpi_latency", o).rows) out.push_back(cell<Time>(row, "latency"));
    return out;
  };
  const auto host = with("", ""), out = with("gpu0", ""), in = with("", "gpu0"), both = with("gpu0", "gpu0");
  for (std::size_t i = 0; i < host.size(); ++i) {
    CAPTURE(i);
    CHECK(host[i] < std::min(out[i], in[i]));
    CHECK(std::max(out[i], in[i]) < both[i]);
  }
}

TEST_CASE("mpi on GPUs: kernels of a rank, and copies that no core can do") {
  ProgramBench b(staged);
  Time took;
  b.program(0, [&](comm::Rank& r) {
    const Time begin = r.now();
    r.compute(Work{1'170'000'000, 1_KiB}, "gpu1");  // a millisecond at 1.175 TFLOPS
    took = r.now() - begin;
    const comm::Request in = r.world().irecv(0, 1, {0_B, 8_B, "gpu1", {}, {}});
    r.world().send(0, 1, {0_B, 8_B, "gpu0", {}, {}});
    r.world().wait_all({in});
  });
  b.program(1, [](comm::Rank&) {});
  CHECK_THROWS_WITH(b.run(), Catch::Contains("nobody copies from \"gpu0\" to \"gpu1\""));
  CHECK(took > 990_us);
  CHECK(took < 1005_us);
}

TEST_CASE("mpi on GPUs: what cannot work is refused before time 0") {
  const auto told = [](const char* run, const Overrides& o) { return refusal(run, o); };
  CHECK_THAT(told(staged, {{"/scenario/source", "\"gpu7\""}}),
             Catch::Contains("\"gpu7\" is no GPU with a copy engine of node0; there are: host, gpu0, gpu1"));
  CHECK_THAT(told("mpi_latency", {{"/scenario/source", "\"gpu0\""}}),
             Catch::Contains("library mpi moves host memory, not \"gpu0\", unless it is given a \"cuda\""));
  CHECK_THAT(told(staged, {{"/library/cuda", R"({"kind": "verbs"})"}}), Catch::Contains("is library verbs, not cuda"));
  CHECK_THAT(told(staged, {{"/library/depth", "1"}}), Catch::Contains("\"depth\" 1 has no room for a block"));
  CHECK_THAT(told(staged, {{"/scenario/sizes", R"(["6 GiB"])"}}), Catch::Contains("which has 5 GiB"));
  // At the other end, too.
  CHECK_THAT(told(staged, {{"/scenario/source", "\"host\""}, {"/scenario/sizes", R"(["6 GiB"])"}}),
             Catch::Contains("6 GiB of node1.gpu0, which has 5 GiB"));
  CHECK_THAT(told(direct, {{"/library/gpu/direct_limit", "\"1 GiB\""}, {"/scenario/sizes", R"(["300 MiB"])"}}),
             Catch::Contains("300 MiB of node0.gpu0 for GPUDirect RDMA, but its window shows 256 MiB"));
  CHECK_THAT(told(by_window, {{"/library/gpu/gdrcopy_limit", "\"300 MiB\""},
                              {"/library/gpu/direct_limit", "\"0 B\""},
                              {"/library/gpu/receive_limit", "\"0 B\""},
                              {"/scenario/sizes", R"(["300 MiB"])"}}),
             Catch::Contains("300 MiB of node0.gpu0 for GDRCopy, but its window shows 256 MiB"));
  CHECK_THAT(told(by_window, {{"/library/gpu/gdrcopy", R"({"kind": "cuda"})"}}),
             Catch::Contains("is library cuda, not gdrcopy"));
  CHECK_THAT(told("mpi_latency", {{"/library/gpu/gdrcopy", R"({"kind": "gdrcopy"})"}}),
             Catch::Contains("needs a \"cuda\", without which no message is a GPU's"));
  CHECK_THAT(told("ib_traffic", {{"/library", R"({"kind": "mpi", "cuda": {"kind": "cuda"}})"},
                                 {"/scenario", R"({"kind": "ping_pong"})"}}),
             Catch::Contains("has no GPU with a copy engine"));
}

}  // namespace mpi_gpu_test
