// SPDX-License-Identifier: Apache-2.0
// What libraries count of steps and copies, against what an observer hears and what each way of a message must copy.
#include "cluster/accounts.hpp"

#include <map>

#include "system/program_bench.hpp"

namespace accounts_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;

namespace {

/// Adds up the steps that it hears of.
class Adder final : public comm::Listener {
 public:
  void call(const comm::Call&) override {}
  void step(const comm::Step& s) override {
    report::StepAccount& a = sums[s.name];
    a.step = s.name;
    ++a.calls;
    a.total += s.end - s.begin;
  }
  std::map<std::string, report::StepAccount> sums;
};

struct Expected {
  std::int64_t messages;
  Bytes payload;
  report::CopyAccount by_core;
  report::CopyAccount by_dma;
};

void check(const report::Accounts& a, const Expected& e) {
  CHECK(a.messages == e.messages);
  CHECK(a.payload == e.payload);
  CHECK(a.by_core.copies == e.by_core.copies);
  CHECK(a.by_core.bytes == e.by_core.bytes);
  CHECK(a.by_dma.copies == e.by_dma.copies);
  CHECK(a.by_dma.bytes == e.by_dma.bytes);
}

/// To and fro once.
report::Accounts after_ping_pong(const std::string& run, const Buffer& b, const Overrides& overrides = {}) {
  ProgramBench bench(run, overrides);
  for (const int rank : {0, 1}) bench.library().check(rank, 1 - rank, b);
  bench.program(0, [b](comm::Rank& r) {
    r.send(1, b);
    r.recv(1, b);
  });
  bench.program(1, [b](comm::Rank& r) {
    r.recv(0, b);
    r.send(0, b);
  });
  bench.run();
  return accounts_of(bench.library());
}

/// A two-sided message of `n` bytes; the receiver calls after `late`.
report::Accounts after_message(int from, int to, Bytes n, Time late) {
  ProgramBench bench("tca_ping_pong");
  const auto part = [&](int me, comm::Rank& r) {
    comm::Group world = r.world();
    std::vector<comm::Request> all;
    if (me == to) {
      r.wait_until(late);
      if (late > 0_ns) world.recv(from, 8, {});
      all.push_back(world.irecv(from, 7, {8_KiB, n, {}, {}}));
    }
    if (me == from) {
      all.push_back(world.isend(to, 7, {{}, n, {}, {}}));
      if (late > 0_ns) all.push_back(world.isend(to, 8, {}));
    }
    world.wait_all(all);
  };
  bench.program(from, [&](comm::Rank& r) { part(from, r); });
  if (to != from) bench.program(to, [&](comm::Rank& r) { part(to, r); });
  bench.run();
  return accounts_of(bench.library());
}

}  // namespace

TEST_CASE("accounts say of each step what an observer hears") {
  ProgramBench bench("tca_ping_pong");
  Adder heard;
  bench.library().set_listener(heard);
  bench.all([](comm::Rank& r) {
    for (const char* method : {"pio", "dma"}) {
      const Buffer b{{}, 1_KiB, {}, method};
      if (r.id() == 0) r.send(1, b);
      r.recv(1 - r.id(), b);
      if (r.id() == 1) r.send(0, b);
    }
    comm::Group world = r.world();
    for (const Bytes n : {100_B, 20000_B}) {
      if (r.id() == 0) world.send(1, 1, {{}, n, {}, {}});
      if (r.id() == 1) world.recv(0, 1, {{}, n, {}, {}});
    }
  });
  bench.run();
  const report::Accounts counted = accounts_of(bench.library());
  CHECK(counted.steps.size() == heard.sums.size());
  CHECK(counted.steps.size() >= 9);
  for (const report::StepAccount& s : counted.steps) {
    INFO(s.step);
    CHECK(heard.sums[s.step].calls == s.calls);
    CHECK(heard.sums[s.step].total == s.total);
  }
}

TEST_CASE("a core copies a PIO message once") {
  check(after_ping_pong("tca_ping_pong", {{}, 200_B, {}, "pio"}), {2, 400_B, {2, 400_B}, {}});
}

TEST_CASE("an engine copies a DMA message once") {
  check(after_ping_pong("tca_ping_pong", {{}, 20000_B, {}, "dma"}), {2, 40000_B, {}, {2, 40000_B}});
}

TEST_CASE("engines copy a staged message twice") {
  check(after_ping_pong("tca_staged_ping_pong", {{}, 8_KiB, "gpu0", "staged", "gpu0"}), {2, 16_KiB, {}, {4, 32_KiB}});
}

TEST_CASE("an engine copies a message between GPUs with peer access once") {
  check(after_ping_pong("cuda_peer_ping_pong", {{}, 5000_B, {}, "uva"}), {2, 10000_B, {}, {2, 10000_B}});
}

TEST_CASE("engines copy a message between GPUs without peer access twice however many chunks it has") {
  // 3.5 chunks of 1 MiB
  check(after_ping_pong("cuda_peer_ping_pong", {{}, 3584_KiB, {}, "no_uva"}), {2, 7_MiB, {}, {4, 14_MiB}});
}

TEST_CASE("cores copy an eager message twice") { check(after_message(0, 1, 100_B, 0_ns), {1, 100_B, {2, 200_B}, {}}); }

TEST_CASE("cores copy an eager message once more if nobody waits for it") {
  check(after_message(0, 1, 100_B, 50_us), {2, 100_B, {3, 300_B}, {}});
}

TEST_CASE("an engine copies a rendezvous message once") {
  check(after_message(0, 1, 20000_B, 0_ns), {1, 20000_B, {}, {1, 20000_B}});
}

TEST_CASE("a core copies a message to its own rank once") {
  check(after_message(1, 1, 300_B, 0_ns), {1, 300_B, {1, 300_B}, {}});
}

TEST_CASE("each prepared put is a message that an engine copies whenever it is started") {
  ProgramBench bench("tca_ping_pong");
  bench.program(0, [](comm::Rank& r) {
    const int number = r.prepare({{1, {}, {}, 100_B, {}, {}, true}, {1, {"", 4_KiB}, {"", 4_KiB}, 30_B}}, "chain");
    for (int i = 0; i < 3; ++i) {
      r.start(number);
      r.finish();
    }
  });
  bench.run();
  check(accounts_of(bench.library()), {6, 390_B, {}, {6, 390_B}});
}

TEST_CASE("an engine copies what is read by proxy once") {
  ProgramBench bench("tca_remote_read");
  bench.program(0, [](comm::Rank& r) { r.get(1, {{}, 3000_B, {}, {}, {}}); });
  bench.run();
  check(accounts_of(bench.library()), {1, 3000_B, {}, {1, 3000_B}});
}

TEST_CASE("datagrams are messages of which nobody copies anything") {
  ProgramBench bench("ring_traffic");
  bench.program(0, [](comm::Rank& r) { r.send(1, {{}, 100_B, {}, {}}); });
  bench.program(1, [](comm::Rank& r) { r.recv(0, {{}, 100_B, {}, {}}); });
  bench.run();
  check(accounts_of(bench.library()), {1, 100_B, {}, {}});
}

}  // namespace accounts_test
