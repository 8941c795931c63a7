// SPDX-License-Identifier: Apache-2.0
#include "comm/messages/numbers.hpp"
#include "comm/world/board.hpp"
#include "comm/world/calls.hpp"
#include "support/catch.hpp"

namespace comm_board_test {

using namespace tsunagi;
using namespace tsunagi::comm;

TEST_CASE("the smallest free number is taken next") {
  Numbers n;
  for (const std::uint32_t expected : {0u, 1u, 2u, 3u}) CHECK(n.take() == expected);
  for (const std::uint32_t free : {2u, 0u, 3u}) n.give_back(free);
  for (const std::uint32_t expected : {0u, 2u, 3u, 4u}) CHECK(n.take() == expected);
}

TEST_CASE("what members leave stays until all have looked") {
  Board<int> b;
  b.leave(2, 7, 2, 1, 11);
  b.leave(4, 7, 1, 0, 40);
  using Left = std::vector<std::optional<int>>;
  CHECK(b.look(2, 7) == Left{std::nullopt, 11});
  b.leave(2, 7, 2, 0, 10);
  CHECK(b.look(2, 7) == Left{10, 11});
  b.leave(2, 7, 2, 0, 12);  // a call of that number has not been, as far as the board knows
  CHECK(b.look(2, 7) == Left{12, std::nullopt});
  CHECK(b.look(4, 7) == Left{40});
}

TEST_CASE("a circle of calls is told from its lowest rank on and without those who wait for it") {
  Calls calls(5);
  const auto in = [](int peer) { return Calls::Entry{"send", peer, any_tag, {}, true}; };
  const Calls::Scope a(calls, 0, in(3));
  const Calls::Scope b(calls, 3, in(1));
  CHECK(calls.circle().empty());
  const Calls::Scope c(calls, 1, in(4));
  const Calls::Scope d(calls, 4, in(3));
  CHECK(calls.circle() ==
        "ranks wait for each other in a circle: rank 1 in send with rank 4; rank 4 in send with rank 3; rank 3 in send "
        "with rank 1");
}

}  // namespace comm_board_test
