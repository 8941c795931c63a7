// SPDX-License-Identifier: Apache-2.0
// What cannot be on a PCI-X bus is refused before anything moves.
#include "config/config.hpp"
#include "model/pcix/pcix_bench.hpp"

namespace pcix_refusal_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// What building says, or running.
std::string said(const std::function<void(PcixBench&)>& change, const std::function<void(PcixBench&)>& go = {}) {
  return in_child([&] {
    PcixBench b(1);
    if (change) change(b);
    try {
      b.build();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    if (!go) return std::string("nothing");
    b.at(0_ns, [&] { go(b); });
    return b.failure();
  });
}

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CHECK(text.find(part) != std::string::npos);
  return true;
}

template <class C>
std::string read_says(const std::string& json) {
  try {
    config::read<C>(config::parse(json, "x.json"), {});
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a card of 66 MHz is not put on a faster bus") {
  has(said([](PcixBench& b) { b.cards[0].bus.bus_clock = Frequency(66'666'666); }),
      "card0 is made for PCI-X of up to 66.666666 MHz (\"bus_clock\"), but bus runs at 125 MHz");
  has(said([](PcixBench& b) {
        b.bus.clock = Frequency(66'666'666);
        b.cards[0].bus.bus_clock = Frequency(66'666'666);
      }),
      "nothing");
}

TEST_CASE("a card's addresses are those of its slot") {
  has(said([](PcixBench& b) { b.cards[0].window_size = 2_MiB; }),
      "card0: its registers are 2 MiB from 256 GiB, but slot0 of bus shows 1 MiB from 256 GiB");
}

TEST_CASE("PCI-X knows four byte counts of reads and 32 split transactions") {
  const std::string count = read_says<dma::BusConfig>(R"({"kind": "pcix", "max_read": "256 B"})");
  has(count, "PCI-X knows byte counts of 512 B, 1 KiB, 2 KiB and 4 KiB, not 256 B");
  has(read_says<dma::BusConfig>(R"({"kind": "pcix", "max_read": "512 B", "reads": 33})"),
      "PCI-X has 32 split transactions under way at most");
  has(read_says<dma::BusConfig>(R"({"kind": "pcie", "max_read": "256 B", "reads": 33})"), "nothing");
}

TEST_CASE("no two devices have one slot, and no two slots one address or name") {
  has(read_says<pcix::BusConfig>(R"({"slots": [
        {"name": "slot0", "window_base": "512 GiB", "window_size": "1 MiB"},
        {"name": "slot0", "window_base": "513 GiB", "window_size": "1 MiB"}]})"),
      "two ports are called \"slot0\"");
  has(read_says<pcix::BusConfig>(R"({"slots": [
        {"name": "slot0", "window_base": "512 GiB", "window_size": "1 MiB"},
        {"name": "slot1", "window_base": "512 GiB", "window_size": "1 MiB"}]})"),
      "slot1");
  has(said([](PcixBench& b) {
        b.more = [](PcixBench& all) {
          all.device("other", all.cards[0]);
          all.wire("other.pcix", "bus.slot0", pcix::LinkConfig{});
        };
      }),
      "bus.slot0");
}

TEST_CASE("what nobody on the bus or in the host has is told") {
  has(said({}, [](PcixBench& b) { b.card(0).read(1, std::uint64_t{1} << 45, 64_B); }), "no device answers at address");
}

}  // namespace pcix_refusal_test
