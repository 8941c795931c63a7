// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/datagram/message_order.hpp"

#include <vector>

#include "support/catch.hpp"

namespace message_order_test {

using namespace tsunagi;

namespace {

struct Named {
  int name;
};

}  // namespace

TEST_CASE("messages of a pair are delivered in the order in which they were sent") {
  libraries::MessageOrder<Named> order;
  std::vector<Named> m = {{0}, {1}, {2}, {3}};
  std::vector<int> delivered;
  const auto arrived = [&](int i) {
    order.arrived(4, 5, static_cast<std::uint32_t>(i), m[static_cast<std::size_t>(i)],
                  [&](Named& n) { delivered.push_back(n.name); });
  };
  for (std::uint32_t i = 0; i < 4; ++i) CHECK(order.next(4, 5) == i);
  arrived(2);
  arrived(1);
  CHECK(delivered.empty());
  arrived(0);
  CHECK(delivered == std::vector<int>{0, 1, 2});
  arrived(3);
  CHECK(delivered == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("messages of one pair do not wait for those of another") {
  libraries::MessageOrder<Named> order;
  Named a{1}, b{2};
  CHECK(order.next(0, 1) == 0);
  CHECK(order.next(1, 0) == 0);
  CHECK(order.next(0, 2) == 0);
  int delivered = 0;
  order.arrived(1, 0, 0, a, [&](Named&) { ++delivered; });
  order.arrived(0, 2, 0, b, [&](Named&) { ++delivered; });
  CHECK(delivered == 2);
}

TEST_CASE("every sender and every receiver has numbers of its own") {
  libraries::MessageOrder<Named> order;
  std::vector<Named> m = {{0}, {1}, {2}, {3}};
  CHECK(order.next(0, 2) == 0);
  CHECK(order.next(1, 2) == 0);
  CHECK(order.next(0, 3) == 0);
  CHECK(order.next(0, 2) == 1);
  std::vector<int> delivered;
  const auto deliver = [&](Named& n) { delivered.push_back(n.name); };
  order.arrived(0, 2, 1, m[3], deliver);  // before the first of its pair
  CHECK(delivered.empty());
  order.arrived(1, 2, 0, m[1], deliver);
  order.arrived(0, 3, 0, m[2], deliver);
  CHECK(delivered == std::vector<int>{1, 2});
  order.arrived(0, 2, 0, m[0], deliver);
  CHECK(delivered == std::vector<int>{1, 2, 0, 3});
}

}  // namespace message_order_test
