// SPDX-License-Identifier: Apache-2.0
// What is wrong with a host's cache or IOMMU is told before the run, with its place.
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace host_refused_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

/// Writes of an exerciser to one of the shipped hosts, with these things changed.
Ended run_with(const std::vector<std::string>& changes) {
  const TemporaryFolder folder;
  const auto file = folder.write("run.json", "{\"machine\": {\"$use\": \"" + configs +
                                                 "/machines/pcie_bench_haswell.json\"}, \"library\": {\"kind\": "
                                                 "\"exerciser\"}, \"scenario\": {\"kind\": \"stream\", "
                                                 "\"sizes\": [\"4 KiB\"], \"messages\": 2}}");
  std::vector<std::string> arguments{"run", file.string(), "--format", "csv"};
  for (const std::string& c : changes) {
    arguments.emplace_back("--set");
    arguments.push_back("/machine/topology/devices/" + c);
  }
  return run_program(arguments);
}

void expect_refused(const std::vector<std::string>& changes, const std::string& place, const std::string& says) {
  const Ended end = run_with(changes);
  CAPTURE(changes, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(place) && Catch::Contains(says));
}

}  // namespace

TEST_CASE("a host with cache and IOMMU runs, and without them") {
  CHECK(run_with({}).exit_code == 0);
  CHECK(run_with({"rc/iommu/entries=64"}).exit_code == 0);
  CHECK(run_with({"memory/llc/size=\"0 B\"", "memory/write_lines=0"}).exit_code == 0);
}

TEST_CASE("a last-level cache that cannot be is refused") {
  expect_refused({"memory/llc/ways=7"}, "/devices/memory/llc", "\"size\" must be a multiple of \"ways\" lines of 64 B");
  expect_refused({"memory/llc/device_ways=21"}, "/devices/memory/llc", "\"device_ways\" must not be above \"ways\"");
  expect_refused({"memory/llc/device_ways=0"}, "/llc/device_ways", "");
  expect_refused({"memory/llc/ways=0"}, "/llc/ways", "");
  expect_refused({"memory/llc/size=15"}, "/llc/size", "unit");
  expect_refused({"memory/llc/size=\"2 GiB\""}, "/llc/size", "");
  expect_refused({"memory/llc/replacement=\"random\""}, "/llc/replacement", "not_recently_used");
  expect_refused({"memory/llc/dram_rate=\"0 GB/s\""}, "/llc/dram_rate", "");
  expect_refused({"memory/llc/associativity=4"}, "/llc", "unknown key");
  expect_refused({"memory/llc/size=\"0 B\""}, "/devices/memory", "\"write_lines\" needs an \"llc\"");
  expect_refused({"memory/write_lines=63"}, "/links/1", "does not hold one packet");
}

TEST_CASE("an IOMMU that cannot be is refused") {
  expect_refused({"rc/iommu/entries=64", "rc/iommu/ways=5"}, "/rc/iommu", "\"entries\" must be a multiple of \"ways\"");
  expect_refused({"rc/iommu/entries=4", "rc/iommu/ways=8"}, "/rc/iommu", "\"entries\" must be a multiple of \"ways\"");
  expect_refused({"rc/iommu/entries=-1"}, "/iommu/entries", "");
  expect_refused({"rc/iommu/page_size=\"8 KiB\""}, "/iommu/page_size", "4 KiB");
  expect_refused({"rc/iommu/walkers=0"}, "/iommu/walkers", "");
  expect_refused({"rc/iommu/walk_reads=0"}, "/iommu/walk_reads", "");
  expect_refused({"rc/iommu/walk_read_latency=80"}, "/iommu/walk_read_latency", "unit");
}

}  // namespace host_refused_test
