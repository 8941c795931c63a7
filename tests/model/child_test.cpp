// SPDX-License-Identifier: Apache-2.0
// The process of its own that tests of a second elaboration run in: what fails there fails the test.
#include "support/child.hpp"

#include "support/catch.hpp"

using namespace tsunagi;

namespace {

/// Why it failed; empty: it did not.
std::string failure(const std::function<std::string()>& f) {
  try {
    test::in_child(f);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a check, a requirement or an exception that fails in a child fails the test, and nothing else does") {
  CHECK(test::in_child([] { return std::string("said"); }) == "said");
  CHECK(failure([] {
          CHECK(1 + 1 == 2);
          return std::string();
        }) == "");
  CHECK(failure([] {
          CHECK(1 + 1 == 3);
          CHECK(1 + 1 == 2);
          return std::string("said");
        }) == "the child failed: 1 checks failed in it; said");
  CHECK(failure([] {
          REQUIRE(1 + 1 == 3);
          return std::string("said");
        }) == "the child failed: 1 checks failed in it; ");
  CHECK(failure([]() -> std::string { throw std::runtime_error("why"); }) == "the child failed: why");
}
