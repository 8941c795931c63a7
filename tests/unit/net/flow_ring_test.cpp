// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "flow/ring.hpp"
#include "support/catch.hpp"

namespace flow_ring_test {

using tsunagi::flow::Ring;

TEST_CASE("a ring is a FIFO across every growth and wrap") {
  Ring<int> r;
  CHECK(r.empty());
  int in = 0, out = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < round % 7 + 1; ++i) r.push_back(in++);
    CHECK(r.back() == in - 1);
    for (int i = 0; i < round % 5 + 1 && !r.empty(); ++i) REQUIRE(r.take_front() == out++);
    REQUIRE(r.size() == static_cast<std::size_t>(in - out));
    for (std::size_t i = 0; i < r.size(); ++i) REQUIRE(r[i] == out + static_cast<int>(i));
  }
  while (!r.empty()) REQUIRE(r.take_front() == out++);
  CHECK(out == in);
}

TEST_CASE("a ring lets go of what it drops, at once") {
  Ring<std::shared_ptr<int>> r;
  auto held = std::make_shared<int>(1);
  r.push_back(held);
  r.push_back(held);
  CHECK(held.use_count() == 3);
  r.pop_front();
  CHECK(held.use_count() == 2);
  { const auto taken = r.take_front(); }
  CHECK(held.use_count() == 1);
}

}  // namespace flow_ring_test
