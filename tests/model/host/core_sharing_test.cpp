// SPDX-License-Identifier: Apache-2.0
// Who has a core when. A cycle is 400 ps, times are in picoseconds; 10 cycles are 4 ns.
#include "model/host/core_bench.hpp"

namespace core_sharing_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("a step has the core to itself and the next one begins when it is over") {
  CHECK(in_any_order([](CoreBench& b) {
          b.executes("a", 0_ns, 10);
          b.executes("b", 1_ns, 10);
        }) == "a 4400, b 8400");  // the first step of all begins at a clock edge
}

TEST_CASE("the only program of a core begins at once") {
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 0;
          b.executes("a", 123_ps, 10);
        }) == "a 4123");
}

TEST_CASE("of programs that ask at one time for a free core the first by name begins at the next clock edge") {
  CHECK(in_any_order([](CoreBench& b) {
          b.executes("a", 10_ns, 10);
          b.executes("b", 10_ns, 10);
        }) == "a 14400, b 18400");
  CHECK(in_any_order([](CoreBench& b) {  // who asked earlier, before that edge, goes before names
          b.executes("a", 10_ns + 300_ps, 10);
          b.executes("b", 10_ns + 100_ps, 10);
        }) == "a 18400, b 14400");
}

TEST_CASE("the program that had the core last goes on at once when somebody asks at that time") {
  const auto twice = [](Time other) {
    return in_any_order([other](CoreBench& b) {
      b.program("b", [&b](Fiber& f) {
        b.core().execute(f, "work", 10);  // 0.4 .. 4.4 ns
        b.core().execute(f, "work", 10);
        b.done("b", f);
      });
      b.executes("a", other, 10);
    });
  };
  CHECK(twice(4_ns + 400_ps) == "a 12400, b 8400");
  CHECK(twice(4_ns + 400_ps - 1_fs) == "a 8400, b 12400");  // who asked earlier goes before
}

TEST_CASE("a program that comes back to a free core goes on at once and another one at a clock edge") {
  const auto again = [](Time other) {
    return in_any_order([other](CoreBench& b) {
      b.program("b", [&b](Fiber& f) {
        b.core().execute(f, "work", 10);
        f.wait_until(10_ns + 100_ps);
        b.core().execute(f, "work", 10);
        b.done("b", f);
      });
      b.executes("a", other, 10);
    });
  };
  CHECK(again(10_ns + 100_ps) == "a 18100, b 14100");
  CHECK(again(10_ns + 50_ps) == "a 14400, b 18400");
  CHECK(again(30_ns) == "a 34400, b 14100");
}

TEST_CASE("who asked first goes first and of one time the first by name") {
  CHECK(in_any_order([](CoreBench& b) {
          b.executes("a", 0_ns, 100);
          b.executes("b", 3_ns, 10);
          b.executes("c", 2_ns, 10);
          b.executes("d", 3_ns, 10);
        }) == "a 40400, b 48400, c 44400, d 52400");
}

TEST_CASE("an interrupt handler goes before programs that asked earlier but not into a step") {
  CHECK(in_any_order([](CoreBench& b) {
          b.executes("a", 0_ns, 100);
          b.executes("b", 10_ns, 10);
          b.handles("handler", 20_ns, 5);
        }) == "a 40400, b 46400, handler 42400");
}

TEST_CASE("an interrupt handler keeps the core between its steps") {
  CHECK(in_any_order([](CoreBench& b) {
          b.executes("a", 0_ns, 100);
          b.executes("b", 10_ns, 10);
          b.handles("handler", 20_ns, 5, 3);
        }) == "a 40400, b 50400, handler 46400");
}

TEST_CASE("a handler is none while it waits for its next interrupt") {
  CHECK(in_any_order([](CoreBench& b) {
          b.handles("handler", 20_ns, 5);
          b.executes("b", 20_ns + 100_ps, 10);
          b.executes("c", 30_ns, 10);
        }) == "b 26400, c 34400, handler 22400");
}

TEST_CASE("a handler takes the core from a computation at the next clock edge and what is left follows") {
  const auto computing = [](Time interrupt) {
    return in_any_order([interrupt](CoreBench& b) {
      b.programs = 1;
      b.program("a", [&b](Fiber& f) {
        b.core().compute(f, 100_ns);
        b.done("a", f);
      });
      b.executes("b", 10_ns, 10);
      b.handles("handler", interrupt, 5);
    });
  };
  CHECK(computing(20_ns + 100_ps) == "a 102000, b 106000, handler 22400");
  CHECK(computing(20_ns) == "a 102000, b 106000, handler 22400");
  CHECK(computing(20_ns - 1_fs) == "a 102000, b 106000, handler 22000");
  CHECK(computing(100_ns - 400_ps) == "a 100000, b 106000, handler 102000");  // at the edge at which it ends
  CHECK(computing(100_ns) == "a 100000, b 104000, handler 106000");           // b asked earlier: it has it by then
}

TEST_CASE("a computation that a handler has interrupted twice takes as long as it takes") {
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 1;
          b.program("a", [&b](Fiber& f) {
            b.core().compute(f, 100_ns);
            b.done("a", f);
          });
          b.handles("handler", 20_ns, 5);
          b.writes(CoreBench::interrupt_at, 50_ns);
        }) == "a 104000, handler 22400, handler 52400");
}

TEST_CASE("switching to another program costs its cycles and handlers nothing") {
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 1;
          b.config.switch_cycles = 100;
          b.program("a", [&b](Fiber& f) {
            b.core().execute(f, "work", 10);
            b.core().execute(f, "work", 10);
            b.done("a", f);
          });
          b.executes("b", 1_ns, 10);
        }) == "a 92000, b 48000");
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 1;
          b.config.switch_cycles = 100;
          b.handles("handler", 20_ns, 5);
          b.program("a", [&b](Fiber& f) {
            b.core().execute(f, "work", 10);
            f.wait_until(30_ns);
            b.core().execute(f, "work", 10);
            b.done("a", f);
          });
        }) == "a 34400, handler 22400");
}

TEST_CASE("fibers that stand for one program switch nothing and go on at once") {
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 1;
          b.config.switch_cycles = 100;
          for (const Time when : {0_ns, 10_ns + 100_ps})
            b.program(when == 0_ns ? "rank 0" : "rank 1", [&b, when](Fiber& f) {
              b.core().part_of("thread", f);
              f.wait_until(when);
              b.core().execute(f, "work", 10);
              b.done("thread", f);
            });
        }) == "thread 14100, thread 4000");
}

TEST_CASE("two programs that begin at one time on a core that knows of one are an error") {
  CoreBench b;
  b.programs = 1;
  b.executes("a", 5_ns, 10);
  b.executes("b", 5_ns, 10);
  CHECK(b.failure() == "core: a and b begin at one time; say that it has several programs (add_program)");
}

TEST_CASE("a program that runs to completion has the core until it ends or waits for an interrupt") {
  const auto completing = [](host::Sharing sharing) {
    return in_any_order([sharing](CoreBench& b) {
      b.programs = 1;
      b.config.sharing = sharing;
      b.program("a", [&b](Fiber& f) {
        b.core().execute(f, "work", 10);
        f.wait_until(30_ns);
        b.core().compute(f, 10_ns);
        f.wait_until(50_ns);
        b.done("a", f);
      });
      b.executes("b", 1_ns, 10);
      b.handles("handler", 32_ns, 5);
    });
  };
  CHECK(completing(host::Sharing::run_to_completion) == "a 50000, b 56000, handler 52000");
  CHECK(completing(host::Sharing::steps) == "a 50000, b 8000, handler 34400");
}

TEST_CASE("a store of several lines has the core until the last one") {
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 1;
          b.program("a", [&b](Fiber& f) {
            b.core().store(f, 0x1000, 576_B, 1, 1);  // 72 cycles
            b.done("a", f);
          });
          b.executes("b", 10_ns, 10);
        }) == "a 28800, b 32800");
}

TEST_CASE("observers are told who had the core") {
  CoreBench b;
  b.programs = 1;
  b.executes("a", 0_ns, 100);
  b.executes("b", 10_ns, 10);
  b.handles("handler", 20_ns, 5);
  b.run();
  std::vector<std::string> waits;
  for (const net::StageEvent& e : b.b.history().stages())
    if (e.stage == net::Stage::core)
      waits.push_back(fmt::format("{} {} {}", e.name, e.begin.fs() / 1000, e.end.fs() / 1000));
  std::sort(waits.begin(), waits.end());
  CHECK(waits == std::vector<std::string>{"core held by a 10000 40000", "core held by a 20000 40000",
                                          "core held by handler 40000 42000"});
}

}  // namespace core_sharing_test
