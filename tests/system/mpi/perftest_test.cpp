// SPDX-License-Identifier: Apache-2.0
// perftest's tests between two cards, against the other scenarios and closed forms.
#include <map>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace perftest_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr const char* two_rails = "ib_write_bw_two_rails";

report::Rows rows(const std::string& run, const std::string& sizes, Overrides more = {}) {
  more.push_back({"/scenario/sizes", sizes});
  return rows_of(run, more);
}

report::Row only(const std::string& run, const std::string& size, const Overrides& more = {}) {
  const report::Rows all = rows(run, "[\"" + size + "\"]", more);
  REQUIRE(all.rows.size() == 1);
  return all.rows.front();
}

Time median(const std::string& run, const std::string& size, const Overrides& more = {}) {
  return cell<Time>(only(run, size, more), "median");
}

Time per_message(const std::string& run, const std::string& size, const Overrides& more = {}) {
  return cell<Time>(only(run, size, more), "per_message");
}

Time difference(Time a, Time b) { return a < b ? b - a : a - b; }

}  // namespace

TEST_CASE("perftest: the median of write_lat and send_lat is half a round trip of ping_pong") {
  for (const std::string method : {"write", "send"})
    for (const std::string size : {"8 B", "1 KiB", "64 KiB"}) {
      CAPTURE(method, size);
      const report::Row to_and_fro = only("ib_ping_pong", size, {{"/scenario/methods", "[\"" + method + "\"]"}});
      // Its sends poll a completion each, in a time when nothing has come yet.
      CHECK(difference(median("ib_" + method + "_lat", size), cell<Time>(to_and_fro, "latency")) < 10_ns);
    }
}

TEST_CASE("perftest: read_lat is the whole round trip of a read") {
  for (const std::string size : {"8 B", "64 KiB"})
    CHECK(difference(median("ib_read_lat", size), cell<Time>(only("ib_read", size), "time")) < 20_ns);
}

TEST_CASE("perftest: of sends one in cq_mod is signalled, and takes longer") {
  const report::Row some = only("ib_send_lat", "8 B"), all = only("ib_send_lat", "8 B", {{"/scenario/cq_mod", "1"}});
  const Time poll = cell<Time>(some, "max") - cell<Time>(some, "min");
  // A thousand posts are ten signalled ones and a last one. What a rank polls for its completion it is late for the
  // peer's message by, in the round trip of either rank.
  CHECK(poll > 200_ns);
  CHECK(cell<Time>(some, "p99") - cell<Time>(some, "min") > 200_ns);
  CHECK(cell<Time>(some, "median") - cell<Time>(some, "min") < 10_ns);
  CHECK(cell<Time>(all, "median") + 4_ns >= cell<Time>(some, "median"));  // to a look at the queue, 10 cycles
}

TEST_CASE(
    "perftest: a queue of one is a write and its acknowledgement, a deeper one what the slowest stage lets pass") {
  const Time alone = per_message("ib_write_bw", "2 KiB", {{"/scenario/tx_depth", "1"}});
  // The acknowledgement goes back when the packet is in the card, which has eight writes to do then: each 36 ns.
  CHECK(alone + 8 * 36_ns > median("ib_write_lat", "2 KiB"));
  const Time two = per_message("ib_write_bw", "2 KiB", {{"/scenario/tx_depth", "2"}, {"/scenario/cq_mod", "1"}});
  CHECK(two * 2 > alone);
  CHECK(two * 10 < alone * 6);
  // 2,048 B and 42 around them, and two symbols, at 5 GB/s.
  const Time wire = Time::from_fs(2092LL * 200'000);
  const Time deep = per_message("ib_write_bw", "2 KiB");
  CHECK(deep > wire);
  CHECK(deep * 100 < wire * 102);
}

TEST_CASE("perftest: bandwidth of reads is that of answers, 16 of them under way") {
  const Time wire = Time::from_fs(2080LL * 200'000);  // AETH instead of RETH
  const Time deep = per_message("ib_read_bw", "2 KiB");
  CHECK(deep > wire);
  CHECK(deep * 100 < wire * 102);
}

TEST_CASE("perftest: how many are signalled changes no large message's bandwidth") {
  for (const std::string every : {"1", "7", "128", "16384"}) {
    CAPTURE(every);
    const Time t = per_message("ib_write_bw", "64 KiB", {{"/scenario/cq_mod", every}});
    CHECK(difference(t, per_message("ib_write_bw", "64 KiB")) * 100 < t);
  }
}

TEST_CASE("perftest: the same with trains and without") {
  for (const std::string run : {"ib_write_lat", "ib_send_lat", "ib_read_lat", "ib_write_bw", "ib_read_bw"}) {
    CAPTURE(run);
    const auto digest = [&](const std::string& max_train) {
      return report::digest(rows(run, R"(["3 B", "300 B", "5001 B", "64 KiB"])",
                                 {{"/options/max_train", max_train}, {"/scenario/iterations", "50"}}));
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("perftest: two rails carry as many small messages as the core posts, and of long ones what one slot takes") {
  const Time small = per_message(two_rails, "8 B");
  // 150 cycles of 2.6 GHz, and the stores of a request and a doorbell.
  CHECK(small > Time::from_fs(150 * 1'000'000 * 10 / 26));
  CHECK(small < 70_ns);
  CHECK(small < per_message("ib_write_bw", "8 B"));
  // Writes of 256 B with 24 around them (Gen3 x8: 126.95 ps a byte).
  const Time slot = Time::from_fs((std::int64_t{65536} / 256) * 280 * 126'953);
  const Time large = per_message(two_rails, "64 KiB");
  CHECK(large > slot);
  CHECK(large * 100 < slot * 106);
}

TEST_CASE("perftest: whatever rail a message goes by, its receiver finds it") {
  for (const std::string test : {"write_lat", "send_lat", "read_lat", "read_bw"})
    CHECK(rows(two_rails, R"(["8 B", "4 KiB"])", {{"/scenario/test", "\"" + test + "\""}}).rows.size() == 2);
  const Overrides ping_pong = {
      {"/scenario", R"({"kind": "ping_pong", "methods": ["write", "send"], "iterations": 7})"}};
  for (const report::Row& row : rows(two_rails, R"(["8 B", "4 KiB"])", ping_pong).rows)
    CHECK(cell<Time>(row, "latency") < 5_us);
}

TEST_CASE("perftest: sends back to back go as fast as writes if they are long, and no faster than they are posted") {
  const Time send = per_message("ib_send_bw", "64 KiB"), write = per_message("ib_write_bw", "64 KiB");
  CHECK(difference(send, write) * 100 < write);
  // 150 cycles to post, at 2.6 GHz.
  CHECK(per_message("ib_send_bw", "8 B", {{"/scenario/iterations", "400"}}) > 57_ns);
  CHECK(per_message("ib_send_bw", "8 B", {{"/scenario/tx_depth", "1"}, {"/scenario/cq_mod", "1"}}) >
        median("ib_write_lat", "8 B"));
  CHECK_THAT(refusal("ib_send_bw", {{"/library/service", "\"unreliable_datagram\""}}),
             Catch::Contains("datagrams may be lost"));
}

TEST_CASE("perftest: the second of two ports is as fast as the first one") {
  const Overrides by_first = {{"/scenario/test", "\"write_lat\""}, {"/library/rails", R"(["hca.port1"])"}};
  const Overrides by_second = {{"/scenario/test", "\"write_lat\""}, {"/library/rails", R"(["hca.port2"])"}};
  CHECK(median(two_rails, "8 B", by_second) == median(two_rails, "8 B", by_first));
}

TEST_CASE("perftest: a datagram is a send that nobody acknowledges, of 8 B more and one packet") {
  const Overrides datagrams = {{"/library/service", "\"unreliable_datagram\""}};
  // Eight bytes more on the wire, and segments of 48 B more in the request.
  const Time sent = median("ib_send_lat", "8 B", datagrams), reliable = median("ib_send_lat", "8 B");
  CHECK(sent > reliable);
  CHECK(sent < reliable + 50_ns);
  CHECK(median("ib_send_lat", "2 KiB", datagrams) > sent + 2 * 410_ns);  // read as a whole, carried at 5 GB/s
  CHECK_THAT(
      refusal("ib_send_lat", {{"/library/service", "\"unreliable_datagram\""}, {"/scenario/sizes", R"(["2049 B"])"}}),
      Catch::Contains("a datagram has one packet, 2 KiB at most"));
  CHECK_THAT(refusal("ib_read_lat", datagrams), Catch::Contains("no method \"read\"; methods: send"));
  CHECK_THAT(refusal("ib_traffic", datagrams), Catch::Contains("non-blocking sends"));
  CHECK_THAT(refusal("halo_infiniband", datagrams), Catch::Contains("two-sided messages"));
}

TEST_CASE("perftest: what a library or its queues cannot do is refused") {
  CHECK_THAT(refusal("ib_write_bw", {{"/scenario/tx_depth", "129"}}), Catch::Contains("send queues hold 128, not 129"));
  CHECK_THAT(refusal("ib_write_bw", {{"/library", R"({"kind": "datagram"})"}}), Catch::Contains("/library"));
  CHECK_THAT(refusal("arpanet_traffic", {{"/scenario", R"({"kind": "perftest"})"}}),
             Catch::Contains("no work queues to post to and poll (verbs has)"));
  CHECK_THAT(refusal("ib_write_bw", {{"/scenario/sizes", R"(["100 GiB"])"}}), Catch::Contains("100 GiB"));
}

TEST_CASE("perftest: latency of sends signals as many as the queue needs, whatever tx_depth and cq_mod say") {
  const config::Override two = {"/library/depth", "2"}, small = {"/scenario/sizes", R"(["8 B"])"};
  const auto digest = [&](const std::string& cq_mod) {
    return report::digest(rows_of("ib_send_lat", {two, small, {"/scenario/cq_mod", cq_mod}}));
  };
  CHECK(digest("16384") == digest("2"));
  CHECK(digest("16384") != digest("1"));
}

TEST_CASE("perftest: bytes are those of all rails, of as many iterations as the volume has messages, two at least") {
  const auto row = [](const std::string& volume) {
    return only(two_rails, "2 KiB", {{"/scenario/volume", "\"" + volume + "\""}, {"/scenario/iterations", "7"}});
  };
  const auto check = [](const report::Row& r, std::int64_t n) {
    CHECK(cell<std::int64_t>(r, "iterations") == n);
    CHECK(cell<Bytes>(r, "bytes") == 2_KiB * (2 * n));
  };
  check(row("1 B"), 2);
  check(row("8 KiB"), 4);
  check(row("1 MiB"), 7);
}

}  // namespace perftest_test
