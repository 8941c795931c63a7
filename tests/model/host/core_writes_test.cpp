// SPDX-License-Identifier: Apache-2.0
// Stores of a core into a card's window: how far they run ahead of the link that takes them.
#include <fmt/format.h>

#include <string>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace core_writes_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t window = std::uint64_t{8} << 30;
constexpr int buffers = 20;
constexpr Time to_bus = 10_ns;
constexpr Time line = 22_ns;  // 64 B and 24 of header and frame at 4 GB/s; the core stores seven times as fast

/// When a core's store of so many lines into a card's window retired.
Time store(Bench& b, int writes, int lines, int max_train = 1) {
  host::CoreConfig core;
  core.clock = Frequency(2'500'000'000);
  core.write_combining_buffers = buffers;
  core.store_to_bus = to_bus;
  host::RootComplexConfig rc;
  rc.core_writes = writes;
  rc.slots = {{"slot0", Bytes(static_cast<std::int64_t>(window)), 1_GiB}};
  net::PortSpec memory = port("bus");
  memory.protocol = "on_chip";
  host::OnChipConfig bus;
  bus.flight = 1_ns;
  b.device("core", core);
  b.device("rc", rc);
  b.device("memory", memory);
  b.device("card", port("link"));
  b.wire("core.bus", "rc.core0", bus);
  b.wire("memory.bus", "rc.memory", bus);
  b.wire("card.link", "rc.slot0", quiet(gen2_x8()));
  b.build(max_train);
  Time retired;
  b.program("store", [&](Fiber& f) {
    b.machine().get<host::Core>("core").store(f, window, Bytes(64) * lines, 1, 1);
    retired = f.now();
  });
  b.run();
  b.expect_all_home();
  return retired;
}

struct Times {
  Time retired;
  Time arrived;  // of the last line
};

Times times(int writes, int lines) {
  const std::string told = in_child([=] {
    Bench b;
    const Time retired = store(b, writes, lines);
    return fmt::format("{} {}", retired.fs(), b.probe("card").arrivals().back().tail.fs());
  });
  return {Time::from_fs(std::stoll(told)), Time::from_fs(std::stoll(told.substr(told.find(' '))))};
}

}  // namespace

TEST_CASE("a core's stores run ahead of a slow link by its buffers and the lines that the root complex holds") {
  constexpr int lines = 1000;
  for (const int held : {10, 64, 500}) {
    CAPTURE(held);
    const Times t = times(held, lines);
    // All but those that still wait have been on the link; a few are under way from core to root complex.
    CHECK(t.retired >= line * (lines - held - buffers - 2));
    CHECK(t.retired <= line * (lines - held - buffers + 20));
    CHECK(t.arrived >= line * lines);
    CHECK(t.arrived <= line * lines + 1_us);
  }
}

TEST_CASE("a core's stores run ahead of a slow link for ever where the root complex has no limit") {
  const Times t = times(0, 1000);
  CHECK(t.retired < line * 250);
  CHECK(t.arrived >= line * 1000);
}

TEST_CASE("a core's stores that wait for a link arrive alike in trains") {
  const auto arrivals = [](int held, int max_train) {
    return in_child([=] {
      Bench b;
      std::string text = std::to_string(store(b, held, 300, max_train).fs());
      for (const Arrival& a : b.probe("card").arrivals())
        text += fmt::format("\n{:#x} {} {}", a.address, a.head.fs(), a.tail.fs());
      return text;
    });
  };
  for (const int held : {1, 2, 63, 100, 299})
    for (const int max_train : {2, 16, 64}) CHECK(arrivals(held, max_train) == arrivals(held, 1));
}

}  // namespace core_writes_test
