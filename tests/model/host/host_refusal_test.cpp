// SPDX-License-Identifier: Apache-2.0
// Reads on a host's bus that nobody can answer.
#include "models/host/refusal.hpp"
#include "support/bench.hpp"

namespace host_refusal_test {

using namespace tsunagi;
using namespace tsunagi::test;
using host::TransactionStatus;

namespace {

constexpr Time flight = 1_ns;

net::PortSpec bus_port(const std::string& name) {
  net::PortSpec p = port(name);
  p.protocol = "on_chip";
  return p;
}

host::OnChipConfig bus() {
  host::OnChipConfig c;
  c.bandwidth = Rate::infinite();
  c.flight = flight;
  return c;
}

/// What a core says to an answer that tells it so.
std::string failure(TransactionStatus status) {
  Bench b;
  b.device("core", host::CoreConfig{});
  b.device("host", bus_port("bus"));
  b.wire("core.bus", "host.bus", bus());
  b.build();
  b.at(1_ns, [&] {
    net::Delivery d;
    d.packet = host::make_read(b.machine().pool(), 0x1000, 8_B);
    host::set_failed(*d.packet, status);
    d.schedule = net::Schedule::at(1_ns);
    b.machine().get<host::Core>("core").receive(0, std::move(d));
  });
  return b.failure();
}

}  // namespace

TEST_CASE("a core whose read nobody answered says so") {
  CHECK(failure(TransactionStatus::address_error) == "core: nobody answered its read (address error)");
}

TEST_CASE("a core whose read failed where it came to says so") {
  CHECK(failure(TransactionStatus::device_error) == "core: its read failed where it came to (device error)");
}

TEST_CASE("a read beyond a memory's end is answered without data, as late as its data would have come") {
  Bench b(sim::Kernel::shared);
  host::MemoryConfig c;
  c.size = 1_MiB;
  c.read_latency = 50_ns;
  b.device("source", bus_port("out"));
  b.device("memory", c);
  b.wire("source.out", "memory.bus", bus());
  b.build();
  b.at(0_ns, [&] { b.probe("source").read((1 << 20) - 32, 64_B); });
  b.run();
  b.probe("source").expect_first_at(flight + 50_ns + flight);
  REQUIRE(b.probe("source").arrivals().size() == 1);
  CHECK(b.probe("source").arrivals()[0].tlp_class == pcie::completion);
  CHECK(b.probe("source").arrivals()[0].payload == 0_B);
  CHECK(b.probe("source").arrivals()[0].completed == 64_B);
  b.expect_all_home();
}

}  // namespace host_refusal_test
