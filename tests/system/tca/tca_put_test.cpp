// SPDX-License-Identifier: Apache-2.0
// Prepared puts and reads by proxy, whole programs on whole machines.
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/program_bench.hpp"
#include "system/simulated.hpp"

namespace tca_put_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// The times of a run's rows.
std::vector<Time> times(const std::string& run, const Overrides& overrides) {
  std::vector<Time> out;
  for (const report::Row& row : rows_of(run, overrides).rows) out.push_back(cell<Time>(row, "time"));
  return out;
}

Overrides puts(const std::string& method, const std::string& sizes, const std::string& counts) {
  return {{"/scenario/methods", "[\"" + method + "\"]"}, {"/scenario/sizes", sizes}, {"/scenario/counts", counts}};
}

}  // namespace

TEST_CASE("a set of puts gives its descriptors back: rows of more than the chip holds in sum") {
  CHECK(times("tca_local_chain", puts("chip_chain", R"(["64 B"])", "[1024, 1000, 1024]")).size() == 3);
}

TEST_CASE("notices that came before anybody looked are counted, whoever else was notified in between") {
  ProgramBench b("halo_tca");
  const comm::Buffer what{0_B, 8_B, {}, {}};
  b.program(1, [&](comm::Rank& r) {
    const auto to = [&](int peer) {
      comm::Put p{peer, {"", 0_B}, {"", 4_KiB}, 8_B};
      p.notify = true;
      return r.prepare({p}, "chip_chain");
    };
    const int to_0 = to(0);
    const int to_1 = to(1);
    for (const int number : {to_0, to_1, to_0, to_1, to_1, to_0}) {
      r.start(number);
      r.finish();
    }
    r.wait_until(100_us);
    r.start(to_0);
    r.finish();
    for (int i = 0; i < 3; ++i) r.await(1, what);
  });
  b.program(0, [&](comm::Rank& r) {
    r.wait_until(50_us);  // three have come
    for (int i = 0; i < 3; ++i) r.await(1, what);
    CHECK(r.now() < 51_us);
    r.await(1, what);
    CHECK(r.now() > 100_us);  // the fourth is another one
  });
  b.run();
}

TEST_CASE("a put in blocks of whole packets takes as long as one of a piece, but for its requests") {
  Overrides whole = puts("register", R"(["64 KiB"])", "[1]");
  whole.push_back({"/scenario/peer", "1"});
  Overrides blocks = whole;
  blocks.push_back({"/scenario/block", "4 KiB"});
  blocks.push_back({"/scenario/every", "16 KiB"});
  const Time a = times("tca_local_chain", whole).front();
  const Time b = times("tca_local_chain", blocks).front();
  // Whole read requests and packets either way: the same but for where in its loop the CPU polls.
  CHECK((a > b ? a - b : b - a) < 8_ns);
  // Blocks of 64 bytes: packets with a quarter of the payload, each with a header and a request of its own.
  blocks[blocks.size() - 2].value = "64 B";
  blocks.back().value = "256 B";
  const Time c = times("tca_local_chain", blocks).front();
  CHECK(c > Time::from_fs(std::int64_t{1024} * (64 + 24) * 250'000));  // at 4 GB/s
}

TEST_CASE("a read by proxy waits for the driver's interrupt handler, cycle by cycle") {
  const Overrides small{{"/scenario/sizes", R"(["8 B"])"}};
  Overrides slower = small;
  slower.push_back({"/library/interrupt_cycles", "7800"});
  const Time usual = times("tca_remote_read", small).front();
  // 2,600 cycles of 2.6 GHz more; the chips take packets in on edges of 4 ns, of which 1 us is a whole number.
  const Time more = times("tca_remote_read", slower).front() - usual;
  CHECK(more > 1_us - 1_ps);  // a cycle of 2.6 GHz is no whole number of femtoseconds
  CHECK(more < 1_us + 1_ps);
}

TEST_CASE("a driver whose core is slow has set its interrupt address before anybody reads") {
  const std::string root_complex = "/machine/topology/devices/node1/devices/rc/";
  CHECK(times("tca_remote_read", {{"/scenario/sizes", R"(["8 B"])"}, {root_complex + "posted_latency", "10 us"}})
            .size() == 1);
}

TEST_CASE("a large read by proxy comes at the rate of DMA") {
  const std::vector<Time> t = times("tca_remote_read", {{"/scenario/sizes", R"(["1 MiB", "2 MiB"])"}});
  const Time a_mebibyte = t[1] - t[0];
  const Time on_the_link = Time::from_fs(std::int64_t{4096} * 280 * 250'000);  // packets of 256 B and 24 B
  CHECK(a_mebibyte > on_the_link);
  CHECK(a_mebibyte < on_the_link + Time::from_fs(on_the_link.fs() / 20));
}

}  // namespace tca_put_test
