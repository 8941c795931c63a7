// SPDX-License-Identifier: Apache-2.0
// The Himeno benchmark: whose points, which bytes, in which order.
#include <string>

#include "support/child.hpp"
#include "system/simulated.hpp"

namespace himeno_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Size S on so many nodes of the big machine.
report::Row row(int nodes, const std::string& grid, const Overrides& more = {}) {
  const Overrides small{{"/machine/topology/nodes", std::to_string(nodes)},
                        {"/scenario/size", "\"S\""},
                        {"/scenario/point", "\"35 ns\""},
                        {"/scenario/grid", grid},
                        {"/scenario/iterations", "2"}};
  return rows_of("himeno_256", with(small, more)).rows.front();
}

}  // namespace

TEST_CASE("himeno: a rank computes the points inside the whole grid that are its own") {
  // 128 x 64 x 64 points, of which the surface is not computed; of two ranks in x 63 planes each.
  CHECK(cell<Time>(row(2, "[2,1,1]"), "compute") == 35_ns * (63 * 62 * 62));
  CHECK(cell<Time>(row(2, "[1,1,2]"), "compute") == 35_ns * (126 * 62 * 31));
  // Of three 43, 43 and 42 planes; the one in the middle has no surface of x.
  CHECK(cell<Time>(row(3, "[3,1,1]"), "compute") == 35_ns * (43 * 62 * 62));
}

TEST_CASE("himeno: its rate is 34 flop for each point inside") {
  const report::Row r = row(2, "[2,1,1]", {{"/scenario/point", "\"1 us\""}});
  const double flop = 34.0 * 126 * 62 * 62, us = static_cast<double>(cell<Time>(r, "iteration").fs()) / 1e9;
  CHECK(static_cast<double>(cell<std::int64_t>(r, "mflops")) == Approx(flop / us).margin(1));
}

TEST_CASE("himeno: a face of single elements costs a line each to pack and to unpack, rows their bytes") {
  const auto faces = [](const std::string& grid) {
    return static_cast<double>(cell<Time>(row(2, grid), "faces").fs());
  };
  // As many bytes of z as of y: 128 rows of 64 elements. The copies of z move 64 B for each of 4.
  CHECK(faces("[1,1,2]") > faces("[1,2,1]") * 2);
  CHECK(faces("[1,2,1]") > faces("[2,1,1]"));
}

TEST_CASE("himeno: what cannot be is refused by name") {
  const auto refused = [](const Overrides& more) {
    return refusal("himeno_256", with({{"/scenario/size", "\"S\""}}, more));
  };
  CHECK(refused({{"/scenario/grid", "[8,8,8]"}}).find("512") != std::string::npos);
  CHECK(refused({{"/scenario/grid", "[1,1,256]"}}).find("256 ranks share 62 points inside the whole grid in z") !=
        std::string::npos);
  CHECK(refused({{"/scenario/grid", "[16,16]"}}).find("\"grid\" is not of three dimensions") != std::string::npos);
  CHECK(refused({{"/scenario/iterations", "0"}}).find("iterations") != std::string::npos);
}

}  // namespace himeno_test
