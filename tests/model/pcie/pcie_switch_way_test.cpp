// SPDX-License-Identifier: Apache-2.0
// Who gets what by PCIe switches: addresses, the way back of completions, order.
#include <algorithm>

#include "model/infiniband/switch_bench.hpp"
#include "support/child.hpp"
#include "support/order.hpp"
#include "support/random/random_machine.hpp"

namespace pcie_switch_way_test {

using namespace tsunagi;
using namespace tsunagi::test;
using B = SwitchBench;

TEST_CASE("completions of reads by two cards come home to who asked whatever their order and tags") {
  SwitchBench b(2);
  b.build();
  b.at(0_ns, [&] {
    for (unsigned i = 0; i < 3; ++i) {
      b.card(0).read(B::host_memory + 4096 * i, 64_B);
      b.card(1).read(B::host_memory + 4096 * (8 + i), 64_B);
    }
  });
  b.at(1_us, [&] {
    const auto asked = b.top().arrivals();
    REQUIRE(asked.size() == 6);
    for (auto a = asked.rbegin(); a != asked.rend(); ++a) b.top().answer(*a, 64_B);
  });
  b.run();
  for (int i = 0; i < 2; ++i) {
    const auto& seen = b.card(i).arrivals();
    REQUIRE(seen.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(seen[k].tlp_class == pcie::completion);
      CHECK(seen[k].address == B::host_memory + 4096 * (8 * static_cast<unsigned>(i) + 2 - k));
      CHECK(seen[k].requester.device == 0);  // as the card sent it
    }
  }
  b.expect_all_home();
}

TEST_CASE("a card reads another one below the same switch without the host") {
  SwitchBench b(2);
  b.build();
  b.at(0_ns, [&] { b.card(1).read(B::window(0) + 64, 64_B); });
  b.at(1_us, [&] {
    REQUIRE(b.card(0).arrivals().size() == 1);
    b.card(0).answer(b.card(0).arrivals()[0], 64_B);
  });
  b.run();
  b.card(0).expect_first_at(B::flight + B::latency + B::on_wire(B::request_size) + B::flight);
  b.card(1).expect_first_at(1_us + B::flight + B::latency + B::on_wire(84_B) + B::flight);
  CHECK(b.forward(0).counters().packets + b.backward(0).counters().packets == 0);
  b.expect_all_home();
}

TEST_CASE("a write remembers no way back") {
  SwitchBench b(2);
  b.build();
  b.at(0_ns, [&] { b.card(0).write(B::window(1), 64_B); });
  b.run();
  REQUIRE(b.card(1).arrivals().size() == 1);
  CHECK(b.card(1).arrivals()[0].requester.device == 0);
}

TEST_CASE("reads find their way through two switches and a root complex in every direction") {
  Bench b;
  pcie::SwitchConfig inner;
  inner.downstream = {{"a", 64_GiB, 1_GiB}, {"b", 65_GiB, 1_GiB}};
  pcie::SwitchConfig outer;
  outer.downstream = {{"x", 64_GiB, 2_GiB}, {"y", 66_GiB, 1_GiB}};
  host::RootComplexConfig rc;
  rc.slots = {{"slot0", 64_GiB, 3_GiB}, {"slot1", 70_GiB, 1_GiB}};
  rc.memory_size = 32_GiB;
  b.device("rc", rc);
  b.device("outer", outer);
  b.device("inner", inner);
  net::PortSpec bus = port("bus");
  bus.protocol = "on_chip";
  for (const char* name : {"memory", "core"}) b.device(name, bus);
  for (const char* name : {"a", "b", "y", "other"}) b.device(name, port("link"));
  b.wire("rc.memory", "memory.bus", host::OnChipConfig{});
  b.wire("rc.core0", "core.bus", host::OnChipConfig{});
  const pcie::LinkConfig wire = quiet(gen2_x8());
  b.wire("rc.slot0", "outer.up", wire);
  b.wire("rc.slot1", "other.link", wire);
  b.wire("outer.x", "inner.up", wire);
  b.wire("outer.y", "y.link", wire);
  b.wire("inner.a", "a.link", wire);
  b.wire("inner.b", "b.link", wire);
  b.build();
  const std::uint64_t GiB = B::GiB;
  const std::vector<std::pair<const char*, std::uint64_t>> places = {
      {"memory", 4 * GiB}, {"a", 64 * GiB}, {"b", 65 * GiB}, {"y", 66 * GiB}, {"other", 70 * GiB}};
  b.at(0_ns, [&] {
    for (unsigned from = 0; from < 6; ++from) {
      const char* asker = from == 5 ? "core" : places[from].first;
      if (from == 0) continue;  // a memory asks nothing
      for (const auto& [to, base] : places)
        if (to != std::string(asker)) b.probe(asker).read(base + 4096 * from, 8_B);
    }
  });
  b.at(10_us, [&] {
    for (const auto& [to, base] : places) {
      const auto asked = b.probe(to).arrivals();
      REQUIRE(asked.size() == (std::string(to) == "memory" ? 5 : 4));
      for (auto a = asked.rbegin(); a != asked.rend(); ++a) b.probe(to).answer(*a, 8_B);
    }
  });
  b.run();
  for (unsigned from = 1; from < 6; ++from) {
    const char* asker = from == 5 ? "core" : places[from].first;
    std::vector<std::uint64_t> got;
    for (const Arrival& a : b.probe(asker).arrivals()) {
      if (a.tlp_class != pcie::completion) continue;
      got.push_back(a.address);
      CHECK(a.requester.device == 0);
    }
    std::vector<std::uint64_t> wanted;
    for (const auto& [to, base] : places)
      if (to != std::string(asker)) wanted.push_back(base + 4096 * from);
    std::sort(got.begin(), got.end());
    CAPTURE(asker);
    CHECK(got == wanted);
  }
  b.expect_all_home();
}

TEST_CASE("a train that crosses from window to window is split between their ports") {
  std::string one_by_one;
  for (const int max_train : {1, 64}) {
    const std::string text = in_child([max_train] {
      SwitchBench b(2);
      b.c.buffers.posted_headers = 8;
      b.build(max_train);
      // Ends below window 0; lies in 0 and 1; leaves window 1 behind.
      b.at(0_ns, [&] {
        b.top().write_train(B::window(1) - 1024, 8, 256_B, 64_B);
        b.card(0).write_train(B::window(0) - 512, 2, 256_B, 256_B);
        b.card(0).write_train(B::window(1) + B::GiB - 512, 4, 256_B, 128_B);
      });
      b.run();
      b.expect_all_home();
      std::string out;
      for (const char* name : {"card0", "card1", "host"}) {
        for (const Arrival& a : b.probe(name).arrivals())
          out += std::to_string(a.address - B::window(0)) + "+" + std::to_string(a.payload.count()) + "@" +
                 std::to_string(a.tail.fs()) + " ";
        out += "| ";
      }
      return out;
    });
    const auto at = [](std::int64_t n) { return "@" + std::to_string(n * 1000); };
    const std::int64_t first = 1'000 + 100'000 + 70'000 + 1'000;  // ps
    std::string expected;
    for (std::int64_t i = 0; i < 4; ++i)
      expected +=
          std::to_string(static_cast<std::int64_t>(B::GiB) - 1024 + 256 * i) + "+256" + at(first + 70'000 * i) + " ";
    expected += "| ";
    // Card 1 hears of both; the train from above is as late as what went to card 0.
    CAPTURE(max_train, text);
    CHECK(text.substr(0, expected.size()) == expected);
    CHECK(std::count(text.begin(), text.end(), '@') == 14);
    if (max_train == 1) one_by_one = text;
    CHECK(text == one_by_one);
  }
}

TEST_CASE("an address that nobody below a switch has is an unsupported request from above") {
  SwitchBench b(1, sim::Kernel::shared);
  b.build();
  b.at(0_ns, [&] {
    b.top().read(B::window(1), 64_B);
    b.top().write(B::window(1), 64_B);
  });
  b.run();
  REQUIRE(b.top().arrivals().size() == 1);
  CHECK(b.top().arrivals()[0].tlp_class == pcie::completion);
  CHECK(b.top().arrivals()[0].payload == 0_B);
  CHECK(b.top().arrivals()[0].completed == 64_B);
  b.top().expect_first_at(B::on_wire(B::request_size) + B::flight + B::latency + B::on_wire(20_B) + B::flight);
  CHECK(b.card(0).arrivals().empty());
  b.expect_all_home();
}

TEST_CASE("where all programs are ours an address that nobody below a switch has ends the run") {
  SwitchBench b(1);
  b.build();
  b.at(0_ns, [&] { b.top().write(B::window(1), 64_B); });
  CHECK(b.failure() == "sw: no device answers at address 0x1040000000");
}

TEST_CASE("a card that asks for its own window through a switch gets an unsupported request") {
  SwitchBench b(1, sim::Kernel::shared);
  b.build();
  b.at(0_ns, [&] { b.card(0).read(B::window(0), 64_B); });
  b.run();
  REQUIRE(b.card(0).arrivals().size() == 1);
  CHECK(b.card(0).arrivals()[0].completed == 64_B);
  CHECK(b.card(0).arrivals()[0].payload == 0_B);
  CHECK(b.top().arrivals().empty());
  b.expect_all_home();
}

TEST_CASE("a blocked read lets writes pass in a switch and stays behind those before it") {
  SwitchBench b(1);
  b.host.ports[0].rx.buffers = {{flow::Credits::infinite, flow::Credits::infinite}, {1, 1}};
  b.host.holds = {1_us};
  b.build();
  b.at(0_ns, [&] {
    b.card(0).read(B::host_memory, 64_B);
    b.card(0).read(B::host_memory + 64, 64_B);
    b.card(0).write(B::host_memory, 256_B);
  });
  b.run();
  const auto& seen = b.top().arrivals();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].tlp_class == pcie::non_posted);
  CHECK(seen[1].tlp_class == pcie::posted);
  CHECK(seen[1].head ==
        B::flight + B::latency + 2 * B::on_wire(B::request_size) + B::on_wire(B::write_size) + B::flight);
  CHECK(seen[2].head == seen[0].head + 1_us + 2 * B::flight + B::on_wire(B::request_size));
}

TEST_CASE("a switch promises nothing earlier than it can come, and knows of its latency") {
  SwitchBench b(2);
  b.links[1].flight = 5_ns;
  b.build();
  b.at(1_us, [&] {
    const auto& sw = b.machine().get<pcie::Switch>("sw");
    constexpr Time rounding = 1_ps;
    for (const auto& [source, from] : {std::pair{0, 1_ns}, std::pair{1, 1_ns}, std::pair{2, 5_ns}}) {
      CHECK(sw.next_offer(0, source) <= 1_us + from + B::latency);
      CHECK(sw.next_offer(0, source) > 1_us + from + B::latency - rounding);
    }
    CHECK(sw.next_offer(0) <= 1_us + 1_ns + B::latency);  // of all, the first
    CHECK(sw.next_offer(0) > 1_us + 1_ns + B::latency - rounding);
  });
  b.run();
}

}  // namespace pcie_switch_way_test
