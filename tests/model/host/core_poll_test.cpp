// SPDX-License-Identifier: Apache-2.0
// Polling loops on a shared core, and over several words: which visit sees what. A visit takes 4 ns, the line 60 ns.
#include "model/host/core_bench.hpp"

namespace core_poll_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t flag = 0x200;

/// A program that polls from 0 on for a write visible at `write`, and one that asks at `ask` for 10 cycles.
std::string polling(Time write, Time ask, host::Sharing sharing = host::Sharing::steps, bool handler = false) {
  return in_any_order([=](CoreBench& b) {
    b.programs = 1;
    b.config.sharing = sharing;
    b.program("poll", [&b](Fiber& f) {
      b.core().poll(f, b.memory(), flag + 8, 1);
      b.done("poll", f);
    });
    b.writes(flag, write);
    if (handler)
      b.handles("other", ask, 10);
    else
      b.executes("other", ask, 10);
  });
}

}  // namespace

TEST_CASE("a polling loop offers the core after each visit") {
  CHECK(polling(30_ns, 10_ns) == "other 16000, poll 92000");  // 12 .. 16 ns; visits at 16 20 24 28 32
  CHECK(polling(31_ns, 11_ns) == "other 16000, poll 92000");
}

TEST_CASE("a program gets the core before the visit that would have seen the write") {
  CHECK(polling(11_ns, 10_ns) == "other 16000, poll 76000");
  CHECK(polling(10_ns, 11_ns) == "other 16000, poll 76000");
  CHECK(polling(12_ns, 12_ns - 1_fs) == "other 16000, poll 76000");
}

TEST_CASE("who asks at the very time of the visit that sees the write comes after it") {
  CHECK(polling(12_ns, 12_ns) == "other 76000, poll 72000");
  CHECK(polling(9_ns, 12_ns) == "other 76000, poll 72000");
  CHECK(polling(9_ns, 30_ns) == "other 76000, poll 72000");  // nor into the fetch of the line
}

TEST_CASE("who asks at the time of a visit that sees nothing comes behind it") {
  CHECK(polling(40_ns, 12_ns) == "other 20000, poll 100000");
}

TEST_CASE("a write that comes while another program has the core is seen at once afterwards") {
  CHECK(polling(14_ns, 10_ns) == "other 16000, poll 76000");
}

TEST_CASE("polling loops let handlers in when programs run to completion and nobody else") {
  CHECK(polling(30_ns, 10_ns, host::Sharing::run_to_completion, true) == "other 16000, poll 92000");
  CHECK(polling(30_ns, 10_ns, host::Sharing::run_to_completion, false) == "other 96000, poll 92000");
}

TEST_CASE("loops of two programs take turns") {
  CHECK(in_any_order([](CoreBench& b) {
          for (const std::string name : {"a", "b"})
            b.program(name, [&b, name](Fiber& f) {
              b.core().poll(f, b.memory(), flag + 8, 1);
              b.done(name, f);
            });
          b.writes(flag, 21_ns);
        }) == "a 84400, b 144400");  // visits at 0.4 8.4 16.4 24.4 ns of a, between them of b
}

TEST_CASE("observers are told of a poll that its core was another program's when the write came") {
  CoreBench b;
  b.programs = 1;
  b.program("poll", [&b](Fiber& f) { b.core().poll(f, b.memory(), flag + 8, 1); });
  b.executes("other", 10_ns, 10);
  b.writes(flag, 13_ns);
  b.run();
  std::string text;
  for (const net::StageEvent& e : b.b.history().stages())
    if (e.begin >= 13_ns) text += fmt::format("{} {} {}; ", e.name, e.begin.fs() / 1000, e.end.fs() / 1000);
  CHECK(text == "core held by other 13000 16000; fetch the line 16000 76000; ");
}

TEST_CASE("an uncached loop offers the core after each load") {
  CoreBench b;
  b.programs = 1;
  b.config.load_to_bus = 50_ns;
  b.config.uncached_load = 100_ns;
  b.program("poll", [&b](Fiber& f) {
    b.core().poll_uncached(f, 0x308, [n = 0](std::uint64_t) mutable { return ++n == 2; });
    b.done("poll", f);
  });
  b.executes("other", 10_ns, 10);
  const auto answer = [&b] { b.b.probe("sink").answer(b.b.probe("sink").arrivals().back(), 8_B); };
  b.program("device", [&](Fiber& f) {
    f.wait_until(99_ns);
    answer();  // back at 100 ns; the loop's visit ends at 204 ns
    f.wait_until(299_ns);
    answer();
  });
  CHECK(b.run() == "other 208000, poll 400000");
}

TEST_CASE("a loop over several words visits them in turn") {
  const auto any = [](std::size_t word, Time when) {
    return in_any_order([=](CoreBench& b) {
      b.programs = 1;
      b.program("poll", [&b](Fiber& f) {
        std::vector<host::Core::Polled> words;
        for (const std::uint64_t w : {0x200, 0x300, 0x400})
          words.push_back({w + 8, 8_B, [](std::uint64_t said) { return said == 1; }});
        const std::size_t which = b.core().poll_any(f, b.memory(), words);
        b.done("word " + std::to_string(which), f);
      });
      b.writes(0x200 + 0x100 * word, when);
    });
  };
  // Word i is visited at 4 (i + 3 k) ns.
  CHECK(any(0, 12_ns) == "word 0 72000");
  CHECK(any(0, 12_ns + 1_fs) == "word 0 84000");
  CHECK(any(1, 16_ns) == "word 1 76000");
  CHECK(any(1, 16_ns + 1_fs) == "word 1 88000");
  CHECK(any(2, 1_ns) == "word 2 68000");
  CHECK(any(2, 8_ns + 1_fs) == "word 2 80000");
}

TEST_CASE("of several words that say it the one that is visited first is taken") {
  const auto two = [](Time first, Time second) {
    return in_any_order([=](CoreBench& b) {
      b.programs = 1;
      b.program("poll", [&b](Fiber& f) {
        const host::Core::Until is_there = [](std::uint64_t said) { return said == 1; };
        const std::size_t which = b.core().poll_any(f, b.memory(), {{0x208, 8_B, is_there}, {0x308, 8_B, is_there}});
        b.done("word " + std::to_string(which), f);
      });
      b.writes(0x200, first);
      b.writes(0x300, second);
    });
  };
  // Visits of the first word at 0 8 16, of the second at 4 12 20 ns.
  CHECK(two(9_ns, 10_ns) == "word 1 72000");  // although the first one was written before
  CHECK(two(9_ns, 12_ns) == "word 1 72000");
  CHECK(two(9_ns, 12_ns + 1_fs) == "word 0 76000");
  CHECK(two(16_ns, 16_ns) == "word 0 76000");
}

TEST_CASE("a loop in turns looks at all words where a turn begins") {
  const auto turns = [](Time first, Time second, Time ask = Time::max()) {
    return in_any_order([=](CoreBench& b) {
      b.programs = ask == Time::max() ? 0 : 1;
      b.program("poll", [&b](Fiber& f) {
        const host::Core::Until is_there = [](std::uint64_t said) { return said == 1; };
        const std::vector<host::Core::Polled> words{{0x208, 8_B, is_there}, {0x308, 8_B, is_there}};
        b.core().poll_turns(f, b.memory(), words, 25);
        b.done("poll", f);
      });
      if (first != Time::max()) b.writes(0x200, first);
      if (second != Time::max()) b.writes(0x300, second);
      if (ask != Time::max()) b.executes("other", ask, 5);
    });
  };
  // Turns begin every 10 ns.
  CHECK(turns(Time::max(), 10_ns) == "poll 70000");
  CHECK(turns(Time::max(), 10_ns + 1_fs) == "poll 80000");
  CHECK(turns(20_ns, Time::max()) == "poll 80000");
  CHECK(turns(21_ns, 11_ns) == "poll 80000");
  CHECK(turns(11_ns, 12_ns) == "poll 80000");
  // Another program gets the core between turns, for 2 ns; then a turn begins.
  CHECK(turns(12_ns, Time::max(), 15_ns) == "other 22000, poll 82000");
}

TEST_CASE("a loop over several words that another program interrupts goes on with the next word") {
  CHECK(
      in_any_order([](CoreBench& b) {
        b.programs = 1;
        b.program("poll", [&b](Fiber& f) {
          const host::Core::Until is_there = [](std::uint64_t said) { return said == 1; };
          const std::size_t which = b.core().poll_any(f, b.memory(), {{0x208, 8_B, is_there}, {0x308, 8_B, is_there}});
          b.done("word " + std::to_string(which), f);
        });
        b.executes("other", 3_ns, 5);  // 4 .. 6 ns; then word 1 at 6, word 0 at 10 ns
        b.writes(0x200, 5_ns);
      }) == "other 6000, word 0 70000");
}

TEST_CASE("a loop with a deadline ends with the first visit that ends then or later, or finds its word before") {
  const auto until = [](Time deadline, Time write, Time ask = Time::max()) {
    return in_any_order([=](CoreBench& b) {
      b.programs = 1;
      b.program("poll", [&b, deadline](Fiber& f) {
        const host::Core::Until is_there = [](std::uint64_t said) { return said == 1; };
        const std::size_t which =
            b.core().poll_any(f, b.memory(), {{0x208, 8_B, is_there}, {0x308, 8_B, is_there}}, deadline);
        b.done("word " + std::to_string(which), f);
      });
      b.writes(0x300, write);
      if (ask != Time::max()) b.executes("other", ask, 5);
    });
  };
  // Visits of the first word at 0 8 16, of the second at 4 12 20 ns, each of 4 ns.
  CHECK(until(16_ns, 1_us) == "word 2 16000");
  CHECK(until(16_ns + 1_fs, 1_us) == "word 2 20000");
  CHECK(until(16_ns - 1_fs, 1_us) == "word 2 16000");
  CHECK(until(0_ns, 1_us) == "word 2 8000");
  CHECK(until(0_ns, 4_ns) == "word 1 64000");
  CHECK(until(16_ns, 12_ns) == "word 1 72000");
  CHECK(until(12_ns, 12_ns) == "word 2 12000");
  CHECK(until(16_ns, 12_ns + 1_fs) == "word 2 16000");
  // Another program has the core from 4 to 6 ns; then visits go on at 6, 10, 14 ns.
  CHECK(until(16_ns, 1_us, 3_ns) == "other 6000, word 2 18000");
  CHECK(until(5_ns, 1_us, 3_ns) == "other 6000, word 2 14000");
  CHECK(until(0_ns, 6_ns, 3_ns) == "other 6000, word 1 66000");
}

TEST_CASE("a loop over no word is refused") {
  CoreBench b;
  b.program("poll", [&b](Fiber& f) { b.core().poll_any(f, b.memory(), {}); });
  CHECK(b.failure() == "core: a polling loop without a word");
}

}  // namespace core_poll_test
