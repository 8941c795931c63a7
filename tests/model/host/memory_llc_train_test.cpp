// SPDX-License-Identifier: Apache-2.0
// Trains at a memory whose last-level cache is modelled.
#include "model/host/llc_bench.hpp"
#include "support/child.hpp"

namespace memory_llc_train_test {

using namespace tsunagi;
using namespace tsunagi::test;
using namespace tsunagi::test::llc;
using host::WarmedBy;

namespace {

std::string arrivals_text(Bench& b) {
  std::string out;
  for (const Arrival& a : b.probe("card").arrivals())
    out +=
        std::to_string(a.head.fs()) + " " + std::to_string(a.address) + " " + std::to_string(a.payload.count()) + "\n";
  return out + extents_text(memory(b)) + extents_text(memory(b, 1));
}

/// What a card and both memories see of writes and reads of both that meet; "again" and findings: nothing holds.
std::string traffic(int max_train, const std::string& findings) {
  Bench b(sim::Kernel::shared);
  host::MemoryConfig m = memory_config();
  m.llc.dram_rate = Rate::bytes_per_second(5'000'000'000);
  m.write_lines = 16;
  build(b, max_train, true, m, findings);
  memory(b).make_cold();
  memory(b).warm(0, 3_KiB, WarmedBy::host);
  for (int i = 0; i < 12; ++i)
    b.at(700_ns * i, [&b, i] {
      const std::uint64_t at = (i % 3 == 2 ? 4 * GiB : 0) + static_cast<std::uint64_t>(i % 4) * 1536;
      b.probe("card").write_train(at + 32, 12, 256_B, 100_B);
      b.probe("card").read(at & ~std::uint64_t{4095}, 4_KiB);
      b.probe("card").read(at, 512_B);
    });
  try {
    b.sim().run(1_ms);
  } catch (const net::Foresight::Refuted&) {
  }
  const net::Foresight& foresight = b.machine().foresight();
  if (foresight.refuted()) return "again " + foresight.findings();
  b.expect_all_home();
  return arrivals_text(b);
}

}  // namespace

TEST_CASE("trains change nothing at a memory with a cache") {
  const std::string alone = in_child([] { return traffic(1, {}); });
  std::string findings, trains;
  do {
    trains = in_child([&] { return traffic(64, findings); });
    findings = trains.substr(0, 6) == "again " ? trains.substr(6) : "";
  } while (!findings.empty());
  CHECK(trains == alone);
  CHECK(alone.size() > 1000);
}

}  // namespace memory_llc_train_test
