// SPDX-License-Identifier: Apache-2.0
// When a DMA channel of PEACH2 uses a read tag again. The host is a probe, which answers when the test says.
#include "support/bench.hpp"

namespace peach2_tag_test {

using namespace tsunagi;
using namespace tsunagi::test;
using peach2::Registers;

TEST_CASE("a read tag is used again a cycle after its last completion, not with it") {
  constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
  constexpr Time cycle = 4_ns, flight = 1_ns;
  const auto at_or_after = [=](Time t) { return cycle * ((t + cycle - 1_fs) / cycle); };
  const auto on_wire = [](Bytes n) { return 250_ps * n.count(); };
  Bench b;
  peach2::Peach2Config chip;
  chip.hard_ip_cycles = 24;
  chip.route_cycles = 4;
  chip.dma.tags = 1;
  chip.dma.max_read_request = 256_B;
  chip.routes = {{peach2::east, 1, 1}};
  b.device("chip", chip);
  for (const std::string p : {"n", "e", "w"}) {
    b.device("at_" + p, port("link"));
    b.wire("at_" + p + ".link", "chip." + p, quiet(gen2_x8()));
  }
  b.build();
  const peach2::AddressMap map(chip.window_base, chip.window_size, chip.nodes);
  const auto set = [&](std::uint64_t reg, std::uint64_t value) {
    b.probe("at_w").says(value);
    b.probe("at_w").write(map.address(0, peach2::Region::chip, reg).value(), 8_B);
  };
  const std::uint64_t source = 16 * GiB;
  b.at(0_ns, [&] {
    const std::uint64_t at = Registers::of_descriptor(0, 0);
    set(at + Registers::source, source);
    set(at + Registers::destination, map.address(1, peach2::Region::host).value());
    set(at + Registers::length, 512);
    set(Registers::control, 1);
  });
  const Time answered = 20_us + 1_ns;
  b.at(answered, [&] { b.probe("at_n").complete(source, 256_B); });
  b.at(40_us, [&] { b.probe("at_n").complete(source + 256, 256_B); });
  b.run();
  const auto& reads = b.probe("at_n").arrivals();
  REQUIRE(reads.size() == 2);
  CHECK(reads[0].head < answered);
  // 276 B of completion, hard IP, routing stage; the cycle; hard IP, 24 B of request.
  const Time back = at_or_after(answered + on_wire(276_B) + flight) + cycle * (24 + 4);
  CHECK(reads[1].head == back + cycle + cycle * 24 + on_wire(24_B) + flight);
  b.expect_all_home();
}

}  // namespace peach2_tag_test
