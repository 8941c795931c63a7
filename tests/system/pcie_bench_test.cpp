// SPDX-License-Identifier: Apache-2.0
// The micro-benchmarks on a machine of two sockets: against each other, against closed forms, in trains and one by one.
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "units/parse.hpp"

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

/// Parts of round numbers, whatever the shipped ones are calibrated to.
Overrides round_parts() {
  Overrides o;
  for (const char* socket : {"rc", "rc1"}) {
    const std::string rc = devices + socket + "/";
    for (const char* way : {"read_latency", "completion_latency"}) o.push_back({rc + way, "200 ns"});
    o.push_back({rc + "posted_latency", "150 ns"});
    o.push_back({rc + "remote_latency", "10 ns"});
  }
  const std::string engine = devices + "nic/engine/";
  const Overrides card{{engine + "start_cycles", "120"},
                       {engine + "end_cycles", "48"},
                       {engine + "command/start_cycles", "24"},
                       {engine + "command/end_cycles", "24"},
                       {engine + "read_interval_cycles", "0"},
                       {engine + "write_interval_cycles", "0"},
                       {engine + "bus", "{}"}};
  return with(o, card);
}

Overrides of(const char* benchmark, const char* size, int transactions = 300) {
  return with(round_parts(), {{"/scenario/benchmark", benchmark},
                              {"/scenario/sizes", std::string("[\"") + size + "\"]"},
                              {"/scenario/transactions", std::to_string(transactions)}});
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

TEST_CASE("pcie_bench: an operation's bytes cross the card's bus as a whole") {
  const std::string bus = devices + "nic/engine/bus/";
  const Overrides none{{bus + "rate", "1000 GB/s"}, {bus + "burst_cycles", "0"}};
  const Overrides some{{bus + "rate", "8 GB/s"}, {bus + "burst_cycles", "12"}, {bus + "burst", "512 B"}};  // 10 ns
  const Time cycle = Time::from_fs(833'334);
  for (const char* size : {"64 B", "512 B", "2 KiB"}) {
    CAPTURE(size);
    const auto more = [&](const char* benchmark, const char* method) {
      const Overrides run = with(of(benchmark, size, 1), {{"/scenario/method", method}});
      return latency(with(run, some)) - latency(with(run, none));
    };
    const Bytes n = parse_bytes(size);
    const Time bytes = Time::from_fs(n.count() * 124'000);  // 1/8 less 1/1000 of a nanosecond each
    const Time set_up = units_of(n, 512_B) * 10_ns;
    // Requests are of 512 B, too, and one is behind the other: all have crossed before the first leaves.
    CHECK(more("lat_rd", "dma") >= 2 * set_up + bytes - 2 * cycle);
    CHECK(more("lat_rd", "dma") <= 2 * set_up + bytes + 2 * cycle);
    CHECK(more("lat_wrrd", "dma") >= 3 * set_up + 2 * bytes - 4 * cycle);
    CHECK(more("lat_wrrd", "dma") <= 3 * set_up + 2 * bytes + 4 * cycle);
    if (n > 64_B) continue;
    CHECK(more("lat_rd", "command") >= bytes - 2 * cycle);
    CHECK(more("lat_rd", "command") <= bytes + 2 * cycle);
  }
}

TEST_CASE("pcie_bench: operations by descriptor of one direction keep their interval, commands do not") {
  // 60 and 120 cycles of 1.2 GHz are 50 and 100 ns; a card does both directions side by side.
  const Overrides slow{{devices + "nic/engine/read_interval_cycles", "60"},
                       {devices + "nic/engine/write_interval_cycles", "120"}};
  const auto time = [&](const char* benchmark, const Overrides& more) {
    return cell<Time>(rows_of("pcie_bw_rd", with(with(of(benchmark, "16 B", 2000), slow), more)).rows.at(0), "time");
  };
  CHECK(time("bw_rd", {}) >= 1999 * 50_ns);
  CHECK(time("bw_rd", {}) <= 2000 * 50_ns + 2_us);
  CHECK(time("bw_wr", {}) >= 1999 * 100_ns);
  CHECK(time("bw_wr", {}) <= 2000 * 100_ns + 2_us);
  CHECK(time("bw_rdwr", {}) >= 999 * 100_ns);
  CHECK(time("bw_rdwr", {}) <= 1000 * 100_ns + 2_us);
  CHECK(time("bw_rd", {{"/scenario/method", "command"}}) < 1000 * 50_ns);
  // Those of the first instant, too.
  CHECK(time("bw_wr", {{devices + "nic/engine/start_cycles", "0"}}) >= 1999 * 100_ns);
}

TEST_CASE("pcie_bench: what crosses the card's bus and keeps intervals is the same in trains") {
  const Overrides card{{devices + "nic/engine/bus/rate", "5 GB/s"},
                       {devices + "nic/engine/read_interval_cycles", "17"},
                       {devices + "nic/engine/write_interval_cycles", "25"}};
  for (const char* benchmark : {"bw_rd", "bw_wr", "bw_rdwr", "lat_wrrd"}) {
    CAPTURE(benchmark);
    const auto digest = [&](const char* max_train) {
      return report::digest(
          rows_of("pcie_bw_rd", with(with(of(benchmark, "1500 B", 500), card), {{"/options/max_train", max_train}})));
    };
    CHECK(digest("1") == digest("64"));
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
