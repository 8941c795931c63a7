// SPDX-License-Identifier: Apache-2.0
// The matrix of a server as its owner asks for it: closed forms, limits, causes of what is low, what is refused.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/box/boxed.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

namespace box_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string two_gpus = configs + "/machines/gpus_below_switch.json";

void expect_refused(const std::vector<std::string>& arguments, const std::string& says) {
  const Ended end = run_program(arguments);
  CAPTURE(end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

/// How many simulations it takes, and how many with each cell's own, which have the same values.
std::pair<int, int> with_each(std::vector<std::string> arguments) {
  json one = boxed(arguments);
  arguments.emplace_back("--each");
  json each = boxed(arguments);
  const std::pair<int, int> out{one.at("simulations"), each.at("simulations")};
  for (const char* cost : {"simulations", "packet_hops", "wakeups"}) {
    CHECK(one.erase(cost) == 1);
    CHECK(each.erase(cost) == 1);
  }
  CHECK(one == each);
  return out;
}

}  // namespace

TEST_CASE("box: eight GPUs: every cell has a value or a reason, and PCIe's ceilings hold and are near") {
  // Copy engines of any GPU whose own limits are above the links': PCIe's stay.
  const std::string engines = "[kind=gpu]/copy_engines/";
  const Ended end = run_program({"box", configs + "/imports/eight_gpus.xml", "--configs", configs, "--format", "json",
                                 "--set", engines + "write_size=256 B", "--set", engines + "max_read_request=512 B",
                                 "--set", engines + "tags=64"});
  REQUIRE(end.exit_code == 0);
  if (!sanitized) CHECK(end.cpu_s < 12);
  const json box = json::parse(end.out);
  const std::size_t n = box.at("places").size();
  REQUIRE(n == 14);
  // Of a memory and a GPU, near and far, two copies, both ways, two latencies; of GPUs below one switch and below two
  // of a socket a copy, a read, both ways and a latency, of two sockets one by way of the host; at once out and in,
  // near and far, and each GPU of a socket to the next, to the next but one and to the one before. Alike are all
  // adapters with the memory of their socket, with the other one (six tests each), with a GPU below their switch, and
  // with one below the other switch (five), and the two of a socket at once, out and in, with its memory and with the
  // other one.
  CHECK(box.at("simulations") == 2 * 5 + 2 * 4 + 1 + 4 + 3 + 2 * 6 + 2 * 5 + 2 * 2);
  // Reads between the four GPUs of each socket are there beside what all pairs have, and each adapter's, both ways, of
  // two memories and four GPUs.
  CHECK(box.at("cells").size() == n * (n - 1) * 3 + n * (n - 1) / 2 + 2 * 4 * 3 + 4 * 6 * 2);
  for (const json& c : box.at("cells")) {
    CAPTURE(c.dump());
    CHECK(c.at("value").is_null() == c.contains("not_simulated"));
    if (c.at("value").is_null()) CHECK_FALSE(c.at("not_simulated").get<std::string>().empty());
  }
  // Gen3 x16: 8 GT/s a lane, 128 of 130 bits; a write of 256 B has 24 B around it, a completion 20 B.
  const double wire = 16 * 8e9 * 128 / 130 / 8;
  const double writes = wire * 256 / 280;
  const double reads = wire * 256 / 276;
  const auto is_below = [&](const char* from, const char* to, const char* what, double ceiling) {
    CAPTURE(from, to, what);
    CHECK(value(box, from, to, what) <= ceiling);
    CHECK(value(box, from, to, what) > 0.95 * ceiling);
  };
  is_below("gpu0", "memory", "one_way", writes);
  is_below("gpu0", "memory1", "one_way", writes);
  is_below("memory", "gpu0", "one_way", reads);
  is_below("gpu0", "gpu1", "one_way", writes);
  is_below("gpu0", "gpu2", "one_way", writes);
  is_below("memory", "gpu0", "both_ways", writes + reads);
  // Two GPUs have one uplink; what goes from one to the other below a switch does not use it.
  is_below("gpu0", "memory", "all_at_once", writes / 2);
  is_below("gpu0", "gpu2", "all_at_once", writes / 2);
  CHECK(value(box, "gpu0", "gpu1", "all_at_once") > 0.95 * writes);
  CHECK_THAT(cell(box, "gpu0", "memory", "all_at_once").at("limit").at("where").get<std::string>(),
             Catch::StartsWith("node0.switch0.up > node0.rc.slot0, 9"));
  CHECK_THAT(cell(box, "gpu4", "memory", "all_at_once").at("limit").at("kind").get<std::string>(),
             Catch::Contains("root_complex to root_complex"));
  CHECK(cell(box, "gpu0", "memory", "one_way").at("limit").at("kind") == "wire PCIe Gen3 x16, gpu to pcie_switch");
  // The other socket is farther away, and no GPU of it is a peer.
  CHECK(value(box, "memory1", "gpu0", "latency") > value(box, "memory", "gpu0", "latency"));
  CHECK(cell(box, "gpu0", "gpu4", "one_way").at("socket") == "far");
  CHECK_THAT(cell(box, "gpu0", "gpu4", "one_way").at("how").get<std::string>(), Catch::Contains("by way of memory"));
  CHECK(cell(box, "gpu0", "gpu4", "both_ways").at("value").is_null());
}

TEST_CASE("box: a link that was trained badly is found as the cause, and named as lspci shows it") {
  const TemporaryFolder folder;
  const std::string wire = "/topology/links/4/wire/";  // of gpu1
  struct Sample {
    std::string set;
    std::string from;
    std::string cause;
    std::string other;  // that does not explain it
  };
  for (const Sample& s :
       {Sample{wire + "lanes=4", "gpu1", "switch.down1 - gpu1.pcie runs at x4, not x16", "x8"},
        Sample{wire + "generation=1", "gpu1", "switch.down1 - gpu1.pcie runs at Gen1, not Gen2", "x4"},
        Sample{"[kind=pcie]/max_payload_size=128 B", "gpu0", "max payload size is 128 B", "x8"}}) {
    CAPTURE(s.set);
    const json slow = boxed({two_gpus, "--set", s.set});
    const std::string line =
        s.from + ",memory,one_way," + std::to_string(std::llround(value(slow, s.from, "memory", "one_way"))) + " B/s\n";
    const auto own = folder.write("own.csv", "from,to,what,value\n" + line);
    const json box = boxed({two_gpus, "--compare", own.string(), "--tolerance", "1"});
    CHECK(box.at("compared").at(0).at("verdict") == "low");
    const auto found = explaining(box);
    CHECK(has(found, s.cause));
    for (const std::string& f : found) CHECK_THAT(f, !Catch::Contains(s.other + ", not"));
    // The one at which the machine is so already is as it says.
    CHECK(boxed({two_gpus, "--set", s.set, "--compare", own.string()}).at("compared").at(0).at("verdict") ==
          "as modelled");
  }
}

TEST_CASE("box: cells of parts that are wired alike have what each would measure, and are not measured again") {
  const std::string machine = configs + "/machines/";
  // Two copies, both ways and two latencies between memory and a GPU; between GPUs, there as back, a copy, a read, both
  // ways and a latency; three kinds of all at once.
  CHECK(with_each({two_gpus}) == std::pair(5 + 4 + 3, 2 * 5 + 7 + 3));
  with_each({machine + "tca_pair.json"});
  // Of what is not alike nothing is shared: a link, a part, a part on the way of one of them.
  CHECK(with_each({two_gpus, "--set", "/topology/links/4/wire/lanes=4"}).first == 5 + 5 + 7 + 3);
  CHECK(with_each({two_gpus, "--set", "/topology/devices/gpu1/copy_engines/tags=3"}).first == 5 + 5 + 7 + 3);
  with_each({machine + "tca_pair.json", "--set", "[kind=root_complex]/read_latency=900 ns"});
}

TEST_CASE("box: adapters of a kind in other slots have what each would measure") {
  // Of two ConnectX-6 and a ConnectX-3: each is alone with a memory's socket or at the other.
  with_each({configs + "/imports/two_sockets_lspci.txt"});
}

TEST_CASE("box: GPUs whose requests a switch sends up to its root complex are not alike when its uplinks differ") {
  if (sanitized) return;  // ten seconds of a fast machine without
  const std::string node = "/topology/devices/node0/";
  std::vector<std::string> arguments{configs + "/imports/eight_gpus.xml", "--size", "256 KiB"};
  for (const std::string set :
       {"devices/switch0/acs_redirect=true", "devices/switch1/acs_redirect=true", "links/6/wire/lanes=8"}) {
    arguments.emplace_back("--set");
    arguments.push_back(node + set);
  }
  const json one = boxed(arguments);
  CHECK(value(one, "gpu2", "gpu3", "both_ways") < 0.6 * value(one, "gpu0", "gpu1", "both_ways"));
  arguments.emplace_back("--each");
  CHECK(one.at("cells") == boxed(arguments).at("cells"));
}

TEST_CASE("box: what nvbandwidth printed is compared as it is, and what has no cell is told") {
  const TemporaryFolder folder;
  const json box = boxed({two_gpus});
  const auto gb = [&](const char* from, const char* to, const char* what) {
    return std::to_string(value(box, from, to, what) * 1e-9);
  };
  const auto own =
      folder.write("own.txt",
                   "nvbandwidth Version: v0.8\n\nRunning host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) "
                   "bandwidth (GB/s)\n           0         1\n 0     " +
                       gb("memory", "gpu0", "one_way") +
                       "     1.80\n\nRunning device_to_device_memcpy_read_ce.\nmemcpy "
                       "CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0       N/A     " +
                       gb("gpu1", "gpu0", "read") + "\n 1     " + gb("gpu0", "gpu1", "read") +
                       "       N/A\n\nRunning host_to_device_memcpy_sm.\nmemcpy SM CPU(row) -> GPU(column) bandwidth "
                       "(GB/s)\n 0 1\n 0 1.00 1.00\n");
  const Ended end = run_program(
      {"box", two_gpus, "--configs", configs, "--compare", own.string(), "--tolerance", "1", "--format", "json"});
  REQUIRE(end.exit_code == 0);
  CHECK_THAT(end.err, Catch::Contains("own.txt:15:1: warning: \"host_to_device_memcpy_sm\" is left out"));
  const json compared = json::parse(end.out).at("compared");
  REQUIRE(compared.size() == 4);
  for (const json& c : compared)
    CHECK(c.at("verdict") == (c.at("to") == "gpu1" && c.at("what") == "one_way" ? "low" : "as modelled"));
}

TEST_CASE("box: the other socket, shorter reads and others on a shared link are causes, too") {
  const std::string pair = configs + "/machines/tca_pair.json";
  const json box = boxed({two_gpus});
  const auto shared = std::to_string(std::llround(value(box, "gpu1", "memory", "all_at_once")));
  CHECK(has(causes(two_gpus, "gpu1,memory,one_way," + shared + " B/s"),
            "others use a shared link at the same time (as in all_at_once)"));
  const json far = boxed({pair});
  const double ns = 1e9 * value(far, "memory1", "gpu0", "latency");
  CHECK(has(causes(pair, "memory,gpu0,latency," + std::to_string(std::llround(ns)) + " ns"),
            "the buffer lies at the other socket, in memory1"));
  const json small = boxed({two_gpus, "--set", "/topology/devices/gpu0/copy_engines/max_read_request=128 B"});
  const auto reads = std::to_string(std::llround(value(small, "memory", "gpu0", "one_way")));
  CHECK(has(causes(two_gpus, "memory,gpu0,one_way," + reads + " B/s"), "gpu0 reads 128 B at a time, not 4096 B"));
}

TEST_CASE("box: a switch that redirects requests, and writes without relaxed ordering, are causes where they matter") {
  const json redirected = boxed({two_gpus, "--set", "/topology/devices/switch/acs_redirect=true"});
  const double both = value(redirected, "gpu0", "gpu1", "both_ways");
  CHECK(both < 0.6 * value(boxed({two_gpus}), "gpu0", "gpu1", "both_ways"));
  CHECK(has(causes(two_gpus, "gpu0,gpu1,both_ways," + std::to_string(std::llround(both)) + " B/s"),
            "switches send what cards ask of each other up to the root complex (ACS)"));
  const std::string rome = configs + "/machines/a100_rome.json";
  const json ordered = boxed({rome, "--set", "/topology/devices/gpu0/copy_engines/relaxed_ordering=false"});
  const double slow = value(ordered, "gpu0", "memory", "one_way");
  CHECK(slow < 0.9 * value(boxed({rome}), "gpu0", "memory", "one_way"));
  CHECK(has(causes(rome, "gpu0,memory,one_way," + std::to_string(std::llround(slow)) + " B/s"),
            "writes of gpu0 have no relaxed ordering"));
}

TEST_CASE("box: intervals hold the value, and are wider than nothing where an assumption moves it") {
  const json box = boxed({configs + "/machines/ppx.json", "--intervals", "--size", "256 KiB"});
  bool moved = false;
  for (const json& c : box.at("cells")) {
    if (c.at("value").is_null()) continue;
    const double low = c.at("interval").at("low");
    const double high = c.at("interval").at("high");
    CHECK(low <= c.at("value").get<double>());
    CHECK(high >= c.at("value").get<double>());
    moved = moved || (c.at("what") == "latency" && high > 1.05 * low);
    CHECK((high > low) == !c.at("interval").at("moved_most_by").get<std::string>().empty());
  }
  CHECK(moved);
}

TEST_CASE("box: a card's own DMA is measured as pcie-bench does, at its socket and at the other") {
  const json box = boxed({configs + "/imports/two_sockets_lspci.txt"});
  // Gen3 x4 in nvme's slot, at the second socket.
  const double wire = 4 * 8e9 * 128 / 130 / 8;
  CHECK(value(box, "nvme", "memory1", "one_way") <= wire * 256 / 280);
  CHECK(value(box, "nvme", "memory1", "one_way") > 0.95 * wire * 256 / 280);
  CHECK(cell(box, "nvme", "memory", "one_way").at("socket") == "far");
  CHECK(value(box, "memory", "nvme", "latency") > value(box, "memory1", "nvme", "latency"));
  CHECK(cell(box, "nvme", "gpu0", "one_way").contains("not_simulated"));
}

TEST_CASE("box: links faster than Gen3 x16 get longer copies, so that their ceilings are near, too") {
  const json box = boxed({two_gpus, "--set", "[kind=pcie]/generation=5"});
  const double writes = 16 * 32e9 * 128 / 130 / 8 * 256 / 280;
  // The copy engine of a K20 reads 32 B a cycle of 706 MHz.
  const double engine = 32 * 706e6;
  CHECK(value(box, "gpu0", "memory", "one_way") <= std::min(engine, writes));
  CHECK(value(box, "gpu0", "memory", "one_way") > 0.95 * engine);
  CHECK(cell(box, "gpu0", "memory", "one_way").at("limit").at("kind") == "ceiling copy engine");
}

TEST_CASE("box: what is written in each format, the same with any number of jobs") {
  const TemporaryFolder folder;
  const Ended one = run_program({"box", two_gpus, "--configs", configs, "--jobs", "1"});
  CHECK(one.exit_code == 0);
  CHECK(one.err.empty());
  CHECK(run_program({"box", two_gpus, "--configs", configs, "--jobs", "3"}).out == one.out);
  CHECK_THAT(one.out, Catch::StartsWith("bandwidth one way, GB/s\nfrom \\ to  memory    gpu0    gpu1\n"));
  const auto file = [&](const std::string& name) {
    const std::string path = (folder.path() / name).string();
    const Ended end = run_program({"box", two_gpus, "--configs", configs, "--out", path});
    CAPTURE(name, end.err);
    CHECK(end.exit_code == 0);
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  CHECK_THAT(file("box.csv"), Catch::StartsWith("from,to,what,socket,value,unit,low,high,limit,where,how,"));
  CHECK_THAT(file("box.svg"), Catch::StartsWith("<svg ") && Catch::EndsWith("</svg>\n"));
  const std::string page = file("box.html");
  CHECK_THAT(page,
             Catch::StartsWith("<!DOCTYPE html>") && Catch::EndsWith("</html>\n") && Catch::Contains("limited by"));
  CHECK_THAT(page, Catch::Contains("tsunagi box " + two_gpus + " --out "));
  // Every cell that the text has, coloured by its size: the least of each table and the most, too.
  CHECK_THAT(page, Catch::Contains("<td class=\"number h6\">") && Catch::Contains("<td class=\"number h1\">"));
  // As other pages: the one style, by its hash; a plain one where none was bundled.
  CHECK_THAT(page, Catch::Contains("style-src 'sha256-") || Catch::Contains("style-src 'unsafe-inline'"));
  CHECK_THAT(page, !Catch::Contains("<script"));
  CHECK(json::parse(file("box.json")).at("cells").size() == 23);
  CHECK(file("box.txt") == one.out);
}

TEST_CASE("box: what it cannot measure is refused before anything runs") {
  const TemporaryFolder folder;
  expect_refused({"box"}, "which machine? usage: tsunagi box MACHINE.json|FILE");
  expect_refused({"box", two_gpus, "--sise", "1 MiB"}, "unknown option \"--sise\"; did you mean \"--size\"?");
  expect_refused({"box", two_gpus, "--size", "255 KiB"}, "--size must be from 256 KiB to 64 MiB");
  expect_refused({"box", two_gpus, "--size", "1"}, "--size: ");
  expect_refused({"box", two_gpus, "--tolerance", "51"}, "--tolerance must be from 0 to 50");
  expect_refused({"box", two_gpus, "--jobs", "0"}, "--jobs needs a number from 1 on");
  expect_refused({"box", two_gpus, "--format", "xml"}, "xml");
  expect_refused({"box", configs + "/machines/torus_4x4.json", "--configs", configs}, "it is no server");
  expect_refused({"box", configs + "/imports/ring_anynet.txt", "--configs", configs}, "it is no server");
  expect_refused({"box", configs + "/runs/tca_ping_pong.json", "--configs", configs},
                 "is no machine, but of type \"run\"");
  const auto own = folder.write("own.csv", "from,to,what,value\n\ngpu0,gpu5,one_way,3 GB/s\n");
  expect_refused({"box", two_gpus, "--configs", configs, "--compare", own.string()},
                 "own.csv:3:1: unknown place \"gpu5\"");
  expect_refused(
      {"box", two_gpus, "--configs", configs, "--compare", own.string(), "--out", own.string(), "--format", "csv"},
      "own.csv");
}

TEST_CASE("box: writes of 128 B fill a link of the sixth generation, which may run at the fifth") {
  const TemporaryFolder folder;
  const auto own = folder.write("own.csv", "from,to,what,value\ngpu0,memory,one_way,53 GB/s\n");
  const json box = boxed({configs + "/machines/h100_sapphire_rapids.json", "--set", "[kind=pcie]/generation=6",
                          "--size", "1 MiB", "--compare", own.string()});
  // 128 GB/s x 236/256 x 128/144, and a five hundredth for ordered sets and latencies.
  const double peak = 104.89e9;
  CHECK(value(box, "gpu0", "memory", "one_way") < peak);
  CHECK(value(box, "gpu0", "memory", "one_way") > peak * 0.995);
  CHECK(has(explaining(box), "switch0.down0 - gpu0.pcie runs at Gen5, not Gen6"));
}

}  // namespace box_test
