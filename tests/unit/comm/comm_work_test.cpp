// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/compute.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "units/work.hpp"

namespace comm_work_test {

using namespace tsunagi;

TEST_CASE("the roofline is the longer of operations and bytes") {
  const Clock clock(Frequency(1'000'000'000));
  const Rate memory = Rate::bytes_per_second(4'000'000'000);
  CHECK(roofline({16, 0_B}, clock, 8, memory) == 2_ns);
  CHECK(roofline({17, 0_B}, clock, 8, memory) == 3_ns);
  CHECK(roofline({16, 8_B}, clock, 8, memory) == 2_ns);
  CHECK(roofline({16, 9_B}, clock, 8, memory) == 2250_ps);
  CHECK(roofline({}, clock, 8, memory) == 0_ns);
}

TEST_CASE("a K20 does 1.17 TFLOPS and moves 208 GB a second") {
  const gpu::ComputeConfig k20;
  CHECK(gpu::kernel_time(k20, {1'174'784'000'000, 0_B}) == 1_s);
  CHECK(gpu::kernel_time(k20, {0, Bytes(208'000'000)}) == 1_ms);
}

}  // namespace comm_work_test
