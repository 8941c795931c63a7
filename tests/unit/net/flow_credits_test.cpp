// SPDX-License-Identifier: Apache-2.0
#include "flow/credits.hpp"
#include "support/catch.hpp"

namespace flow_credits_test {

using namespace tsunagi::flow;

TEST_CASE("an account covers what both units have") {
  CreditAccount a({2, 20});
  CHECK(a.covers({1, 16}));
  a.spend({1, 16});
  CHECK(!a.covers({1, 16}));  // data is short
  CHECK(a.covers({1, 4}));
  a.spend({1, 4});
  CHECK(!a.covers({1, 0}));  // headers are short
  CHECK(!a.all_home());
  a.refund({1, 16});
  a.refund({1, 4});
  CHECK(a.all_home());
}

TEST_CASE("what an empty buffer cannot hold is told apart from what it cannot hold now") {
  CreditAccount a({2, 20});
  a.spend({2, 20});
  CHECK(!a.covers({1, 16}));
  CHECK(!a.exceeds({1, 16}));
  CHECK(a.exceeds({1, 21}));
  CHECK(a.exceeds({3, 0}));
}

TEST_CASE("each unit may be infinite by itself") {
  CreditAccount headers_only({1, Credits::infinite});
  CHECK(headers_only.finite());
  CHECK(headers_only.covers({1, 1'000'000}));
  CHECK(!headers_only.exceeds({1, 1'000'000}));
  headers_only.spend({1, 256});
  CHECK(!headers_only.covers({1, 0}));
  headers_only.refund({1, 256});
  CHECK(headers_only.all_home());
  CHECK(!CreditAccount({Credits::infinite, Credits::infinite}).finite());
}

}  // namespace flow_credits_test
