// SPDX-License-Identifier: Apache-2.0
// Adapters in the matrix of a server, with an equal one at their cable.
#include <nlohmann/json.hpp>

#include "cli/box/boxed.hpp"

namespace adapter_box_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

}  // namespace

TEST_CASE("box: an adapter is measured as perftest does with an equal server, by what it reads and what it writes") {
  const json box = boxed({configs + "/imports/eight_gpus.xml", "--size", "256 KiB"});
  // EDR 4x: 25.78125 Gb/s a lane, 64 of 66 bits; packets of 4 KiB between a write's first and last have 26 B and two
  // symbols around them.
  const double wire = 4 * 25.78125e9 * 64 / 66 / 8 * 4096 / (4096 + 26 + 2);
  const auto is_below = [&](const char* from, const char* to, const char* what, double ceiling) {
    CAPTURE(from, to, what);
    CHECK(value(box, from, to, what) <= ceiling);
    CHECK(value(box, from, to, what) > 0.93 * ceiling);
    CHECK_THAT(cell(box, from, to, what).at("limit").at("kind").get<std::string>(),
               Catch::Contains("InfiniBand EDR 4x, hca to hca") || Catch::Contains("link payload"));
  };
  for (const char* other : {"memory", "memory1", "gpu0"}) {
    is_below(other, "hca", "one_way", wire);
    is_below("hca", other, "one_way", wire);
    is_below(other, "hca", "read", wire);
    is_below("hca", other, "read", wire);
    is_below(other, "hca", "both_ways", 2 * wire);
  }
  const auto full = [&](const char* from, const char* to, const std::string& way) {
    const std::string where = cell(box, from, to, "one_way").at("limit").at("where");
    CAPTURE(where);
    REQUIRE_THAT(where, Catch::StartsWith(way + ", "));
    CHECK(std::stod(where.substr(way.size() + 2)) > 97);
  };
  full("hca", "memory1", "node0.hca.port1 of the other server > node0.hca.port1");
  full("memory1", "hca2", "node0.hca2.port1 > node0.hca2.port1 of the other server");
  // A GPU below another switch is read through the root complex, whose reads between cards are slow; writes are not.
  CHECK(value(box, "gpu2", "hca", "one_way") < 0.5 * value(box, "gpu0", "hca", "one_way"));
  CHECK(value(box, "gpu2", "hca", "read") < 0.5 * value(box, "gpu0", "hca", "read"));
  is_below("hca", "gpu2", "one_way", wire);
  CHECK_THAT(cell(box, "gpu4", "hca", "one_way").at("not_simulated").get<std::string>(),
             Catch::Contains("refuse peer access"));
  CHECK(value(box, "memory1", "hca", "latency") > value(box, "memory", "hca", "latency"));
  CHECK(value(box, "memory", "hca", "latency") == value(box, "hca", "memory", "latency"));
  CHECK(cell(box, "gpu0", "hca", "latency").contains("not_simulated"));
  CHECK(cell(box, "hca", "hca1", "one_way").contains("not_simulated"));
}

TEST_CASE("box: adapters of a socket all at once have their own cables, and share the way between sockets") {
  const json box = boxed({configs + "/imports/eight_gpus.xml", "--size", "256 KiB"});
  const auto limit = [&](const char* from, const char* to, const char* of) {
    return cell(box, from, to, "all_at_once").at("limit").at(of).get<std::string>();
  };
  for (const auto& [from, to] : {std::pair{"memory", "hca"}, {"hca1", "memory"}, {"memory1", "hca3"}}) {
    CAPTURE(from, to);
    CHECK(value(box, from, to, "all_at_once") == Approx(value(box, from, to, "one_way")).epsilon(0.03));
    CHECK(limit(from, to, "kind") == "wire InfiniBand EDR 4x, hca to hca");
  }
  CHECK_THAT(limit("memory", "hca", "where"), Catch::StartsWith("node0.hca.port1 > node0.hca.port1 of the other"));
  CHECK_THAT(limit("memory", "hca1", "where"), Catch::StartsWith("node0.hca1.port1 > node0.hca1.port1 of the other"));
  CHECK_THAT(limit("hca3", "memory1", "where"), Catch::StartsWith("node0.hca3.port1 of the other server > node0.hca3"));
  for (const auto& [from, to] : {std::pair{"memory", "hca2"}, {"hca", "memory1"}}) {
    CAPTURE(from, to);
    CHECK(value(box, from, to, "all_at_once") < 0.9 * value(box, from, to, "one_way"));
    CHECK(limit(from, to, "kind") == "wire on_chip, root_complex to root_complex");
    CHECK_THAT(limit(from, to, "where"), Catch::StartsWith("node0.rc.socket1 > node0.rc1.socket0, "));
  }
  CHECK(value(box, "memory", "hca2", "all_at_once") == value(box, "memory", "hca3", "all_at_once"));
  CHECK_THAT(cell(box, "gpu0", "hca", "all_at_once").at("not_simulated").get<std::string>(),
             Catch::Contains("has one buffer for all adapters"));
}

TEST_CASE("box: this server's part of an adapter's way limits, not the other one's, unless both are alike") {
  const std::string hdr = configs + "/machines/hdr_pair.json";
  const std::string slot = "/topology/devices/node0/links/2/wire/lanes=8";
  const std::string hca = "/topology/devices/node0/devices/hca/";
  // Both servers have the slot of x8: 16 GT/s, 128 of 130 bits; reads of 512 B are answered by completions of 20 B
  // more.
  const double pcie = 8 * 16e9 * 128 / 130 / 8;
  const json box = boxed({hdr, "--set", slot});
  CHECK(value(box, "memory", "hca", "one_way") < pcie * 512 / 532);
  CHECK(value(box, "memory", "hca", "one_way") > 0.9 * pcie * 512 / 532);
  // Writes to EPYC's memory without relaxed ordering: 73 lines of 64 B in 250 ns.
  const double ordered = 73 * 64 / 250e-9;
  const json as_it_is = boxed({hdr});
  for (const char* what : {"one_way", "read"})
    CHECK(value(as_it_is, "hca", "memory", what) == Approx(ordered).epsilon(0.03));
  CHECK(cell(as_it_is, "hca", "memory", "one_way").at("limit").at("kind") == "ceiling ordered writes");
  CHECK_THAT(cell(as_it_is, "memory", "hca", "one_way").at("limit").at("where").get<std::string>(),
             Catch::StartsWith("ordered writes, node0.rc of the other server, 18.69 GB/s"));
  const json relaxed = boxed({hdr, "--set", hca + "relaxed_ordering=true"});
  CHECK(value(relaxed, "hca", "memory", "one_way") > 1.25 * ordered);
  // A core is at the first socket only: the second one's memory is measured by it.
  const json far = boxed({configs + "/machines/ndr_pair.json"});
  CHECK(cell(far, "memory1", "hca", "one_way").at("socket") == "far");
  CHECK(value(far, "memory1", "hca", "one_way") > 0.9 * value(far, "memory", "hca", "one_way"));
  CHECK(value(far, "hca", "gpu1", "one_way") < 0.4 * value(far, "hca", "gpu0", "one_way"));
}

TEST_CASE("box: an adapter's slot, its cable and the order of its writes are causes, of this server alone") {
  const std::string hdr = configs + "/machines/hdr_pair.json";
  const std::string hca = "/topology/devices/node0/devices/hca/";
  const auto causes_of = [&](const char* from, const char* to, double rate) {
    return causes(hdr, std::string(from) + "," + to + ",one_way," + std::to_string(std::llround(rate)) + " B/s");
  };
  const json narrow = boxed({hdr, "--set", "/topology/devices/node0/links/2/wire/lanes=4"});
  CHECK(has(causes_of("memory", "hca", value(narrow, "memory", "hca", "one_way")),
            "node0.rc.slot0 - node0.hca.pcie runs at x4, not x16"));
  const double fdr = 4 * 14.0625e9 * 64 / 66 / 8;
  CHECK(has(causes_of("hca", "memory", 0.99 * fdr), "hca's port runs at FDR, not HDR"));
  const json ordered = boxed({hdr});
  const TemporaryFolder folder;
  const auto own =
      folder.write("own.csv", "from,to,what,value\nhca,memory,one_way," +
                                  std::to_string(std::llround(value(ordered, "hca", "memory", "one_way"))) + " B/s\n");
  CHECK(has(explaining(boxed({hdr, "--set", hca + "relaxed_ordering=true", "--compare", own.string()})),
            "writes of hca have no relaxed ordering"));
}

}  // namespace adapter_box_test
