// SPDX-License-Identifier: Apache-2.0
// Tables of the host's descriptors: how they come to their FIFO.
#include "model/gpu_fpga/fpga_bench.hpp"

namespace fpga_test {

TEST_CASE("a table is fetched while the host's FIFO is full, and run while another one's fetch waits there") {
  FpgaBench b;
  b.config.controller.host_fifo = 1;
  b.config.controller.first = fpga::First::kernel;
  b.build_with_host();
  constexpr int reads = 8;
  b.program("driver", [&](Fiber& f) {
    // The second table is started before the first one's descriptor has come, and behind that.
    for (const Time between : {400_ns, 2_us}) {
      run_table(b, f, Direction::read, {{host_buffer, 0, 4_KiB, 0}});
      f.wait_for(between);
      // Kernels keep the mover from the host's.
      for (int i = 0; i < reads; ++i)
        b.card().write_descriptor(f, Direction::read,
                                  encode({host_buffer, 0x10'0000, 64_KiB, 128 + i}, Writer::kernel));
      f.wait_for(between);
      run_table(b, f, Direction::write, {{0, host_buffer + 0x10'0000, 4_KiB, 0}});
      for (int i = 0; i < reads; ++i) CHECK(b.card().read_status(f, Direction::read).id == 128 + i);
      for (const Direction way : {Direction::read, Direction::write}) await_status(b, f, way, 0);
    }
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("a table runs in its order though its second page is translated first") {
  FpgaBench b;
  b.config.read_mover.max_read_request = 128_B;
  b.config.read_mover.tags = 64;
  b.iommu = slow_walks();
  b.build_with_host();
  std::vector<Descriptor> all;
  for (int i = 0; i < Registers::descriptors; ++i)
    all.push_back({unsigned_of(4_KiB * i), host_buffer + unsigned_of(4_B * i), 4_B, i});
  b.program("driver", [&](Fiber& f) {
    // The page with the end of the table is known, that with its beginning is not.
    const std::uint64_t second = host_table + 0x2000 * static_cast<std::uint64_t>(Direction::write) + 0x1000;
    REQUIRE(Registers::of_descriptor(Registers::descriptors - 1) >= 0x1000);
    b.card().write_descriptor(f, Direction::read, encode({second, 0, 4_B, 128}, Writer::kernel));
    b.card().read_status(f, Direction::read);
    run_table(b, f, Direction::write, all);
    await_status(b, f, Direction::write, Registers::descriptors - 1);
  });
  b.run();
  std::vector<std::uint64_t> addresses;
  for (const host::Extent& e : b.memory().extents())
    if (e.address >= host_buffer) addresses.push_back(e.address);
  REQUIRE(addresses.size() == all.size());
  CHECK(std::is_sorted(addresses.begin(), addresses.end()));
  b.expect_all_home();
}

TEST_CASE("a table's fetch is asked for when its register has been decoded, handed over and loaded") {
  FpgaBench b;
  b.build_with_probe();
  b.at(0_ns, [&] {
    b.probe("bus").says(0);
    b.probe("bus").write(b.card().register_address(Registers::last), 8_B);
  });
  b.run();
  const Time arrived = on_wire(on_link(8_B)) + flight + receive;
  b.probe("bus").expect_first_at(edge(arrived) + cycle * (1 + 4 + 4) + transmit + on_wire(20_B) + flight);
}

TEST_CASE("a status word leaves behind its descriptor's last write") {
  FpgaBench b;
  b.build_with_host();
  b.program("driver", [&](Fiber& f) {
    run_table(b, f, Direction::write, {{0, host_buffer, 4_B, 0}});
    await_status(b, f, Direction::write, 0);
  });
  b.run();
  const std::uint64_t status = host_table + 0x2000 + Registers::of_status(0);
  Time data;
  Time said;
  for (const host::Extent& e : b.memory().extents()) {
    if (e.address == host_buffer) data = e.when;
    if (e.address == status) said = e.when;
  }
  // Two cycles to the completion signal, one for its word.
  CHECK(said - data == cycle * 3);
}

TEST_CASE("a table that the FIFO does not hold ends the run with its reason") {
  FpgaBench b;
  b.config.controller.host_fifo = 3;
  b.build_with_host();
  b.program("driver", [&](Fiber& f) {
    b.machine().get<host::Core>("core").store(f, b.card().register_address(Registers::last), 8_B, 3, 0);
  });
  CHECK(b.failure() == "fpga: a table of 4 descriptors, but their FIFO holds 3");
}

}  // namespace fpga_test
