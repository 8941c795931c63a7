// SPDX-License-Identifier: Apache-2.0
// Axes along which nothing changes.
#include "support/catch.hpp"
#include "sweep/collect/idle_axes.hpp"

namespace sweep_idle_axes_test {

using namespace tsunagi;
using Names = std::vector<std::string>;

TEST_CASE("an axis is idle if no row changes along it, whatever the others are") {
  sweep::IdleAxes axes;
  for (const char* size : {"8 B", "64 B"})
    for (const char* seed : {"1", "2", "3"}) axes.take({{"size", size}, {"seed", seed}}, std::string("of ") + size);
  CHECK(axes.names() == Names{"seed"});
  axes.take({{"size", "64 B"}, {"seed", "4"}}, "another");
  CHECK(axes.names().empty());
}

TEST_CASE("an axis of one value, of a zip, or of points that were told twice is not judged") {
  sweep::IdleAxes one;
  one.take({{"size", "8 B"}}, "a");
  one.take({{"size", "8 B"}}, "a");
  CHECK(one.names().empty());
  sweep::IdleAxes zip;
  zip.take({{"size", "8 B"}, {"count", "1"}}, "a");
  zip.take({{"size", "64 B"}, {"count", "2"}}, "a");
  CHECK(zip.names().empty());
  CHECK(sweep::IdleAxes().names().empty());
}

TEST_CASE("values of an axis that are parts of each other are different ones") {
  sweep::IdleAxes axes;
  axes.take({{"a", "1"}, {"b", "11"}, {"c", "x"}}, "p");
  axes.take({{"a", "11"}, {"b", "1"}, {"c", "y"}}, "p");
  CHECK(axes.names().empty());
}

}  // namespace sweep_idle_axes_test
