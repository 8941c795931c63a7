// SPDX-License-Identifier: Apache-2.0
// How a run with somebody else's models in it ends: with its programs, by our own state.
#include "model/tlm/tlm_bench.hpp"
#include "support/sanitized.hpp"

namespace tlm_end_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("a run ends with its programs though a model goes on and on, and what it wants next waits for the owner") {
  expect_leaks();
  TlmBench b;
  Initiator dma("dma", b.card(0));
  int done = 0;
  for (std::uint64_t i = 0; i < 3; ++i)
    thread([&, i] {
      for (;;) {
        dma.write(0x1000 * i, Data(600, 1));
        dma.read(0x1000 * i, 600);
        ++done;
      }
    });
  tick(1_ns);
  b.at(10_us, [] {});
  b.run(1_ms);
  CHECK(b.sim().ended());
  CHECK(kernel_time() >= 10_us);
  CHECK(kernel_time() < 12_us);
  CHECK(b.sim().held() == 2);  // the third was the last to end
  const int before = done;
  CHECK(before > 0);
  b.expect_all_home();
  sc_core::sc_start(sc(5_us));
  CHECK(b.sim().held() == 0);
  CHECK(done > before + 3);
}

namespace {

/// A thread of others begins a write at the very time at which the only program ends, before or behind it.
void begins_at_the_end(bool before) {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  bool done = false;
  thread([&] {
    if (!before) sc_core::wait(sc(10_us));  // then it begins a delta later
    dma.write(0x1000, Data(8, 1), before ? 10_us : Time::zero());
    done = true;
  });
  b.at(10_us, [] {});
  b.run(1_ms);
  CHECK(done == before);
  CHECK(b.sim().held() == 0);  // behind: the kernel is paused before it begins
  b.expect_all_home();
  sc_core::sc_start(sc(1_us));
  CHECK(done);
}

}  // namespace

TEST_CASE("a write that begins when the only program ends, just before") { begins_at_the_end(true); }
TEST_CASE("a write that begins when the only program ends, just behind") { begins_at_the_end(false); }

TEST_CASE("a transaction that is under way when the programs end comes to its end, with all that it needs") {
  TlmBench b;
  Initiator dma("dma", b.card(1));
  Target target("target", b.card(0));
  Initiator inner("inner", b.card(0));
  bool ended = false;
  target.before = [&](tlm::tlm_generic_payload& t) {
    if (t.is_read()) inner.read(0x1000, 64);  // somebody else's code that we have called
  };
  thread([&] {
    dma.write(TlmBench::window, Data(5000, 3));
    ended = dma.read(TlmBench::window + 100, 4000) == Data(4000, 3);
  });
  tick(1_ns);
  b.at(2_us, [] {});
  b.run(1_ms);
  // The read was not under way: it waits.
  if (!ended) sc_core::sc_start(sc(100_us));
  CHECK(ended);
}

TEST_CASE("a target that asks the cluster itself is brought to its end, too") {
  TlmBench b;
  Target target("target", b.card(0));
  Initiator inner("inner", b.card(0));
  int doorbells = 0;
  target.before = [&](tlm::tlm_generic_payload&) {
    sc_core::wait(sc(3_us));
    inner.read(0x1000, 64);
    ++doorbells;
  };
  tick(1_ns);
  b.core_writes(0_ns, TlmBench::window, Data(8, 1));  // and the program ends
  b.run(1_ms);
  CHECK(doorbells == 1);
  CHECK(kernel_time() < 5_us);
  CHECK(b.sim().held() == 0);
  b.expect_all_home();
}

TEST_CASE("a thread that is killed while it is held is held no more") {
  expect_leaks();
  TlmBench b;
  Initiator dma("dma", b.card(0));
  const auto reads = [&](Time begin) {
    return thread([&, begin] {
      sc_core::wait(sc(begin));
      for (;;) {
        Data data(64);
        dma.read(0x1000, data);
      }
    });
  };
  reads(0_ns);
  sc_core::sc_process_handle second = reads(200_ns);
  int held = 0;
  thread([&] {
    sc_core::wait(sc(1300_ns));  // between the ends of what was under way
    held = b.sim().held();
    second.kill();
  });
  b.at(1_us, [] {});
  b.run(1_ms);
  CHECK(held == 1);
  CHECK(b.sim().held() == 0);
  b.expect_all_home();
}

}  // namespace tlm_end_test
