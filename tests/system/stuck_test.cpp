// SPDX-License-Identifier: Apache-2.0
// Machines that cannot go on, or do not give back what they took, say so.
#include <algorithm>

#include "models/libraries/catalog.hpp"
#include "models/libraries/tca/tca.hpp"
#include "support/bench.hpp"

namespace stuck_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Two nodes joined by PEACH2 chips.
void build_pair(Bench& b) {
  for (int i = 0; i < 2; ++i) {
    const std::string n = "node" + std::to_string(i) + ".";
    b.device(n + "core0", host::CoreConfig{});
    host::RootComplexConfig rc;
    rc.slots = {{"slot0", 512_GiB, 512_GiB}};
    b.device(n + "rc", rc);
    b.device(n + "memory", host::MemoryConfig{});
    peach2::Peach2Config chip;
    chip.node = i;
    chip.routes = {{i == 0 ? peach2::east : peach2::west, 1 - i, 1 - i}};
    b.device(n + "peach2", chip);
    b.wire(n + "core0.bus", n + "rc.core0", host::OnChipConfig{});
    b.wire(n + "rc.memory", n + "memory.bus", host::OnChipConfig{});
    b.wire(n + "rc.slot0", n + "peach2.n", gen2_x8());
  }
  b.wire("node0.peach2.e", "node1.peach2.w", gen2_x8());
  b.build();
}

bool contains(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& l) { return l.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a receive that nobody answers ends the run and names who waits for what") {
  Bench b;
  build_pair(b);
  libraries::Tca tca({}, b.machine());
  b.program("rank 0", [](Fiber&) {});
  b.program("rank 1", [&](Fiber& f) { tca.recv(f, 1, 0, {0_B, 8_B, {}, {}}); });
  CHECK(b.sim().run(100_s));  // at once, not at the limit
  const auto stuck = b.sim().unfinished();
  REQUIRE(stuck.size() == 1);
  CHECK(stuck[0].who == "rank 1");
  CHECK(stuck[0].waits_for.find("a write to node1.memory") == 0);
  b.expect_all_home();
}

TEST_CASE("a put that arrives lets the receiver go on") {
  Bench b;
  build_pair(b);
  libraries::Tca tca({}, b.machine());
  b.program("rank 0", [&](Fiber& f) { tca.send(f, 0, 1, {0_B, 1000_B, {}, {}}); });
  b.program("rank 1", [&](Fiber& f) { tca.recv(f, 1, 0, {0_B, 1000_B, {}, {}}); });
  b.run();
  CHECK(b.sim().unfinished().empty());
  b.expect_all_home();
}

TEST_CASE("a device that keeps a packet fails the conservation check") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{4, 64}, {4, 4}, {4, 64}};
  b.device("a", port("out"));
  b.device("leak", ProbeConfig{{rx}, {}, true});
  b.wire("a.out", "leak.in", gen2_x8());
  b.build();
  b.at(0_ns, [&] { b.probe("a").write(0, 64_B); });
  b.run();
  const auto left = b.machine().leftovers();
  CHECK(contains(left, "1 packets are still under way"));
  CHECK(contains(left, "credits are missing on a.out - leak.in"));
}

TEST_CASE("a sender whose credits never come back is named with what it waits for") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{1, 64}, {4, 4}, {4, 64}};
  b.device("a", port("out"));
  b.device("leak", ProbeConfig{{rx}, {}, true});
  b.wire("a.out", "leak.in", gen2_x8());
  b.build();
  b.at(0_ns, [&] {
    b.probe("a").write(0, 64_B);
    b.probe("a").write(64, 64_B);
  });
  b.run();  // ends: nothing periodic keeps it alive
  CHECK(contains(b.machine().blocked(), "a.out - leak.in waits for posted credits of leak.in"));
  CHECK(contains(b.machine().leftovers(), "packets are left on a.out - leak.in"));
}

TEST_CASE("nodes that no route joins are told before anything moves") {
  Bench b;
  for (int i = 0; i < 2; ++i) {
    const std::string n = "node" + std::to_string(i) + ".";
    b.device(n + "core0", host::CoreConfig{});
    b.device(n + "memory", host::MemoryConfig{});
    host::RootComplexConfig rc;
    rc.slots = {{"slot0", 512_GiB, 512_GiB}};
    b.device(n + "rc", rc);
    peach2::Peach2Config chip;
    chip.node = i;
    b.device(n + "peach2", chip);
    b.wire(n + "core0.bus", n + "rc.core0", host::OnChipConfig{});
    b.wire(n + "rc.memory", n + "memory.bus", host::OnChipConfig{});
    b.wire(n + "rc.slot0", n + "peach2.n", gen2_x8());
  }
  b.build();
  std::string text = "no failure";
  try {
    libraries::Tca tca({}, b.machine());
  } catch (const config::ConfigError& e) {
    text = e.what();
  }
  CHECK(text.find("cannot be reached") != std::string::npos);
}

}  // namespace stuck_test
