// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "topo/routes/deadlock.hpp"

namespace topo_deadlock_test {

using tsunagi::topo::dependency_cycle;
using Cycle = std::vector<std::uint32_t>;

TEST_CASE("a chain of dependencies has no cycle") {
  CHECK(dependency_cycle(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}).empty());
}

TEST_CASE("no channels, no cycle") { CHECK(dependency_cycle(0, {}).empty()); }

TEST_CASE("a channel that waits for itself is a cycle") { CHECK(dependency_cycle(2, {{1, 1}}) == Cycle{1}); }

TEST_CASE("a cycle is told in the order of waiting, without what leads to it") {
  CHECK(dependency_cycle(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}}) == Cycle{1, 2, 3});
}

TEST_CASE("a cycle that the first channel does not reach is found") {
  CHECK(dependency_cycle(4, {{0, 1}, {2, 3}, {3, 2}}) == Cycle{2, 3});
}

}  // namespace topo_deadlock_test
