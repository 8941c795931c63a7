// SPDX-License-Identifier: Apache-2.0
// Servers of today as shipped: what relaxed ordering, the other socket and ACS redirect do to a bandwidth, by sign.
#include "support/catch.hpp"
#include "system/simulated.hpp"

namespace servers_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// GB/s of the run's only row, or its first.
double rate(const std::string& run, const Overrides& more) {
  const report::Row row = rows_of(run, more).rows.front();
  return static_cast<double>(cell<Bytes>(row, "bytes").count()) /
         (static_cast<double>(cell<Time>(row, "time").fs()) / 1e6);
}

double card(const char* run, const std::string& target, bool relaxed) {
  return rate(run, {{"/scenario/volume", R"("4 MiB")"},
                    {"/scenario/target", '"' + target + '"'},
                    {"/machine/topology/devices/node1/devices/hca/relaxed_ordering", relaxed ? "true" : "false"}});
}

double copies(const std::string& run, const std::string& list, Overrides more = {}) {
  more.push_back({"/scenario/copies", list});
  more.push_back({run == "p100_copies" ? "/scenario/alone" : "/scenario/sizes", R"(["1 MiB"])"});
  return rate(run, more);
}

constexpr const char* peer_inside = R"([{"source": "gpu1", "target": "gpu0", "by": "gpu0"}])";
constexpr const char* peer_across = R"([{"source": "gpu3", "target": "gpu0", "by": "gpu0"}])";
constexpr const char* into_gpu = R"([{"source": "host", "target": "gpu0"}])";
constexpr const char* out_of_gpu = R"([{"source": "gpu0", "target": "host"}])";

}  // namespace

TEST_CASE("servers: relaxed ordering matters on EPYC, and to a GPU of the other socket, and nowhere else") {
  const double wire = card("ib_write_bw_ndr", "", true);
  CHECK(card("ib_write_bw_ndr", "", false) == Approx(wire).epsilon(0.01));
  CHECK(card("ib_write_bw_ndr", "gpu0", false) == Approx(wire).epsilon(0.01));
  CHECK(card("ib_write_bw_ndr", "gpu1", true) == Approx(wire).epsilon(0.01));
  CHECK(card("ib_write_bw_ndr", "gpu1", false) < 0.4 * wire);
  CHECK(card("ib_write_bw_hdr", "", false) < 0.8 * card("ib_write_bw_hdr", "", true));
}

TEST_CASE(
    "servers: a card reads a GPU as it writes to it, and of the other socket far slower, and both ways at once, too") {
  const auto with = [](const char* test, const char* field, const char* place, const char* both = "false") {
    return rate("ib_write_bw_ndr", {{"/scenario/volume", R"("4 MiB")"},
                                    {"/scenario/test", test},
                                    {std::string("/scenario/") + field, place},
                                    {"/scenario/both_ways", both}});
  };
  const char* write = R"("write_bw")";
  const char* read = R"("read_bw")";
  const double wire = with(write, "source", R"("")");
  CHECK(with(write, "source", R"("gpu0")") > 0.9 * wire);
  CHECK(with(write, "source", R"("gpu1")") < 0.2 * wire);
  // Who reads: the source is where it writes what comes, the target what the other card reads.
  CHECK(with(read, "source", R"("gpu0")") > 0.9 * wire);
  CHECK(with(read, "target", R"("gpu0")") > 0.9 * wire);
  CHECK(with(read, "target", R"("gpu1")") < 0.2 * wire);
  CHECK(with(read, "source", R"("gpu1")") > 1.5 * with(read, "target", R"("gpu1")"));
  // Both ways each has what it has alone, but the GPU at the other socket is read by one.
  const auto both =
      rows_of("ib_write_bw_ndr",
              {{"/scenario/volume", R"("4 MiB")"}, {"/scenario/source", R"("gpu1")"}, {"/scenario/both_ways", "true"}});
  REQUIRE(both.rows.size() == 2);
  CHECK(cell<std::string>(both.rows.front(), "method") != cell<std::string>(both.rows.back(), "method"));
  CHECK(with(write, "source", R"("")", "true") > 0.85 * wire);
  CHECK_THAT(refusal("ib_write_bw_ndr", {{"/scenario/both_ways", "true"}, {"/scenario/test", read}}),
             Catch::Contains("\"both_ways\" is for \"write_bw\""));
  CHECK_THAT(refusal("ib_write_bw_ndr", {{"/scenario/source", R"("gpu7")"}}),
             Catch::Contains("has no GPU \"node0.gpu7\""));
}

TEST_CASE("servers: short messages of one queue pair wait for the fence of each post, on EPYC longest") {
  // Millions a second.
  const auto messages = [](const char* run, Overrides more) {
    more.push_back({"/scenario/sizes", R"(["2 B"])"});
    return rate(run, more) / 2 * 1e3;
  };
  const double epyc = messages("ib_write_bw_hdr", {});
  CHECK(epyc > 2.6);
  CHECK(epyc < 2.86);
  CHECK(messages("ib_write_bw_ndr", {}) > 6.5);
  const double unfenced = messages("ib_write_bw_hdr", {{"/library/provider", R"("mlx4")"}});
  CHECK(unfenced > 10);
  const std::string core = "/machine/topology/devices/node0/devices/core0/";
  const double waits = 1e3 / epyc - 1e3 / messages("ib_write_bw_hdr", {{core + "store_acknowledged", R"("0 ns")"}});
  CHECK(waits == Approx(260).epsilon(0.01));
}

TEST_CASE("servers: a core of Sapphire Rapids reads a line of a GPU's window at once, and stores one") {
  const auto time = [](const char* run, Overrides more, const char* size) {
    more.push_back({"/scenario/sizes", "[\"" + std::string(size) + "\"]"});
    return cell<Time>(rows_of(run, more).rows.front(), "time");
  };
  const std::string core = "/machine/topology/devices/core0/";
  const Time trip = time("h100_window_from_gpu", {}, "64 B");
  CHECK(time("h100_window_from_gpu", {}, "512 B") < trip + 50_ns);
  CHECK(time("h100_window_from_gpu", {{core + "streaming_lines", "0"}}, "64 B") > trip * 3);
  // A cycle of 3.8 GHz a store is all that it takes by words, and less than the buffers take by lines.
  const Time words = Clock(Frequency(3'800'000'000)).cycles(131'072);
  const Time by_words = time("h100_window_to_gpu", {{core + "store_width", R"("8 B")"}}, "1 MiB");
  CHECK(by_words > words);
  CHECK(by_words < words + 500_ns);
  CHECK(time("h100_window_to_gpu", {}, "1 MiB") * 4 < words * 3);
}

TEST_CASE("servers: places for ordered writes bound what a card writes to EPYC, lines a round trip") {
  const std::string lines = "/machine/topology/devices/node1/devices/rc/ordered_write_lines";
  const auto with = [&](const char* n) { return rate("ib_write_bw_hdr", {{lines, n}}); };
  CHECK(with("20") == Approx(20 * 64 / 250.0).epsilon(0.03));
  CHECK(with("40") == Approx(40 * 64 / 250.0).epsilon(0.03));
  CHECK(with("0") == Approx(card("ib_write_bw_hdr", "", true)).epsilon(0.02));
}

TEST_CASE("servers: the other socket's memory is read and written by few lines at a time, where a part says so") {
  const Overrides far{{"/library/core", R"("core1")"}, {"/library/memory", R"("memory1")"}};
  CHECK(copies("p100_copies", into_gpu, far) < 0.5 * copies("p100_copies", into_gpu));
  CHECK(copies("p100_copies", out_of_gpu, far) == Approx(9 * 64 / 220.0).epsilon(0.03));
  Overrides unbound = far;
  unbound.push_back({"/machine/topology/devices/rc/remote_reads", "0"});
  CHECK(copies("p100_copies", into_gpu, unbound) > 1.5 * copies("p100_copies", into_gpu, far));
}

TEST_CASE("servers: with ACS redirect GPUs below a switch meet in the root complex") {
  const std::string acs = "/machine/topology/devices/switch0/acs_redirect";
  const double direct = copies("a6000_peer_copies", peer_inside);
  const double redirected = copies("a6000_peer_copies", peer_inside, {{acs, "true"}});
  CHECK(redirected < 0.9 * direct);
  CHECK(redirected == Approx(copies("a6000_peer_copies", peer_across)).epsilon(0.1));
  // Writes, too: by the source's engine.
  const char* by_source = R"([{"source": "gpu1", "target": "gpu0", "by": "gpu1"}])";
  CHECK(copies("a6000_peer_copies", by_source, {{acs, "true"}}) > 1.0);
}

TEST_CASE("servers: copies both ways slow reads down, since these stay behind posted writes") {
  const char* both = R"([{"source": "host", "target": "gpu0"}, {"source": "gpu0", "target": "host"}])";
  CHECK(copies("a100_copies", both) < 0.85 * copies("a100_copies", into_gpu));
}

TEST_CASE("servers: what copies cannot be is refused before time 0") {
  const auto why = [](const std::string& list) { return refusal("a6000_peer_copies", {{"/scenario/copies", list}}); };
  CHECK_THAT(why(R"([{"source": "host", "target": "host"}])"),
             Catch::Contains("no GPU copies from host memory to host memory"));
  CHECK_THAT(why(R"([{"source": "gpu9", "target": "host"}])"), Catch::Contains("has no GPU \"gpu9\""));
  CHECK_THAT(why(R"([{"source": "gpu9", "target": "gpu0"}])"), Catch::Contains("has no GPU \"gpu9\""));
  CHECK_THAT(why(R"([{"source": "gpu0", "target": "gpu1", "by": "gpu2"}])"),
             Catch::Contains("neither \"source\" nor \"target\""));
  CHECK_THAT(why(R"([{"source": "gpu0", "target": "gpu0"}])"), Catch::Contains("copies between"));
  CHECK_THAT(why("[]"), Catch::Contains("1 to 64 entries"));
  CHECK_THAT(refusal("osu_bw_hdr", {{"/scenario", R"({"kind": "copies", "copies": [{"target": "gpu0"}]})"}}),
             Catch::Contains("queues no copies in GPUs"));
  CHECK_THAT(refusal("ib_write_bw_ndr", {{"/scenario/target", R"("gpu7")"}}),
             Catch::Contains("has no GPU \"node1.gpu7\""));
  CHECK_THAT(refusal("ib_write_bw_ndr", {{"/scenario/target", R"("gpu0")"}, {"/scenario/test", R"("send_bw")"}}),
             Catch::Contains("is for \"write_bw\""));
}

}  // namespace servers_test
