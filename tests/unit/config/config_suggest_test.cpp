// SPDX-License-Identifier: Apache-2.0
#include "config/describe.hpp"
#include "config/suggest.hpp"
#include "support/catch.hpp"

namespace config_suggest_test {

using namespace tsunagi::config;
using detail::did_you_mean;
using detail::edit_distance;

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("lane", "lanes") == 1);
  CHECK(edit_distance("Lanes", "lanes") == 0);
  CHECK(edit_distance("lnaes", "lanes") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("only a near word is suggested") {
  const std::vector<std::string> known{"latency", "lanes", "rate"};
  CHECK(did_you_mean("latancy", known) == "; did you mean \"latency\"?");
  CHECK(did_you_mean("LANES", known) == "; did you mean \"lanes\"?");
  CHECK(did_you_mean("rats", known) == "; did you mean \"rate\"?");
  CHECK(did_you_mean("zebra", known).empty());
  CHECK(did_you_mean("x", known).empty());
  CHECK(did_you_mean("lanes", {}).empty());
  CHECK(did_you_mean("ab", {"a", "abc"}) == "; did you mean \"abc\"?");
}

TEST_CASE("kinds and families are found by name") {
  Kinds kinds;
  kinds.add({"device", {{"gpu", "a GPU", {}}, {"nic", "a NIC", {}}}});
  REQUIRE(kinds.find("device") != nullptr);
  CHECK(kinds.find("device")->find("nic")->doc == "a NIC");
  CHECK(kinds.find("device")->find("cpu") == nullptr);
  CHECK(kinds.find("wire") == nullptr);
}

}  // namespace config_suggest_test
