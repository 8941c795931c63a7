// SPDX-License-Identifier: Apache-2.0
// Numbered packets that are sent again from the one that is missing on.
#include "models/protocols/go_back_n.hpp"

#include <deque>
#include <vector>

#include "stats/random.hpp"
#include "support/catch.hpp"

namespace go_back_n_test {

using namespace tsunagi;
using protocols::GoBackNReceiver;
using protocols::GoBackNSender;
using Came = GoBackNReceiver::Came;

TEST_CASE("go-back-N: a window of packets is under way, and opens by what is acknowledged") {
  GoBackNSender s(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(s.open());
    CHECK(s.take() == i);
  }
  CHECK_FALSE(s.open());
  CHECK(s.acknowledged(2) == 2);
  CHECK(s.oldest() == 2);
  CHECK(s.acknowledged(2) == 0);  // again
  CHECK(s.acknowledged(1) == 0);  // an old one
  CHECK(s.acknowledged(4) == 0);  // of what was never sent
  CHECK(s.under_way());
  CHECK(s.acknowledged(3) == 1);
  CHECK_FALSE(s.under_way());
}

TEST_CASE("go-back-N: the receiver takes the next one alone, and owes what it has not told") {
  GoBackNReceiver r;
  CHECK(r.came(1) == Came::gap);
  CHECK(r.came(0) == Came::next);
  CHECK(r.came(0) == Came::again);
  CHECK(r.came(1) == Came::next);
  CHECK(r.owed() == 2);
  r.told();
  CHECK(r.owed() == 0);
  CHECK(r.expected() == 2);
}

TEST_CASE("go-back-N: numbers go on for ever") {
  // Beyond 2^32: the same distances.
  CHECK(protocols::behind(0xffffffff, 1) == 2);
  CHECK(protocols::behind(1, 0xffffffff) == -2);
}

TEST_CASE("go-back-N: whatever is lost, all arrives once and in order") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    stats::RandomStream random(seed, "channel");
    const std::int64_t lost = random.below(60);  // percent, of both ways
    const int window = static_cast<int>(1 + random.below(16)), every = static_cast<int>(1 + random.below(4));
    GoBackNSender s(window);
    GoBackNReceiver r;
    std::deque<std::uint32_t> to, fro;
    std::vector<std::uint32_t> taken;
    std::uint32_t resend = 0;
    bool again = false;
    const auto put = [&](std::deque<std::uint32_t>& wire, std::uint32_t number) {
      if (!random.chance(lost, 100)) wire.push_back(number);
    };
    int idle = 0;
    while (taken.size() < 100 || s.under_way()) {
      const auto before = taken.size() + to.size() + fro.size();
      if (again && resend == s.next()) again = false;
      if (again)
        put(to, resend++);
      else if (s.open() && s.next() < 100)
        put(to, s.take());
      if (!to.empty() && random.chance(1, 2)) {
        const std::uint32_t number = to.front();
        to.pop_front();
        const Came came = r.came(number);
        if (came == Came::next) taken.push_back(number);
        if (came != Came::next || r.owed() >= every) {
          put(fro, r.expected());
          r.told();
        }
      }
      if (!fro.empty() && random.chance(1, 2)) {
        s.acknowledged(fro.front());
        fro.pop_front();
        if (again && protocols::behind(resend, s.oldest()) > 0) resend = s.oldest();
      }
      // The timer, when nothing moves.
      idle = before == taken.size() + to.size() + fro.size() && to.empty() && fro.empty() ? idle + 1 : 0;
      if (idle < 5 || !s.under_way()) continue;
      again = true;
      resend = s.oldest();
      idle = 0;
    }
    REQUIRE(taken.size() == 100);
    for (std::uint32_t i = 0; i < 100; ++i) CHECK(taken[i] == i);
  }
}

}  // namespace go_back_n_test
