// SPDX-License-Identifier: Apache-2.0
// What crossbars carry when every input always has something to send.
#include <cmath>
#include <random>

#include "support/grid_bench.hpp"

namespace input_queued_saturation_test {

using namespace tsunagi;
using namespace tsunagi::test;
using router::InputQueuedRouterConfig;

namespace {

/// Share of their rate that the outputs of a saturated crossbar carry: uniform traffic of one-flit packets, always
/// something to send.
double saturation(Network n, int terminals) {
  GridBench b(n, 64);
  constexpr int messages = 24'000;
  for (int from = 0; from < terminals; ++from)
    b.program(from, [from, terminals](comm::Rank& r) {
      std::mt19937 random(static_cast<unsigned>(from) + 1);
      for (int i = 0; i < messages; ++i)
        r.isend(static_cast<int>(random() % static_cast<unsigned>(terminals)), {{}, 8_B, {}, {}});
    });
  std::int64_t passed = 0;
  const auto count = [&](std::int64_t sign) {
    for (const net::Port& p : b.machine().all<router::PlacedRouter>().front()->ports())
      passed += sign * p.channel().counters().packets;
  };
  b.program(0, [&count](comm::Rank& r) {
    r.wait_until(2_us);
    count(-1);
    r.wait_until(22_us);
    count(1);
  });
  b.run();
  return static_cast<double>(passed) / 20'000 / terminals;
}

void expect_near(double share, double expected) {
  INFO(share << " for " << expected);
  CHECK(std::abs(share - expected) < 0.01);
}

}  // namespace

// M. Karol, M. Hluchyj, S. Morgan, "Input Versus Output Queueing on a Space-Division Packet Switch", IEEE Transactions
// on Communications 35(12), 1987, table I: one FIFO an input, uniform destinations, saturated.
TEST_CASE("saturation of FIFO inputs: 75 % of a 2x2 crossbar") { expect_near(saturation(fifo_crossbar(2), 2), 0.75); }
TEST_CASE("saturation of FIFO inputs: 65.5 % of a 4x4 crossbar") {
  expect_near(saturation(fifo_crossbar(4), 4), 0.6553);
}
TEST_CASE("saturation of FIFO inputs: 61.8 % of an 8x8 crossbar") {
  expect_near(saturation(fifo_crossbar(8), 8), 0.6184);
}
TEST_CASE("saturation of FIFO inputs tends to 2 - sqrt 2 = 58.6 %") {
  expect_near(saturation(fifo_crossbar(32), 32), 0.5858);
}
namespace {

/// With a speedup of two and so much buffer at the outputs.
double with_speedup(int output_buffer_flits) {
  return saturation(fifo_crossbar(8,
                                  [=](InputQueuedRouterConfig& c) {
                                    c.speedup = 2;
                                    c.output_buffer_flits = output_buffer_flits;
                                  }),
                    8);
}

}  // namespace

TEST_CASE("saturation of FIFO inputs: nearly all with a speedup of two and deep outputs") {
  CHECK(with_speedup(1000) > 0.99);
}
TEST_CASE("saturation of FIFO inputs: a speedup of two over shallow outputs, which fill up, is less") {
  expect_near(with_speedup(32), 0.96);
}
TEST_CASE("saturation of the ideal router: nearly all") {
  Network n = crossbar(8);
  n.router.virtual_channels = n.link.virtual_channels = 1;
  n.router.buffer_flits = 10'000;
  CHECK(saturation(n, 8) > 0.99);
}

}  // namespace input_queued_saturation_test
