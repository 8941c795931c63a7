// SPDX-License-Identifier: Apache-2.0
// What nvbandwidth and CUDA's samples print, as measured values.
#include "box/measured/tool_text.hpp"

#include <algorithm>
#include <random>

#include "support/catch.hpp"

namespace tool_text_test {

using namespace tsunagi;
using namespace tsunagi::box;

namespace {

/// Two sockets with a memory and two GPUs each; GPUs of one socket reach each other. Adapters: one a socket, which read
/// and write memories and GPUs.
Plan server(bool adapters = false) {
  Plan out;
  const auto place = [&](const char* name, Place::Kind kind, std::uint32_t socket) {
    out.server.places.push_back({name, name, kind, 0, socket, {}});
  };
  place("memory", Place::Kind::memory, 0);
  place("memory1", Place::Kind::memory, 1);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) place(("gpu" + std::to_string(gpu)).c_str(), Place::Kind::gpu, gpu / 2);
  if (adapters) {
    place("hca", Place::Kind::adapter, 0);
    place("hca1", Place::Kind::adapter, 1);
  }
  const auto& places = out.server.places;
  for (std::size_t from = 0; from < places.size(); ++from)
    for (std::size_t to = 0; to < places.size(); ++to) {
      const bool gpus = places[from].kind == Place::Kind::gpu && places[to].kind == Place::Kind::gpu;
      const bool near = places[from].root_complex == places[to].root_complex;
      const bool adapter = places[from].kind == Place::Kind::adapter || places[to].kind == Place::Kind::adapter;
      if (from == to) continue;
      for (const What what : all_whats) {
        if ((what == What::both_ways && from > to) || (what == What::read && !(gpus && near) && !adapter)) continue;
        Cell c{from, to, what, near, ""};
        c.chunks = gpus && !near;
        if (!c.chunks || what == What::one_way) c.reading = Reading{};
        out.cells.push_back(c);
      }
    }
  return out;
}

Plan with_adapters() { return server(true); }

/// "gpu0 > memory one_way 12.5 @3": bandwidths in GB/s and lines.
std::vector<std::string> cells_of(const std::string& text, const Plan& plan) {
  std::vector<std::string> out;
  for (const Measured& m : read_measured("own.txt", text, plan).cells) {
    const auto& places = plan.server.places;
    char value[40];
    std::snprintf(value, sizeof value, "%.2f", m.value * 1e-9);
    out.push_back(places[m.from].name + " > " + places[m.to].name + " " + name_of(m.what) + " " + value + " @" +
                  std::to_string(m.line));
  }
  return out;
}

std::string fault_of(const std::string& text, const Plan& plan) {
  try {
    read_measured("own.txt", text, plan);
  } catch (const config::ConfigError& e) {
    return e.messages().front().place.text() + ": " + e.messages().front().text;
  }
  return "";
}

std::string running(const std::string& test, const std::string& title, const std::string& table) {
  return "Running " + test + ".\n" + title + "\n" + table + "\nSUM " + test + " 1.00\n\n";
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("tool text: nvbandwidth's tables of the host are of memories at the GPUs' sockets") {
  const Plan plan = server();
  const std::string head =
      "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\nDevice 0: A (00000000:18:00)\n\n";
  const std::string four = "           0         1         2         3\n 0     11.00     12.00     13.00     14.00\n";
  CHECK(cells_of(head + running("host_to_device_memcpy_ce", "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", four),
                 plan) == Strings{"memory > gpu0 one_way 11.00 @9", "memory > gpu1 one_way 12.00 @9",
                                  "memory1 > gpu2 one_way 13.00 @9", "memory1 > gpu3 one_way 14.00 @9"});
  const std::string two = "           0         1\n 0     11.00     12.00\n";
  CHECK(cells_of(running("device_to_host_memcpy_ce", "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)", two),
                 plan) == Strings{"gpu0 > memory one_way 11.00 @4", "gpu1 > memory one_way 12.00 @4"});
  // Of both ways each test reports one.
  const std::string title = "memcpy CE CPU(row) <-> GPU(column) bandwidth (GB/s)";
  CHECK(cells_of(running("host_to_device_bidirectional_memcpy_ce", title, two) +
                     running("device_to_host_bidirectional_memcpy_ce", title, four),
                 plan) == Strings{"memory > gpu0 both_ways 22.00 @11", "memory > gpu1 both_ways 24.00 @11"});
}

TEST_CASE("tool text: who reads and who writes between GPUs is as nvbandwidth's tests say, not as their titles do") {
  const Plan plan = server();
  const std::string table = "           0         1\n 0       N/A     26.34\n 1     21.95       N/A\n";
  CHECK(
      cells_of(running("device_to_device_memcpy_write_ce", "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)", table),
               plan) == Strings{"gpu0 > gpu1 one_way 26.34 @4", "gpu1 > gpu0 one_way 21.95 @5"});
  CHECK(
      cells_of(running("device_to_device_memcpy_read_ce", "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)", table),
               plan) == Strings{"gpu1 > gpu0 read 26.34 @4", "gpu0 > gpu1 read 21.95 @5"});
  const std::string both = "device_to_device_bidirectional_memcpy_write_ce";
  const std::string way = "memcpy CE CPU(row) <-> GPU(column) ";
  CHECK(cells_of("Running " + both + ".\n" + way + "Read1 bandwidth (GB/s)\n" + table + "\n" + way +
                     "Total bandwidth (GB/s)\n" + table,
                 plan) == Strings{"gpu0 > gpu1 both_ways 26.34 @9"});
}

TEST_CASE("tool text: p2pBandwidthLatencyTest, with peer access and without") {
  const Plan plan = server();
  const std::string table =
      "   D\\D     0      1      2      3 \n     0 671.57  11.46   9.00   9.10 \n     1  11.52 673.80   9.20   9.30 \n";
  const std::string text =
      "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\nP2P Connectivity Matrix\n     D\\D     0     1\n     0\t     1 "
      "    "
      "1\n"
      "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n" +
      table + "Unidirectional P2P=Enabled Bandwidth (P2P Reads) Matrix (GB/s)\n" + table +
      "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n" + table + "P2P=Disabled Latency Matrix (us)\n" + table;
  CHECK(cells_of(text, plan) == Strings{"gpu0 > gpu2 one_way 9.00 @7", "gpu0 > gpu3 one_way 9.10 @7",
                                        "gpu1 > gpu2 one_way 9.20 @8", "gpu1 > gpu3 one_way 9.30 @8",
                                        "gpu1 > gpu0 read 11.46 @11", "gpu0 > gpu1 read 11.52 @12",
                                        "gpu0 > gpu1 both_ways 11.46 @15"});
  const auto left = read_measured("own.txt", text, plan).left_out;
  REQUIRE(left.size() == 1);
  CHECK(left[0].place.text() == "own.txt:17:1");
  CHECK(left[0].text == "\"P2P=Disabled Latency Matrix (us)\" is left out: the matrix has no such cells");
  // Without "(P2P Reads)" the row writes.
  CHECK(cells_of("Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)\nD\\D 0 1\n0 600 11.4\n", plan) ==
        Strings{"gpu0 > gpu1 one_way 11.40 @3"});
}

TEST_CASE("tool text: bandwidthTest's largest size counts") {
  const Plan plan = server();
  CHECK(cells_of("[CUDA Bandwidth Test] - Starting...\n Device 0: GeForce\n\n Host to Device Bandwidth, 1 Device(s)\n"
                 " PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(MB/s)\n   1000\t\t500.0\n"
                 "   33554432\t\t12151.0\n\n Device to Host Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
                 "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   33554432\t\t12.9\n\n Device to Device Bandwidth, 1 "
                 "Device(s)\n   Transfer Size (Bytes)\tBandwidth(GB/s)\n   33554432\t\t500.0\nResult = PASS\n",
                 plan) == Strings{"memory > gpu0 one_way 12.15 @8", "gpu0 > memory one_way 12.90 @13"});
}

TEST_CASE("tool text: perftest's device is an adapter, who waited is written to, and 64 KiB or 8 B count") {
  const Plan plan = with_adapters();
  const std::string bw = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";
  const auto test = [](const std::string& title, const std::string& device, const std::string& table) {
    return "----\n                    " + title + "\n Dual-port       : OFF\t\tDevice         : " + device + "\n" +
           table + "----\n";
  };
  const std::string rows =
      " 2          5000             5.00               4.00\t\t   0.1\n 65536      5000             2000.00            "
      "1000.00\t\t   0.1\n 131072      5000             2000.00            3000.00\t\t   0.1\n";
  CHECK(cells_of(test("RDMA_Write BW Test", "mlx5_0", bw + rows), plan) == Strings{"memory > hca one_way 1.05 @6"});
  CHECK(cells_of("* Waiting for client to connect... *\n" + test("RDMA_Write BW Test", "mlx5_1", bw + rows), plan) ==
        Strings{"hca1 > memory1 one_way 1.05 @7"});
  // Who begins ib_read_bw gets the bytes.
  CHECK(cells_of(test("RDMA_Read BW Test", "mlx5_0", bw + rows), plan) == Strings{"hca > memory read 1.05 @6"});
  CHECK(cells_of("* Waiting for client to connect... *\n" + test("RDMA_Read BW Test", "mlx5_0", bw + rows), plan) ==
        Strings{"memory > hca read 1.05 @7"});
  const std::string gbit =
      " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 1048576 100 99 80 0.1\n";
  CHECK(cells_of("Picking device No. 3\n" + test("RDMA_Write BW Test", "mlx5_1", gbit) +
                     test("RDMA_Write Bidirectional BW Test", "mlx5_0", gbit),
                 plan) == Strings{"gpu3 > hca1 one_way 10.00 @6", "memory > hca both_ways 10.00 @12"});
  const std::string latency =
      " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]\n 2 1000 0.7 5.0 0.8 0.9\n"
      " 8 1000 0.7 5.0 0.81 0.9\n 16 1000 0.7 5.0 0.9 0.9\n";
  const auto read = read_measured("own.txt", test("RDMA_Write Latency Test", "mlx4_0", latency), plan).cells;
  REQUIRE(read.size() == 1);
  CHECK(read[0].value == Approx(0.81e-6));
  CHECK(read[0].what == What::latency);
  const auto left =
      read_measured("own.txt",
                    test("RDMA_Write BW Test", "mlx5_0", gbit) + test("Send BW Test", "mlx5_0", gbit) +
                        test("RDMA_Write BW Test", "mlx5_7", gbit) + test("RDMA_Read BW Test", "mlx5_0", ""),
                    plan)
          .left_out;
  REQUIRE(left.size() == 3);
  CHECK(left[0].place.text() == "own.txt:8:1");
  CHECK(left[0].text == "\"Send BW Test\" is left out: the matrix has no such cells");
  CHECK(left[1].text == "\"RDMA_Write BW Test\" is left out: the machine has no such adapter");
  CHECK(left[2].text == "\"RDMA_Read BW Test\" is left out: it has no line of a size");
}

TEST_CASE("tool text: what cannot be taken is told with its line") {
  const Plan plan = server();
  const std::string title = "Running host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n";
  CHECK(fault_of(title, plan) == "own.txt:2:1: breaks off behind a table's title");
  CHECK(fault_of(title + "0 2\n", plan) == "own.txt:3:1: a line of columns' numbers, 0 1 2 and so on, is expected");
  CHECK(fault_of(title + "\n", plan) == "own.txt:3:1: a line of columns' numbers, 0 1 2 and so on, is expected");
  CHECK(fault_of(title + "0 1 2 3 4\n", plan) == "own.txt:3:1: has 5 GPUs, the machine 4");
  CHECK_THAT(fault_of("nvbandwidth Version: v0.8\n", plan),
             Catch::StartsWith("own.txt:1:1: no table of it has a cell"));
  CHECK(fault_of("Host to Device Bandwidth, 1 Device(s)\n", plan) == "own.txt:1:1: breaks off behind a list's title");
  // By SMs, not by copy engines.
  const std::string good = title + "0 1\n0 11.0 12.0\n\n";
  const auto left = read_measured("own.txt",
                                  good +
                                      "Running host_to_device_memcpy_sm.\nmemcpy SM CPU(row) -> GPU(column) bandwidth "
                                      "(GB/s)\n0 1\n0 11.0 12.0\n",
                                  plan)
                        .left_out;
  REQUIRE(left.size() == 1);
  CHECK(left[0].text == "\"host_to_device_memcpy_sm\" is left out: the matrix has no such cells");
}

TEST_CASE("tool text: all at once each GPU has its buffer at its own socket") {
  const Plan plan = server();
  const auto cells =
      read_measured("own.txt",
                    running("host_to_all_memcpy_ce", "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
                            "0 1 2 3\n0 11.0 12.0 13.0 14.0\n") +
                        running("all_to_host_memcpy_ce", "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)",
                                "0 1 2 3\n0 21.0 22.0 23.0 24.0\n"),
                    plan)
          .cells;
  REQUIRE(cells.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    const Place& from = plan.server.places[cells[i].from];
    const Place& to = plan.server.places[cells[i].to];
    CHECK(cells[i].what == What::at_once);
    CHECK(from.root_complex == to.root_complex);
    CHECK((i < 4 ? to : from).name == "gpu" + std::to_string(i % 4));
    CHECK((i < 4 ? from : to).kind == Place::Kind::memory);
  }
}

TEST_CASE("tool text: any bytes are read or refused with places") {
  const Plan plan = with_adapters();
  const std::string good =
      "Picking device No. 1\n RDMA_Write BW Test\n Dual-port : OFF Device         : mlx5_1\n #bytes #iterations BW "
      "peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]\n 65536 5000 12000.00 11990.00 0.19\n" +
      running("device_to_device_memcpy_read_ce", "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
              "           0         1\n 0       N/A     26.34\n 1     21.95       N/A\n") +
      "Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n   D\\D     0      1 \n     0 671.57  11.46 \n" +
      "Host to Device Bandwidth, 1 Device(s)\n   Transfer Size (Bytes)\tBandwidth(GB/s)\n   33554432\t\t12.1\n";
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (auto n = random() % 4; n < 4; ++n) {
      const std::size_t at = random() % text.size();
      const char c = random() % 2 == 0 ? "\n 0-9e.(:"[random() % 9] : static_cast<char>(random() % 256);
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 60);
      else if (random() % 2 == 0)
        text.insert(at, 1 + random() % 3, c);
      else
        text[at] = c;
      if (text.empty()) text = "\n";
    }
    try {
      for (const Measured& m : read_measured("own.txt", text, plan).cells) {
        REQUIRE(m.value > 0);
        REQUIRE(m.from < plan.server.places.size());
        REQUIRE(m.to < plan.server.places.size());
        REQUIRE(m.from != m.to);
      }
    } catch (const config::ConfigError& e) {
      ++refused;
      for (const config::Message& m : e.messages()) REQUIRE(m.place.line >= 1);
    }
  }
  CHECK(refused > 500);
  CHECK(refused < 20000);
}

}  // namespace tool_text_test
