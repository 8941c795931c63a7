// SPDX-License-Identifier: Apache-2.0
// Switches of drawn speeds, buffers and latencies in a row below a root complex, under drawn traffic of all classes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/config.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/order.hpp"
#include "support/random/random_machine.hpp"

namespace pcie_switch_random_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
constexpr int cards = 5;
constexpr std::uint64_t window(int card) { return (64 + static_cast<std::uint64_t>(card)) * GiB; }

pcie::LinkConfig drawn_link(Dice& dice) {
  pcie::LinkConfig l = dice.one_in(2) ? gen2_x8() : gen3_x8();
  if (dice.one_in(3)) l = config::read<pcie::LinkConfig>(config::parse(R"({"generation": 6})", "flits.json"), {});
  l.lanes = dice.any({1, 2, 4, 8, 16});
  return dice.one_in(3) ? quiet(l) : l;
}

pcie::SwitchConfig drawn_switch(Dice& dice) {
  pcie::SwitchConfig c;
  if (dice.one_in(3)) c.forwarding = pcie::Forwarding::store_and_forward;
  c.latency = dice.one_in(5) ? 0_ns : Time::from_fs(dice.number(0, 300'000'000));
  c.buffers.posted_headers = dice.number(0, 8);
  c.buffers.posted_data = dice.one_in(2) ? 0 : dice.number(16, 64);
  c.buffers.non_posted_headers = dice.number(0, 8);
  c.buffers.completion_headers = dice.number(0, 8);
  return c;
}

/// Cards 0 and 1 below the inner switch, 2 and 3 beside it below the outer one, 4 beside that.
void build(Bench& b, Dice& dice, int max_train, const std::string& findings) {
  const auto slot = [](const char* name, int first, int n) {
    return pcie::SlotConfig{name, Bytes(static_cast<std::int64_t>(window(first))), 1_GiB * n};
  };
  pcie::SwitchConfig inner = drawn_switch(dice);
  inner.downstream = {slot("a", 0, 1), slot("b", 1, 1)};
  pcie::SwitchConfig outer = drawn_switch(dice);
  outer.downstream = {slot("x", 0, 2), slot("c", 2, 1), slot("d", 3, 1)};
  host::RootComplexConfig rc;
  rc.memory_size = 32_GiB;
  rc.peer.read_recovery = 0_ns;
  rc.buffers.posted_headers = dice.number(1, 16);
  rc.buffers.non_posted_headers = dice.number(1, 16);
  rc.slots = {slot("slot0", 0, 4), slot("slot1", 4, 1)};
  host::MemoryConfig memory;
  memory.size = rc.memory_size;
  memory.record = true;
  b.device("rc", rc);
  b.device("memory", memory);
  b.device("outer", outer);
  b.device("inner", inner);
  for (int i = 0; i < cards; ++i) b.device("card" + std::to_string(i), port("link"));
  b.wire("rc.memory", "memory.bus", host::OnChipConfig{});
  b.wire("rc.slot0", "outer.up", drawn_link(dice));
  b.wire("rc.slot1", "card4.link", drawn_link(dice));
  b.wire("outer.x", "inner.up", drawn_link(dice));
  const char* ends[] = {"inner.a", "inner.b", "outer.c", "outer.d"};
  for (int i = 0; i < 4; ++i) b.wire(ends[i], "card" + std::to_string(i) + ".link", drawn_link(dice));
  b.build(max_train, 1, findings);
}

/// Writes, in trains, and reads of memory and of other cards.
void drawn_traffic(Bench& b, std::uint64_t seed, bool reads) {
  for (int i = 0; i < cards; ++i) {
    Probe& card = b.probe("card" + std::to_string(i));
    b.program("writer", [&card, i, reads, dice = Dice(seed * 100 + static_cast<unsigned>(i))](Fiber& f) mutable {
      for (int k = 0; k < 40; ++k) {
        f.wait_for(Time::from_fs(dice.number(0, dice.one_in(4) ? 3'000'000'000 : 100'000'000)));
        const auto to = dice.number(0, cards);  // the last one: the memory
        const std::uint64_t base = to == i || to == cards
                                       ? 8 * GiB + GiB * static_cast<unsigned>(i)
                                       : window(static_cast<int>(to)) + 16'777'216u * static_cast<unsigned>(i);
        const std::uint64_t address = base + static_cast<std::uint64_t>(k) * 16'384;
        if (reads && dice.one_in(3))
          card.read(address, base < window(0) ? 64_B * dice.number(1, 16) : 64_B);
        else
          card.write_train(address, static_cast<int>(dice.number(1, 64)), 256_B, 4_B * dice.number(1, 64));
      }
    });
    if (!reads) continue;
    b.program("reader", [&card](Fiber& f) {  // answers what it is asked
      std::size_t seen = 0;
      for (int k = 0; k < 20'000; ++k, f.wait_for(1_us))
        for (; seen < card.arrivals().size(); ++seen)
          if (const Arrival a = card.arrivals()[seen]; a.tlp_class == pcie::non_posted) card.answer(a, 64_B);
    });
  }
}

/// Everything that arrived, and when; each card's by time.
std::string seen(Bench& b) {
  std::string out = extents_text(b.machine().get<host::Memory>("memory"));
  for (int i = 0; i < cards; ++i) {
    std::vector<std::string> lines;
    for (const Arrival& a : b.probe("card" + std::to_string(i)).arrivals())
      lines.push_back(
          fmt::format("{:>20} {} {} {}", a.tail.fs(), a.address, a.payload.count(), static_cast<int>(a.tlp_class)));
    std::sort(lines.begin(), lines.end());
    out += "\ncard";
    for (const std::string& s : lines) out += "\n" + s;
  }
  return out;
}

std::string traffic(std::uint64_t seed, bool reads, int max_train, const std::string& findings = {}) {
  const std::string text = in_child([&] {
    Dice dice(seed);
    Bench b;
    build(b, dice, max_train, findings);
    drawn_traffic(b, seed, reads);
    const net::Foresight& foresight = b.machine().foresight();
    try {
      if (!b.sim().run(1_s)) return std::string("no end");
    } catch (const net::Foresight::Refuted&) {
    }
    if (foresight.refuted()) return "again " + foresight.findings();
    if (!b.machine().leftovers().empty()) return b.machine().leftovers()[0];
    if (max_train == 1)
      if (const std::string wrong = wrong_order(b.history()); !wrong.empty()) return wrong;
    return "= " + seen(b);
  });
  return text.rfind("again ", 0) == 0 ? traffic(seed, reads, max_train, text.substr(6)) : text;
}

}  // namespace

TEST_CASE("below switches of any speed nothing passes a posted write that came before it and all comes home") {
  std::size_t completions = 0;
  const auto last = static_cast<std::uint64_t>(from_environment("TSUNAGI_MACHINES", 25));
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    INFO("seed " << seed);
    const std::string text = traffic(seed, true, 1);
    REQUIRE(text.substr(0, 2) == "= ");
    for (std::size_t at = text.find(" 2\n"); at != std::string::npos; at = text.find(" 2\n", at + 1)) ++completions;
  }
  CHECK(completions > 40 * last);
}

TEST_CASE("trains pass switches of any speed at the times of single packets") {
  const auto last = static_cast<std::uint64_t>(from_environment("TSUNAGI_MACHINES", 25));
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    INFO("seed " << seed);
    const bool reads = seed % 2 == 0;
    const std::string alone = traffic(seed, reads, 1);
    REQUIRE(alone.substr(0, 2) == "= ");
    CHECK(alone == traffic(seed, reads, 64));
  }
}

}  // namespace pcie_switch_random_test
