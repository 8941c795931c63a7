// SPDX-License-Identifier: Apache-2.0
// Host and kernels share the descriptor controller: whose turn it is, that none is lost, and to whom it completes.
#include "model/gpu_fpga/fpga_bench.hpp"
#include "stats/random.hpp"

namespace fpga_test {

TEST_CASE("a host's table of descriptors is fetched and run and each says that it is done") {
  FpgaBench b;
  b.build_with_host();
  std::vector<Descriptor> all;
  for (int i = 0; i < 128; ++i)
    all.push_back({host_buffer + unsigned_of(4_KiB * i), unsigned_of(4_KiB * (127 - i)), 4_KiB, i});
  b.program("driver", [&](Fiber& f) {
    run_table(b, f, Direction::read, all);
    await_status(b, f, Direction::read, 127);
  });
  b.run();
  Bytes moved;
  for (const host::Extent& e : b.card().extents()) moved += e.length;
  CHECK(moved == 512_KiB);
  b.expect_all_home();
}

TEST_CASE("of descriptors that are there at once the host's go first") {
  FpgaBench b;
  b.build_with_host();
  std::vector<int> order;
  b.program("driver", [&](Fiber& f) {
    std::vector<Descriptor> all;
    for (int i = 0; i < 16; ++i) all.push_back({0, host_buffer + unsigned_of(4_KiB * i), 4_KiB, i});
    run_table(b, f, Direction::write, all);
    await_status(b, f, Direction::write, 15);
  });
  // From before the table is there to behind its end.
  b.program("kernel", [&](Fiber& f) {
    for (int i = 0; i < 64; ++i)
      b.card().write_descriptor(
          f, Direction::write,
          encode({0x10'0000, host_buffer + 0x10'0000 + unsigned_of(4_KiB * i), 4_KiB, 128 + i}, Writer::kernel));
    for (int i = 0; i < 64; ++i) CHECK(b.card().read_status(f, Direction::write).id == 128 + i);
  });
  b.run();
  // Writes leave in the order of the descriptors: once the host's have begun, no other comes between them.
  std::vector<bool> hosts;
  for (const host::Extent& e : b.memory().extents())
    if (e.length == 256_B) hosts.push_back(e.address < host_buffer + 0x10'0000);
  const auto begin = std::find(hosts.begin(), hosts.end(), true);
  const auto end = std::find(begin, hosts.end(), false);
  CHECK(begin != hosts.begin());
  CHECK(end - begin == 16 * 16);
  CHECK(end != hosts.end());
  b.expect_all_home();
}

TEST_CASE("thousands of descriptors of host and kernel keep their ids and lose none") {
  FpgaBench b;
  b.build_with_host(64);
  for (int i = 0; i < 2; ++i) b.machine().get<host::Core>("core").add_program();  // a thread for each direction
  constexpr int rounds = 10;
  int of_host = 0;
  int of_kernel = 0;
  Bytes read;
  Bytes written;
  for (const Direction way : {Direction::read, Direction::write}) {
    const std::string name = way == Direction::read ? "reads" : "writes";
    const auto next = [way](stats::RandomStream& r, int id, std::uint64_t base) {
      const Bytes n(4 * (1 + r.below(r.below(4) == 0 ? 2000 : 40)));
      const std::uint64_t there = base + 4 * static_cast<std::uint64_t>(r.below(10'000));
      const std::uint64_t here = 4 * static_cast<std::uint64_t>(r.below(100'000));
      return way == Direction::read ? Descriptor{there, here, n, id} : Descriptor{here, there, n, id};
    };
    b.program("host " + name, [&, way, name, next](Fiber& f) {
      stats::RandomStream r(1, "host " + name);
      for (int k = 0; k < rounds; ++k) {
        std::vector<Descriptor> all;
        const int count = static_cast<int>(1 + r.below(128));
        for (int i = 0; i < count; ++i) {
          all.push_back(next(r, i, host_buffer));
          (way == Direction::read ? read : written) += all.back().length;
        }
        run_table(b, f, way, all);
        for (int i = 0; i < count; ++i) {
          await_status(b, f, way, i);
          ++of_host;
        }
      }
    });
    b.program("kernel " + name, [&, way, name, next](Fiber& f) {
      stats::RandomStream r(1, "kernel " + name);
      for (int k = 0; k < rounds; ++k) {
        const int count = static_cast<int>(1 + r.below(128));
        for (int i = 0; i < count; ++i) {
          const Descriptor d = next(r, 128 + i, host_buffer + 0x10'0000);
          (way == Direction::read ? read : written) += d.length;
          b.card().write_descriptor(f, way, encode(d, Writer::kernel));
          if (r.below(3) == 0) f.wait_for(Time::from_fs(r.below(1'000'000'000)));
        }
        for (int i = 0; i < count; ++i) {
          CHECK(b.card().read_status(f, way).id == 128 + i);
          ++of_kernel;
        }
      }
    });
  }
  b.run();
  CHECK(of_host > 1000);
  CHECK(of_kernel > 1000);
  for (const host::Extent& e : b.card().extents()) read -= e.length;
  CHECK(read == 0_B);
  for (const host::Extent& e : b.memory().extents())
    if (e.address >= host_buffer) written -= e.length;
  CHECK(written == 0_B);
  b.expect_all_home();
}

TEST_CASE("a bad descriptor in a host's table ends the run with its reason") {
  FpgaBench b;
  b.build_with_host();
  b.program("driver", [&](Fiber& f) {
    auto& core = b.machine().get<host::Core>("core");
    core.store(f, host_table + Registers::of_descriptor(0), 8_B, host_buffer, 0);
    core.store(f, host_table + Registers::of_descriptor(0) + 16, 8_B, 0, 0);
    core.store(f, b.card().register_address(Registers::table), 8_B, host_table, 0);
    core.store(f, b.card().register_address(Registers::last), 8_B, 0, 0);
  });
  CHECK(b.failure() == "fpga: the host's table has a descriptor with a length of 0 B");
}

}  // namespace fpga_test
