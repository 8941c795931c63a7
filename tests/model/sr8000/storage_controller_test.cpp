// SPDX-License-Identifier: Apache-2.0
// The storage controller of an SR8000 node between wires of several speeds.
#include "support/bench.hpp"

namespace storage_controller_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

host::OnChipConfig wire(std::int64_t bytes_per_ns) {
  host::OnChipConfig c;
  c.bandwidth = Rate::bytes_per_second(bytes_per_ns * 1'000'000'000);
  c.flight = 1_ns;
  return c;
}

net::PortSpec bus() {
  net::PortSpec p;
  p.name = "bus";
  p.protocol = "on_chip";
  return p;
}

}  // namespace

TEST_CASE("storage controller: what comes slowly begins so late that it keeps a fast wire from nobody") {
  Bench b;
  sr8000::StorageControllerConfig c;
  c.cores = 2;
  c.latency = 60_ns;
  b.device("sc", c);
  for (const char* name : {"core0", "core1", "memory"}) b.device(name, bus());
  b.wire("core0.bus", "sc.core0", wire(1));
  b.wire("core1.bus", "sc.core1", wire(4));
  b.wire("sc.memory", "memory.bus", wire(4));
  b.build();
  b.at(0_ns, [&] { b.probe("core0").write(0x1000, 64_B); });
  b.at(5_ns, [&] { b.probe("core1").write(0x2000, 8_B); });
  b.run();
  const std::vector<Arrival>& all = b.probe("memory").arrivals();
  REQUIRE(all.size() == 2);
  // 5 + 2 for 8 B, a flight, through the controller, a flight; the head may leave at once.
  CHECK(all[0].address == 0x2000);
  CHECK(all[0].tail == 5_ns + 2_ns + 1_ns + 60_ns + 1_ns);
  // The other one's tail comes at 64 + 1 + 60 and needs 16 ns of the fast wire, not the 64 of its own.
  CHECK(all[1].address == 0x1000);
  CHECK(all[1].tail == 64_ns + 1_ns + 60_ns + 1_ns);
  b.expect_all_home();
}

TEST_CASE("storage controller: the adapter may begin where the memory ends") {
  Bench b;
  sr8000::StorageControllerConfig c;
  c.cores = 1;
  c.memory_size = 1_MiB;
  c.adapter_base = 1_MiB;
  c.adapter_size = 4_KiB;
  b.device("sc", c);
  for (const char* name : {"core0", "memory", "adapter"}) b.device(name, bus());
  for (const char* name : {"core0", "memory", "adapter"})
    b.wire("sc." + std::string(name), name + std::string(".bus"), wire(4));
  b.build();
  const std::uint64_t end = unsigned_of(c.memory_size), last = end + unsigned_of(c.adapter_size) - 8;
  b.at(0_ns, [&] {
    for (const std::uint64_t address : {end - 8, end, last}) b.probe("core0").write(address, 8_B);
  });
  b.run();
  const auto addresses = [&](const char* name) {
    std::vector<std::uint64_t> out;
    for (const Arrival& a : b.probe(name).arrivals()) out.push_back(a.address);
    return out;
  };
  CHECK(addresses("memory") == std::vector<std::uint64_t>{end - 8});
  CHECK(addresses("adapter") == std::vector<std::uint64_t>{end, last});
  b.expect_all_home();
}

}  // namespace storage_controller_test
