// SPDX-License-Identifier: Apache-2.0
// Communication by prepared puts and notifications: how long it takes beside what it is made of.
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace prepared_puts_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

Overrides of(const std::string& size, const Overrides& more = {}) {
  Overrides o{{"/scenario/sizes", "[\"" + size + "\"]"}, {"/scenario/iterations", "2"}, {"/scenario/warm_up", "1"}};
  o.insert(o.end(), more.begin(), more.end());
  return o;
}

Time time(const char* run, const Overrides& o) { return cell<Time>(rows_of(run, o).rows.at(0), "time"); }
Time latency(const Overrides& o) { return cell<Time>(rows_of("tca_put_ping_pong", o).rows.at(0), "latency"); }

const config::Override on_host{"/scenario/memory", "\"\""};

}  // namespace

TEST_CASE("prepared puts: to and fro between GPUs is slower than between hosts by nothing but the read") {
  // A GPU is read by way of the tracker for what passes between slots, 64 B at a time: of 8 B by one read.
  const Time gpu = latency(of("8 B")), host = latency(of("8 B", {on_host}));
  CHECK(gpu > host);
  CHECK(gpu - host < 250_ns);
  // From chains in host memory descriptors are fetched over PCIe, one for the data and one for the notification.
  CHECK(latency(of("8 B", {on_host, {"/scenario/method", "\"chain\""}})) > host + 276_ns);
}

TEST_CASE("prepared puts: a broadcast goes down as many levels as there are bits, the root's chain first") {
  std::map<int, Time> of_ranks;
  for (const int n : {2, 3, 4, 5, 8})
    of_ranks[n] = time("tca_put_broadcast", of("64 B", {{"/scenario/ranks", std::to_string(n)}}));
  CHECK(of_ranks[3] > of_ranks[2]);  // one put more of the root
  CHECK(of_ranks[4] > of_ranks[3]);  // passed on by rank 1
  CHECK(of_ranks[4] < of_ranks[2] * 2 + 1_us);
  CHECK(of_ranks[8] > of_ranks[4]);
  CHECK(of_ranks[8] < of_ranks[2] * 3 + 2_us);
}

TEST_CASE("prepared puts: an allgather is bound by what a chip's port to its host takes in") {
  constexpr std::int64_t block = 64 * 1024;
  const Time all = time("tca_put_allgather", of("64 KiB", {on_host}));
  // Seven blocks come to each of eight nodes, at 256 B in 280 at 4 GB/s at most.
  CHECK(all > Time::from_fs(7 * block / 256 * 70'000'000));
  CHECK(all < Time::from_fs(7 * block / 256 * 70'000'000 * 2));
}

TEST_CASE("prepared puts: trains change nothing") {
  for (const char* run : {"tca_put_ping_pong", "tca_put_broadcast", "tca_put_allgather"}) {
    CAPTURE(run);
    const auto digest = [&](const char* max_train) {
      return report::digest(rows_of(run, of("5000 B", {{"/options/max_train", max_train}})));
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("prepared puts: what cannot be is refused") {
  CHECK_THAT(refusal("tca_put_ping_pong", {{"/scenario/method", "\"chains\""}}), Catch::Contains("chains"));
  CHECK_THAT(refusal("tca_put_broadcast", {{"/scenario/ranks", "1"}}), Catch::Contains("nobody to put to"));
  CHECK_THAT(refusal("tca_put_broadcast", {{"/scenario/memory", "\"gpu9\""}}), Catch::Contains("no place \"gpu9\""));
  CHECK_THAT(refusal("ib_write_lat", {{"/scenario", R"({"kind": "prepared_puts"})"}}),
             Catch::Contains("the library has no prepared puts"));
}

}  // namespace prepared_puts_test
