// SPDX-License-Identifier: Apache-2.0
// Where the CUDA driver keeps rings, push buffers and semaphores.
#include "models/libraries/cuda/cuda_driver.hpp"

#include <set>

#include "support/bench.hpp"

namespace cuda_driver_test {

using namespace tsunagi;
using namespace tsunagi::test;
using gpu::Aperture;

TEST_CASE("each copy engine's channel has a page of its own in the driver's area") {
  Bench b;
  host::MemoryConfig memory;
  memory.record = true;
  gpu::GpuConfig card;
  card.copy_engines.count = 2;
  host::RootComplexConfig rc;
  rc.slots = {{"slot", card.bar_base, card.bar_size + card.register_size}};
  host::OnChipConfig bus;
  bus.bandwidth = Rate::infinite();
  b.device("core", host::CoreConfig{});
  b.device("rc", rc);
  b.device("memory", memory);
  b.device("gpu", card);
  b.wire("core.bus", "rc.core0", bus);
  b.wire("rc.memory", "memory.bus", bus);
  b.wire("rc.slot", "gpu.pcie", quiet(gen2_x8()));
  b.build();
  constexpr std::uint64_t page = 4096;
  constexpr std::uint64_t data = far;
  constexpr std::uint64_t area = far + 64 * page;
  auto& host = b.machine().get<host::Memory>("memory");
  auto& device = b.machine().get<gpu::Gpu>("gpu");
  b.program("driver", [&](Fiber& f) {
    libraries::CudaDriver driver({}, b.machine().get<host::Core>("core"), host,
                                 {"CUDA driver", area, libraries::CudaDriver::area_size}, {&device});
    driver.wait(f, driver.start(f, device, {0, data, 64_B, Aperture::local, Aperture::host}));
    driver.wait(f, driver.start(f, device, {data, 0, 64_B, Aperture::host, Aperture::local}));
  });
  b.run();
  std::set<std::uint64_t> written;
  for (const host::Extent& e : host.extents()) written.insert(e.address / page * page);
  CHECK(written == std::set<std::uint64_t>{data, area, area + page});
  b.expect_all_home();
}

}  // namespace cuda_driver_test
