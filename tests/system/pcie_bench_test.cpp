// SPDX-License-Identifier: Apache-2.0
// The micro-benchmarks on a machine of two sockets: against each other, against closed forms, in trains and one by one.
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace pcie_bench_system_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const std::string devices = "/machine/topology/devices/";
const std::string link = "/machine/topology/links/0/wire/";
const Overrides quiet{
    {link + "acks", "false"}, {link + "credit_updates", "false"}, {link + "skip_ordered_sets", "false"}};

Overrides with(Overrides a, const Overrides& more) {
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

Overrides of(const char* benchmark, const char* size, int transactions = 300) {
  return {{"/scenario/benchmark", benchmark},
          {"/scenario/sizes", std::string("[\"") + size + "\"]"},
          {"/scenario/transactions", std::to_string(transactions)}};
}

Time latency(const Overrides& o) { return cell<Time>(rows_of("pcie_lat_rd", with(quiet, o)).rows.at(0), "median"); }

double share_of_ceiling(const char* benchmark, const char* size) {
  const report::Rows rows = rows_of("pcie_bw_rd", of(benchmark, size, 4000));
  return cell<Time>(rows.rows.at(0), "least") / Time::from_fs(1) /
         static_cast<double>(cell<Time>(rows.rows.at(0), "time").fs());
}

}  // namespace

TEST_CASE("pcie_bench: the latency of a 64 byte read is the sum of the parts on its way") {
  // Gen3 x8: 1015625/8 fs a byte; 24 B there, 84 B back. 1.2 GHz: 120 and 48 cycles are 100 and 40 ns.
  const auto link_bytes = [](std::int64_t n) { return Time::from_fs((n * 1015625 + 7) / 8); };
  const auto bus_bytes = Time::from_fs(64'000'000 / 832 * 10 + 1);  // 64 B at 83.2 GB/s
  const Time card = 100_ns + 2 * 50_ns, host = 200_ns + 50_ns + 200_ns, flights = 2 * 1_ns + 2 * 1_ns;
  const Time there = card + host + flights + link_bytes(24) + link_bytes(84) + bus_bytes;
  const Time seen = latency(of("lat_rd", "64 B", 1));
  const Time cycle = Time::from_fs(833'334);
  CHECK(seen >= there + 40_ns - 10_fs);
  CHECK(seen <= there + 40_ns + cycle + 10_ps);  // on the next edge
}

TEST_CASE("pcie_bench: a command is faster by the cycles that it saves") {
  // 120 + 48 against 24 + 24 cycles of 1.2 GHz.
  const Time dma = latency(of("lat_rd", "64 B", 1));
  const Time command = latency(with(of("lat_rd", "64 B", 1), {{"/scenario/method", "command"}}));
  CHECK(dma - command >= 100_ns - 1_ns);
  CHECK(dma - command <= 100_ns + 1_ns);
}

TEST_CASE("pcie_bench: memory of another socket is farther by its way there and back") {
  const Time near = latency(of("lat_rd", "64 B"));
  const Time far = latency(with(of("lat_rd", "64 B"), {{"/scenario/node", "remote"}}));
  CHECK(far - near >= 2 * 20_ns + 2 * 10_ns);  // flights and the sockets' own
  CHECK(far - near <= 2 * 20_ns + 2 * 10_ns + 10_ns);
}

TEST_CASE("pcie_bench: a write that is waited for takes its own time before the read") {
  const Time read = latency(of("lat_rd", "64 B"));
  const Time both = latency(of("lat_wrrd", "64 B"));
  // Start, port, 88 B on the wire, end.
  CHECK(both - read >= 100_ns + 50_ns + 11_ns + 40_ns);
  CHECK(both - read <= 100_ns + 50_ns + 12_ns + 40_ns + 2_ns);
}

TEST_CASE("pcie_bench: bounds are of the machine that is simulated") {
  const auto least = [](const Overrides& o) { return cell<Time>(rows_of("pcie_bw_rd", o).rows.at(0), "least"); };
  const auto link_bytes = [](std::int64_t n) { return Time::from_fs((n * 1015625 + 7) / 8); };
  constexpr Time rounding = 1_fs;
  // Completions of 64 B; eight writes and four requests of 512 B for 2 KiB.
  CHECK(least(with(of("bw_rd", "256 B", 100), {{devices + "rc/completion_size", "64 B"}})) ==
        link_bytes(100 * 4 * 84) - rounding);
  CHECK(least(of("bw_rdwr", "2 KiB", 100)) == link_bytes(50 * (8 * 280 + 4 * 24)) - rounding);
  // Cycles of 1.2 GHz, the port twice, flights, request and completion.
  CHECK(least(of("lat_rd", "64 B", 1)) ==
        100_ns + 40_ns + 2 * 50_ns + 2 * 1_ns + link_bytes(24) + link_bytes(84) - Time::from_fs(4));
}

TEST_CASE("pcie_bench: bandwidth comes near its ceiling and never above it") {
  for (const char* benchmark : {"bw_rd", "bw_wr"}) {
    CAPTURE(benchmark);
    CHECK(share_of_ceiling(benchmark, "512 B") < 1);
    CHECK(share_of_ceiling(benchmark, "512 B") > 0.97);
  }
  CHECK(share_of_ceiling("bw_rdwr", "512 B") < 1);
  CHECK(share_of_ceiling("bw_rdwr", "512 B") > 0.9);
}

TEST_CASE("pcie_bench: reads of few tags are limited by tags over the latency") {
  // 16 tags, each of which brings 64 B a round trip without the cycles of the engine; 4 tags a quarter of that.
  const auto bandwidth = [](const char* tags) {
    const report::Row row =
        rows_of("pcie_bw_rd_fpga", with(of("bw_rd", "64 B", 4000), {{devices + "nic/engine/tags", tags}})).rows.at(0);
    return static_cast<double>(cell<Bytes>(row, "bytes").count()) / static_cast<double>(cell<Time>(row, "time").fs());
  };
  CHECK(bandwidth("8") / bandwidth("4") == Approx(2).epsilon(0.02));
  CHECK(bandwidth("4") / bandwidth("1") == Approx(4).epsilon(0.02));
}

namespace {

/// Reads of 64 B, line after line of a window, one round; caches of 16 sets and 20 KiB, of which cards have 2 KiB.
/// How many of them took DRAM's 50 ns, 60 cycles, longer than where no cache is modelled.
double from_dram(const char* cache, const char* node, Bytes window, const char* size = "64 B", int offset = 0) {
  const int units = static_cast<int>(window / 64_B) / (offset == 0 ? 1 : 2);
  const auto mean = [&](const char* llc) {
    Overrides o = with(quiet, of("lat_rd", size, units));
    for (const char* memory : {"memory", "memory1"})
      o.push_back(
          {devices + memory + "/llc", std::string(R"({"ways": 20, "device_ways": 2, "dram_latency": "50 ns", )") +
                                          R"("size": ")" + llc + R"("})"});
    o.push_back({"/scenario/cache", cache});
    o.push_back({"/scenario/node", node});
    o.push_back({"/scenario/pattern", "sequential"});
    o.push_back({"/scenario/offset", std::to_string(offset) + " B"});
    o.push_back({"/scenario/windows", "[\"" + std::to_string(window.count()) + " B\"]"});
    return cell<Time>(rows_of("pcie_lat_rd", o).rows.at(0), "mean");
  };
  return static_cast<double>((mean("20 KiB") - mean("0 B")).fs()) * units / static_cast<double>((50_ns).fs());
}

}  // namespace

TEST_CASE("pcie_bench: reads hit what is warm of the window and nothing else") {
  for (const char* node : {"local", "remote"}) {
    CAPTURE(node);
    CHECK(from_dram("cold", node, 4_KiB) == Approx(64).epsilon(0.001));
    CHECK(from_dram("host_warm", node, 20_KiB) == Approx(0).margin(0.01));
    CHECK(from_dram("host_warm", node, 20_KiB + 64_B) == Approx(1).epsilon(0.01));  // one set has a line too many
    CHECK(from_dram("device_warm", node, 2_KiB) == Approx(0).margin(0.01));
    CHECK(from_dram("device_warm", node, 2_KiB + 64_B) == Approx(1).epsilon(0.01));
    CHECK(from_dram("device_warm", node, 4_KiB) == Approx(32).epsilon(0.001));
  }
  CHECK(from_dram("host_warm", "local", 4_KiB, "64 B", 32) == Approx(0).margin(0.01));  // two lines each
  CHECK(from_dram("cold", "local", 4_KiB, "64 B", 32) == Approx(32).epsilon(0.001));
}

TEST_CASE("pcie_bench: trains change nothing") {
  for (const char* benchmark : {"lat_rd", "lat_wrrd", "bw_rd", "bw_wr", "bw_rdwr"})
    for (const char* size : {"64 B", "300 B", "512 B", "2 KiB"}) {
      CAPTURE(benchmark, size);
      const auto digest = [&](const char* max_train) {
        return report::digest(rows_of("pcie_bw_rd", with(of(benchmark, size), {{"/options/max_train", max_train}})));
      };
      const std::string one = digest("1");
      CHECK(digest("64") == one);
      CHECK(digest("3") == one);
    }
}

TEST_CASE("pcie_bench: a transfer may fill a page, with its offset") {
  const Overrides page = of("lat_rd", "4 KiB", 1);
  CHECK_NOTHROW(rows_of("pcie_lat_rd", page));
  const Overrides with_offset = with(of("lat_rd", "4033 B", 1), {{"/scenario/offset", "63 B"}});
  CHECK_NOTHROW(rows_of("pcie_lat_rd", with_offset));
}

TEST_CASE("pcie_bench: the seed alone decides what is drawn") {
  // Units of 320 B, some of which are cut by an alignment and some not.
  const auto digest = [](const char* seed) {
    return report::digest(rows_of("pcie_lat_rd", with(of("lat_rd", "300 B", 20), {{"/scenario/seed", seed}})));
  };
  CHECK(digest("1") == digest("1"));
  CHECK(digest("1") != digest("2"));
}

}  // namespace pcie_bench_system_test
