// SPDX-License-Identifier: Apache-2.0
// Servers with NVLink as shipped, against the payload of their links.
#include "support/catch.hpp"
#include "system/simulated.hpp"

namespace nvlink_machines_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// GB/s of each row.
std::vector<double> rates(const std::string& run, const std::string& copies, Overrides more = {},
                          const std::string& size = "4 MiB") {
  more.push_back({"/scenario/copies", copies});
  more.push_back({"/scenario/sizes", "[\"" + size + "\"]"});
  std::vector<double> out;
  for (const report::Row& row : rows_of(run, more).rows)
    out.push_back(static_cast<double>(cell<Bytes>(row, "bytes").count()) /
                  (static_cast<double>(cell<Time>(row, "time").fs()) / 1e6));
  return out;
}

std::string copy(int from, int to) {
  return R"({"source": "gpu)" + std::to_string(from) + R"(", "target": "gpu)" + std::to_string(to) + R"("})";
}
std::string only(int from, int to) { return "[" + copy(from, to) + "]"; }

constexpr double v100_link = 25.78125;
constexpr double a100_link = 25;
constexpr double payload = 16.0 / 17;

void expect_near(double rate, double ceiling, double least = 0.97) {
  CHECK(rate <= ceiling);
  CHECK(rate > least * ceiling);
}

}  // namespace

TEST_CASE("NVLink: a hybrid cube mesh has one link or two between GPUs, and none between others") {
  expect_near(rates("v100_nvlink_copies", only(0, 1)).front(), v100_link * payload);
  expect_near(rates("v100_nvlink_copies", only(0, 3)).front(), 2 * v100_link * payload);
  expect_near(rates("v100_nvlink_copies", only(0, 4)).front(), 2 * v100_link * payload);  // of the other socket
  CHECK_THAT(refusal("v100_nvlink_copies", {{"/scenario/copies", only(0, 5)}}), Catch::Contains("no peer access"));
}

TEST_CASE("NVLink: a peer reads as fast as it is written to") {
  const std::string by = R"([{"source": "gpu0", "target": "gpu3", "by": "gpu3"}])";
  expect_near(rates("v100_nvlink_copies", by).front(), 2 * v100_link * payload);
}

TEST_CASE("NVLink: headers cost what their flits take, more with smaller packets") {
  const std::string packet = "/machine/topology/devices/gpu0/nvlink/packet";
  expect_near(rates("v100_nvlink_copies", only(0, 1), {{packet, "\"128 B\""}}).front(), v100_link * 8 / 9);
  expect_near(rates("v100_nvlink_copies", only(0, 1), {{packet, "\"64 B\""}}).front(), v100_link * 4 / 5);
  expect_near(rates("v100_nvlink_copies", only(0, 1), {{"[kind=nvlink]/generation", "1"}}).front(), 20 * payload);
}

TEST_CASE("NVSwitch: all links of a GPU lead to any other, and pairs do not slow each other down") {
  const double all = 12 * a100_link * payload;
  expect_near(rates("a100_nvswitch_copies", only(0, 7), {}, "16 MiB").front(), all);
  std::string ring;
  for (int i = 0; i < 4; ++i) ring += (i == 0 ? "[" : ", ") + copy(i, (i + 1) % 4);
  for (const double rate : rates("a100_nvswitch_copies", ring + "]", {{"/scenario/queued", "2"}}, "8 MiB"))
    expect_near(rate, all, 0.9);
}

TEST_CASE("NVSwitch: two that write to one share its links") {
  const auto both = rates("a100_nvswitch_copies", "[" + copy(0, 5) + ", " + copy(1, 5) + "]", {}, "8 MiB");
  REQUIRE(both.size() == 2);
  expect_near(both[0] + both[1], 12 * a100_link * payload, 0.93);
  CHECK(both[0] == Approx(both[1]).epsilon(0.05));
}

TEST_CASE("NVSwitch: bundles of five and four links a switch carry as much as all of them") {
  constexpr double lines = 8.0 / 9;  // packets of 128 B
  expect_near(rates("h100_nvswitch_copies", only(0, 7), {}, "16 MiB").front(), 18 * a100_link * lines, 0.96);
  const std::string by = R"([{"source": "gpu0", "target": "gpu7", "by": "gpu7"}])";
  expect_near(rates("h100_nvswitch_copies", by, {}, "16 MiB").front(), 18 * a100_link * lines, 0.96);
}

TEST_CASE("whose engine reads a peer bounds a copy, not the peer's, over NVLink and on the bus") {
  const auto read = [](const std::string& run, const std::string& reader, const std::string& width) {
    const std::string by = R"([{"source": "gpu1", "target": ")" + reader + R"(", "by": ")" + reader + R"("}])";
    const report::Rows rows = rows_of(run, {{"/scenario/copies", by},
                                            {"/scenario/sizes", "[\"1 MiB\"]"},
                                            {"/machine/topology/devices/gpu1/" + width, "\"2 B\""}});
    std::vector<std::string> names;
    for (const report::Ceiling& c : rows.ceilings) names.push_back(c.name);
    CHECK_THAT(names, Catch::VectorContains("copy engine, " + reader));
    CHECK_THAT(names, !Catch::VectorContains(std::string("copy engine, gpu1")));
    const report::Row& row = rows.rows.front();
    const double rate = static_cast<double>(cell<Bytes>(row, "bytes").count()) /
                        (static_cast<double>(cell<Time>(row, "time").fs()) * 1e-15);
    for (const report::Ceiling& c : rows.ceilings) {
      CAPTURE(c.name);
      if (!c.rate.is_infinite()) CHECK(rate <= c.rate.bytes_per_second());
    }
    return rate;
  };
  CHECK(read("v100_nvlink_copies", "gpu0", "nvlink/width") > 0.9 * v100_link * payload * 1e9);
  CHECK(read("a6000_peer_copies", "gpu0", "copy_engines/width") > 24e9);
}

TEST_CASE("NVLink: a narrow reader of memory bounds copies, and few reads under way do") {
  const std::string gpu = "/machine/topology/devices/gpu0/nvlink/";
  CHECK(rates("a100_nvswitch_copies", only(0, 5), {{gpu + "width", "\"64 B\""}}).front() ==
        Approx(64 * 1.41).epsilon(0.05));
  const std::string by = R"([{"source": "gpu5", "target": "gpu0", "by": "gpu0"}])";
  // 64 reads of 256 B in what a read takes: ports, switch, memory, and wires.
  const double trip = 4 * 100 + 2 * 100 + 215 + 4 + 2 * (16 + 272) / 25.0;
  CHECK(rates("a100_nvswitch_copies", by, {{gpu + "tags", "64"}}).front() == Approx(64 * 256 / trip).epsilon(0.05));
}

}  // namespace nvlink_machines_test
