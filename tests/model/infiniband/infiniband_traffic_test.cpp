// SPDX-License-Identifier: Apache-2.0
// Messages of every kind and size in both directions at once, and packets are lost: each comes once, in order.
// TSUNAGI_SEEDS=n runs n seeds instead of a few; TSUNAGI_SEED=s only that one.
#include <sstream>

#include "model/infiniband/hca_traffic.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"

namespace infiniband_traffic_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// One packet of a thousand is lost.
HcaParts losing(std::uint64_t seed, int timeout_code) {
  HcaParts p;
  p.hca.loss_ppm = 1000;
  p.seed = seed;
  p.verbs.timeout_code = timeout_code;
  p.verbs.mtu = p.cable.mtu = 512_B;
  return p;
}

/// Packets that a run loses; fails the test for what goes wrong in it.
std::int64_t lost_of(std::uint64_t seed, int timeout_code) {
  TrafficConfig c;
  c.seed = seed;
  c.pairs = 2 + static_cast<int>(seed % 3);
  c.messages = 300;
  c.shared_receives = seed % 2 == 0;
  INFO("seed " << seed);
  std::istringstream in(in_child([&] {
    HcaTraffic t(losing(seed, timeout_code), c);
    const std::string wrong = t.run(2000_s);
    return std::to_string(t.lost()) + " " + wrong;
  }));
  std::int64_t lost = 0;
  std::string wrong;
  in >> lost;
  std::getline(in >> std::ws, wrong, '\0');
  CHECK(wrong == "");
  return lost;
}

}  // namespace

TEST_CASE("messages of every kind come once, in order and before they are told of, though packets are lost",
          "[losses]") {
  const std::int64_t only = from_environment("TSUNAGI_SEED", 0);
  const std::int64_t last = only != 0 ? only : from_environment("TSUNAGI_SEEDS", 4);
  std::int64_t lost = 0;
  for (std::int64_t seed = only != 0 ? only : 1; seed <= last; ++seed)
    lost += lost_of(static_cast<std::uint64_t>(seed), 5);
  if (only == 0) CHECK(lost >= 4 * static_cast<std::int64_t>(last));  // else little of this was tested
}

TEST_CASE("messages of every kind come once, in order and before they are told of, though a timer takes four seconds") {
  CHECK(lost_of(1, 20) > 0);
}

TEST_CASE("what comes by one port of a card finds what came by the other, however slow the slot is") {
  HcaParts p;
  p.hca.ports = 2;
  p.slot.rate = TransferRate(2'500'000'000);
  p.slot.lanes = 1;
  TrafficConfig c;
  c.pairs = 4;
  c.messages = 100;
  HcaTraffic t(p, c);
  CHECK(t.run() == "");
}

}  // namespace infiniband_traffic_test
