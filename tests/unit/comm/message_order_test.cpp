// SPDX-License-Identifier: Apache-2.0
#include "comm/messages/message_order.hpp"

#include <vector>

#include "support/catch.hpp"

namespace message_order_test {

using namespace tsunagi;

TEST_CASE("messages of a rank are delivered in the order in which it sent them") {
  comm::MessageOrder<int> sender, order;
  std::vector<int> delivered;
  const auto arrived = [&](std::uint32_t i) {
    order.arrived(4, i, static_cast<int>(i), [&](int m) { delivered.push_back(m); });
  };
  for (std::uint32_t i = 0; i < 4; ++i) CHECK(sender.next(5) == i);
  CHECK(sender.sent().at(5) == 4);
  arrived(2);
  arrived(1);
  CHECK(delivered.empty());
  CHECK(order.delivered(4) == 0);
  arrived(0);
  CHECK(delivered == std::vector<int>{0, 1, 2});
  arrived(3);
  CHECK(delivered == std::vector<int>{0, 1, 2, 3});
  CHECK(order.delivered(4) == 4);
}

TEST_CASE("messages of one rank do not wait for those of another, nor are they counted with those to another") {
  comm::MessageOrder<int> order;
  CHECK(order.next(1) == 0);
  CHECK(order.next(2) == 0);
  CHECK(order.next(1) == 1);
  std::vector<int> delivered;
  const auto note = [&](int m) { delivered.push_back(m); };
  order.arrived(1, 1, 11, note);  // waits
  order.arrived(2, 0, 20, note);
  order.arrived(3, 0, 30, note);
  CHECK(delivered == std::vector<int>{20, 30});
  order.arrived(1, 0, 10, note);
  CHECK(delivered == std::vector<int>{20, 30, 10, 11});
}

}  // namespace message_order_test
