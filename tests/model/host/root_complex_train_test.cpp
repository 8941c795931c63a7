// SPDX-License-Identifier: Apache-2.0
// Trains of posted writes that cross from window to window at a root complex: each packet goes where its own address
// says, at the time at which it would go alone.
#include <fmt/format.h>

#include <algorithm>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace root_complex_train_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
constexpr Time flight = 1_ns;
constexpr Time ring = 1_ns;
constexpr Time qpi = 20_ns;
constexpr Time posted = 150_ns;
constexpr Time remote = 10_ns;
constexpr Time across = 300_ns;
constexpr Time line = 50_ns;  // of a write to another socket's card

Time on_wire(Bytes n) { return 250_ps * n.count(); }
constexpr Bytes write_size = on_link(256_B);

host::OnChipConfig bus(Time t) {
  host::OnChipConfig c;
  c.bandwidth = Rate::infinite();
  c.flight = t;
  return c;
}

/// Memory up to 64 GiB, and two cards right behind it; then, by QPI, another socket's memory and its card.
void build(Bench& b, int max_train) {
  const auto card = [](const char* name, Bytes base) { return pcie::SlotConfig{name, base, 1_GiB}; };
  for (int socket = 0; socket < 2; ++socket) {
    const std::string n = std::to_string(socket);
    host::RootComplexConfig rc;
    rc.posted_latency = posted;
    rc.remote_latency = remote;
    rc.peer.across_qpi = host::AcrossQpi::forwarded;
    rc.peer.qpi_latency = across;
    rc.peer.qpi_write_time = line;
    rc.memory_base = socket == 0 ? 0_B : 66_GiB;
    rc.memory_size = socket == 0 ? 64_GiB : 30_GiB;
    if (socket == 0) {
      rc.slots = {card("slot0", 64_GiB), card("slot1", 65_GiB), card("slot2", 512_GiB)};
      rc.remotes = {{"qpi", 66_GiB, 31_GiB}};
    } else {
      rc.slots = {card("slot0", 96_GiB)};
      rc.remotes = {{"qpi", 0_B, 66_GiB}};
    }
    b.device("rc" + n, rc);
    net::PortSpec memory = port("bus");
    memory.protocol = "on_chip";
    b.device("memory" + n, memory);
    b.wire("rc" + n + ".memory", "memory" + n + ".bus", bus(ring));
  }
  b.wire("rc0.qpi", "rc1.qpi", bus(qpi));
  for (int i = 0; i < 4; ++i) {
    const std::string name = "card" + std::to_string(i);
    b.device(name, port("link"));
    b.wire(i < 3 ? "rc0.slot" + std::to_string(i) : "rc1.slot0", name + ".link", quiet(gen2_x8()));
  }
  b.build(max_train);
}

/// Who got what when, of a train of 256-byte writes by card 2.
std::string written(std::uint64_t address, int count, int max_train) {
  return in_child([&] {
    Bench b;
    build(b, max_train);
    b.at(0_ns, [&] { b.probe("card2").write_train(address, count, 256_B, 256_B); });
    b.run();
    b.expect_all_home();
    std::string out;
    for (const char* name : {"memory0", "card0", "card1", "memory1", "card3"})
      for (const Arrival& a : b.probe(name).arrivals())
        out += fmt::format("{} {:x} {}\n", name, a.address, a.tail.fs());
    return out;
  });
}

std::string write(const char* name, std::uint64_t address, Time tail) {
  return fmt::format("{} {:x} {}\n", name, address, tail.fs());
}

/// When the i-th write's last byte is at the root complex.
Time there(int i) { return on_wire(write_size) * (i + 1) + flight; }

}  // namespace

TEST_CASE("writes that cross from one card's window into the next card's go to both") {
  std::string expected;
  for (int i = 0; i < 8; ++i)
    expected += write(i < 3 ? "card0" : "card1", 65 * GiB + 256u * static_cast<unsigned>(i) - 768,
                      there(i) + posted + on_wire(write_size) + flight);
  CHECK(written(65 * GiB - 768, 8, 1) == expected);
  CHECK(written(65 * GiB - 768, 8, 64) == expected);
}

TEST_CASE("writes that cross from memory into a card's window go to both") {
  std::string expected;
  for (int i = 0; i < 8; ++i)
    expected += write(i < 5 ? "memory0" : "card0", 64 * GiB + 256u * static_cast<unsigned>(i) - 1280,
                      there(i) + posted + (i < 5 ? ring : on_wire(write_size) + flight));
  CHECK(written(64 * GiB - 1280, 8, 1) == expected);
  CHECK(written(64 * GiB - 1280, 8, 64) == expected);
}

TEST_CASE("writes that cross from a card's window into another socket's memory go to both") {
  std::string expected;
  for (int i = 0; i < 4; ++i)
    expected += write(i < 1 ? "card1" : "memory1", 66 * GiB + 256u * static_cast<unsigned>(i) - 256,
                      there(i) + posted + (i < 1 ? on_wire(write_size) + flight : qpi + remote + ring));
  CHECK(written(66 * GiB - 256, 4, 1) == expected);
  CHECK(written(66 * GiB - 256, 4, 64) == expected);
}

TEST_CASE("of writes that cross from another socket's memory into its card's window only those to the card are slow") {
  std::string expected;
  for (int i = 0; i < 8; ++i) {
    const bool to_card = i >= 4;
    const Time slow = there(4) + line * 4 * (i - 4);  // the link brings them faster
    expected += write(to_card ? "card3" : "memory1", 96 * GiB + 256u * static_cast<unsigned>(i) - 1024,
                      to_card ? slow + posted + across + qpi + posted + on_wire(write_size) + flight
                              : there(i) + posted + qpi + remote + ring);
  }
  CHECK(written(96 * GiB - 1024, 8, 1) == expected);
  CHECK(written(96 * GiB - 1024, 8, 64) == expected);
}

}  // namespace root_complex_train_test
