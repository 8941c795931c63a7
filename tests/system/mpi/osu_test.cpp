// SPDX-License-Identifier: Apache-2.0
// The OSU micro-benchmarks on libraries with two-sided messages, against the house's own scenarios and closed forms.

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace osu_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

report::Row only(const std::string& run, const std::string& size, Overrides more = {}) {
  more.push_back({"/scenario/sizes", "[\"" + size + "\"]"});
  const report::Rows all = rows_of(run, more);
  REQUIRE(all.rows.size() == 1);
  return all.rows.front();
}

/// Messages of datagrams on a crossbar of two ports: links of 16 B a nanosecond, 8 B of header, flits of 16 B.
Overrides datagrams(const std::string& test) {
  return {{"/machine/topology/terminals", "2"},
          {"/scenario", R"({"kind": "osu", "test": ")" + test +
                            R"(", "iterations": 3, "warm_up": 1, "large_iterations": 2, "large_warm_up": 0})"}};
}

}  // namespace

TEST_CASE("OSU: latency is half of a round trip of blocking messages") {
  const report::Row one = only("broadcast_crossbar", "8 B", datagrams("latency"));
  const report::Row many = only("broadcast_crossbar", "4 KiB", datagrams("latency"));
  // 16 full packets of 256 B and 8, 17 flits each, leave one behind the other.
  const Time wire = 17_ns * 16 - 1_ns;
  CHECK(cell<Time>(many, "latency") - cell<Time>(one, "latency") == wire);
  CHECK(cell<std::int64_t>(one, "iterations") == 3);
}

TEST_CASE("OSU: a window takes its messages one behind the other, and an answer") {
  const report::Row row = only("broadcast_crossbar", "4 KiB", datagrams("bw"));
  const Time window = 17_ns * 16 * 64;
  CHECK(cell<Bytes>(row, "bytes") == 4_KiB * 64 * 3);
  CHECK(cell<Time>(row, "time") > window * 3);
  CHECK(cell<Time>(row, "time") < window * 3 + 300_ns);
  const report::Row shorter = only("broadcast_crossbar", "4 KiB", [] {
    Overrides o = datagrams("bw");
    o.push_back({"/scenario/window", "1"});
    return o;
  }());
  CHECK(cell<Bytes>(shorter, "bytes") == 4_KiB * 3);
}

TEST_CASE("OSU: both ways at once go twice the bytes, without answers") {
  const report::Row row = only("broadcast_crossbar", "4 KiB", datagrams("bibw"));
  const Time window = 17_ns * 16 * 64;
  CHECK(cell<Bytes>(row, "bytes") == 4_KiB * 64 * 3 * 2);
  CHECK(cell<Time>(row, "time") >= window * 3);
  CHECK(cell<Time>(row, "time") < window * 3 + 200_ns);
}

TEST_CASE("OSU: a put to and fro is the bytes and what they wait for: the other one's post, and what is to come") {
  // Datagrams: a post, what is announced and the bytes are messages; those of one size take as long as of latency.
  const Time bytes = cell<Time>(only("broadcast_crossbar", "4 KiB", datagrams("latency")), "latency");
  const Time post = cell<Time>(only("broadcast_crossbar", "1 B", datagrams("latency")), "latency");
  const Time put = cell<Time>(only("broadcast_crossbar", "4 KiB", datagrams("put_latency")), "latency");
  CHECK(put > bytes);
  CHECK(put < bytes + post * 3);
  Overrides far = datagrams("put_latency");
  far.front().value = "4";
  far.push_back({"/scenario/between", "[3, 1]"});
  CHECK(cell<Time>(only("broadcast_crossbar", "4 KiB", far), "latency") > bytes);
  CHECK_THAT(refusal("osu_put_latency", {{"/scenario/sizes", R"(["0 B"])"}}), Catch::Contains("puts at least 1 B"));
}

TEST_CASE("OSU: messages beyond the large ones are sent as often as they say") {
  CHECK(cell<std::int64_t>(only("broadcast_crossbar", "8 KiB", datagrams("latency")), "iterations") == 3);
  CHECK(cell<std::int64_t>(only("broadcast_crossbar", "8193 B", datagrams("latency")), "iterations") == 2);
}

TEST_CASE("OSU: allreduce is timed by every rank, and its barrier is not") {
  const Overrides brief = {{"/scenario/iterations", "3"}};
  const report::Row row = only("osu_allreduce", "4 B", brief);
  CHECK(cell<std::int64_t>(row, "ranks") == 16);
  const Time mean = cell<Time>(row, "latency");
  CHECK(cell<Time>(row, "rank_min") <= mean);
  CHECK(mean <= cell<Time>(row, "rank_max"));
  // Four exchanges of 16 ranks.
  const Time message = cell<Time>(only("osu_latency", "4 B"), "latency");
  CHECK(mean > message * 4);
  CHECK(mean < message * 12);
}

TEST_CASE("OSU: two-sided messages of verbs over a window come near the link") {
  const report::Row row = only("osu_bw", "1 MiB");
  const double rate = static_cast<double>(cell<Bytes>(row, "bytes").count()) /
                      (static_cast<double>(cell<Time>(row, "time").fs()) * 1e-15);
  CHECK(rate > 4.93e9 * 0.98);
  CHECK(rate < 5e9 * 2048 / 2076);
}

TEST_CASE("OSU: the same with trains and without") {
  for (const std::string run : {"osu_latency", "osu_bw", "osu_bibw", "osu_put_latency"}) {
    CAPTURE(run);
    const auto digest = [&](const std::string& max_train) {
      return report::digest(rows_of(run, {{"/options/max_train", max_train},
                                          {"/scenario/sizes", R"(["3 B", "300 B", "9000 B", "64 KiB"])"},
                                          {"/scenario/iterations", "3"},
                                          {"/scenario/large_iterations", "2"}}));
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("OSU: libraries without two-sided messages, and memory that is too small, are refused") {
  CHECK_THAT(refusal("osu_bw", {{"/library/service", "\"unreliable_datagram\""}}),
             Catch::Contains("needs two-sided messages"));
  CHECK_THAT(refusal("osu_bw", {{"/scenario/sizes", R"(["100 GiB"])"}}), Catch::Contains("200 GiB"));
}

}  // namespace osu_test
