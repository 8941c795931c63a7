// SPDX-License-Identifier: Apache-2.0
// One device over both buses: it does not know which.
#include "model/pcix/pcix_bench.hpp"

namespace pcix_port_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// What a card on a bus of kind `kind` reads back that it wrote, and what a core stores there.
std::string round_trip(dma::BusKind kind) {
  return in_child([&] {
    PcixBench b(1);
    if (kind == dma::BusKind::pcix) {
      b.build();
    } else {
      DmaCardConfig card = b.cards[0];
      card.bus.kind = kind;
      b.rc.bridges.clear();
      b.rc.slots = {{"slot0", PcixBench::windows, 1_MiB}};
      b.device("core", host::CoreConfig{});
      b.device("rc", b.rc);
      b.device("memory", b.mem);
      b.device("card0", card);
      b.wire("core.bus", "rc.core0", b.fsb);
      b.wire("rc.memory", "memory.bus", b.dram);
      b.wire("rc.slot0", "card0.pcie", gen2_x8());
      b.Bench::build();
    }
    std::vector<std::uint8_t> says(100);
    for (std::size_t i = 0; i < says.size(); ++i) says[i] = static_cast<std::uint8_t>(i + 1);
    b.at(0_ns, [&] {
      b.card(0).write(PcixBench::memory + 4000, Bytes(100), says);  // across 4 KiB
      b.card(0).read_behind(9, PcixBench::memory + 4000, Bytes(100));
    });
    b.program("driver",
              [&](Fiber& f) { b.machine().get<host::Core>("core").store(f, PcixBench::window(0) + 32, 8_B, 77, 0); });
    b.run();
    b.expect_all_home();
    const bool same = b.card(0).came().count(9) == 1 && b.card(0).came().at(9).bytes == says;
    const auto& s = b.card(0).stores();
    return std::string(same ? "same" : "other") + (s.size() == 1 && s[0].value == 77 ? " stored" : " lost");
  });
}

}  // namespace

TEST_CASE("one card reads, writes and is told over PCI Express and over PCI-X") {
  CHECK(round_trip(dma::BusKind::pcie) == "same stored");
  CHECK(round_trip(dma::BusKind::pcix) == "same stored");
}

}  // namespace pcix_port_test
