// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <string>
#include <string_view>

#include "comm/accounts.hpp"
#include "comm/steps.hpp"
#include "support/catch.hpp"

namespace comm_accounts_test {

using namespace tsunagi;
using comm::Accounts;
using comm::Copier;

namespace {

/// A clock that steps move.
class Clockwork final : public Fiber {
 public:
  std::string_view name() const override { return "clockwork"; }
  Time now() const override { return now_; }
  void wait_until(Time t) override { now_ = t; }

 private:
  void suspend() override {}
  void suspend_until(Time t) override { now_ = t; }
  void wake() override {}

  Time now_;
};

}  // namespace

TEST_CASE("each step adds a call and what it took to its name") {
  Accounts a;
  CHECK(a.steps().empty());
  const comm::Steps step(a);
  Clockwork f;
  for (const Time t : {30_ns, 10_ns, 20_ns}) step(f, 0, "poll", [&] { f.wait_for(t); });
  step(f, 1, "copy", [&] { f.wait_for(5_ns); });
  step(f, 1, "nothing", [] {});
  const auto steps = a.steps();
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].name == std::string("copy"));
  CHECK(steps[0].calls == 1);
  CHECK(steps[0].total == 5_ns);
  CHECK(steps[1].name == std::string("nothing"));
  CHECK(steps[1].calls == 1);
  CHECK(steps[1].total == 0_ns);
  CHECK(steps[2].name == std::string("poll"));
  CHECK(steps[2].calls == 3);
  CHECK(steps[2].total == 60_ns);
}

TEST_CASE("a name is its text wherever it lies") {
  Accounts a;
  const char here[] = "poll";
  const char there[] = "poll";
  REQUIRE(static_cast<const void*>(here) != there);
  a.step(here, 1_ns);
  a.step(there, 2_ns);
  REQUIRE(a.steps().size() == 1);
  CHECK(a.steps()[0].calls == 2);
  CHECK(a.steps()[0].total == 3_ns);
}

TEST_CASE("more names than there were places for are all kept") {
  Accounts a;
  std::deque<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("step " + std::to_string(1000 + i));
  for (int round = 1; round <= 3; ++round)
    for (int i = 0; i < 1000; ++i) a.step(names[static_cast<std::size_t>(i)].c_str(), Time::from_fs(i * round));
  const auto steps = a.steps();
  REQUIRE(steps.size() == 1000);
  for (int i = 0; i < 1000; ++i) {
    CHECK(steps[static_cast<std::size_t>(i)].name == names[static_cast<std::size_t>(i)]);
    CHECK(steps[static_cast<std::size_t>(i)].calls == 3);
    CHECK(steps[static_cast<std::size_t>(i)].total == Time::from_fs(6 * i));
  }
}

TEST_CASE("a total stays at the longest time that there is") {
  Accounts a;
  for (int i = 0; i < 3; ++i) a.step("long", Time::max());
  CHECK(a.steps()[0].calls == 3);
  CHECK(a.steps()[0].total == Time::max());
}

TEST_CASE("messages and copies are counted with their bytes, and a part of a copy is no copy more") {
  Accounts a;
  a.sent(100_B);
  a.sent(30_B, 3);
  a.copied(Copier::core, 100_B);
  a.copied(Copier::dma, 20_B);
  a.copied(Copier::dma, 10_B, 0);
  a.copied(Copier::dma, 50_B, 2);
  a.copied(Copier::core, 0_B);
  CHECK(a.messages() == 4);
  CHECK(a.payload() == 130_B);
  CHECK(a.copies(Copier::core).copies == 1);
  CHECK(a.copies(Copier::core).bytes == 100_B);
  CHECK(a.copies(Copier::dma).copies == 3);
  CHECK(a.copies(Copier::dma).bytes == 80_B);
}

}  // namespace comm_accounts_test
