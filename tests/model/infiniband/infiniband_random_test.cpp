// SPDX-License-Identifier: Apache-2.0
// Random cards, slots, cables and traffic: nothing hangs, nothing is lost, doubled or told too early, and trains
// change no time.
// TSUNAGI_MACHINES=n runs n of them; TSUNAGI_SEED=s runs only that one.
#include <functional>

#include "model/infiniband/random_hca.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"

namespace infiniband_random_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// What went wrong, else a digest of all that memories saw.
std::string outcome(const std::function<RandomHca(std::uint64_t)>& draw, std::uint64_t seed, int max_train) {
  std::string findings;
  for (;;) {
    const std::string text = in_child([&] {
      RandomHca r = draw(seed);
      r.traffic.max_train = max_train;
      r.traffic.findings = findings;
      HcaTraffic t(r.parts, r.traffic);
      std::string wrong;
      try {
        wrong = t.run(1000_s);
      } catch (const std::exception& e) {
        wrong = e.what();
      } catch (...) {  // of a wrong foresight
        wrong = "stopped";
      }
      if (const std::string found = t.bench().findings(); !found.empty()) return "again " + found;
      if (!wrong.empty()) return "wrong " + wrong;
      const std::string all = extents_text(t.bench().memory(0)) + extents_text(t.bench().memory(1));
      return std::to_string(std::hash<std::string>{}(all));
    });
    if (text.substr(0, 6) != "again ") return text;
    REQUIRE(findings != text.substr(6));
    findings = text.substr(6);
  }
}

void expect_promises_kept(const std::function<RandomHca(std::uint64_t)>& draw) {
  const std::int64_t only = from_environment("TSUNAGI_SEED", 0);
  const std::int64_t last = only != 0 ? only : from_environment("TSUNAGI_MACHINES", 12);
  for (std::int64_t seed = only != 0 ? only : 1; seed <= last; ++seed) {
    INFO("seed " << seed);
    const std::string alone = outcome(draw, static_cast<std::uint64_t>(seed), 1);
    INFO(alone);
    CHECK(alone.find("wrong") == std::string::npos);
    CHECK(outcome(draw, static_cast<std::uint64_t>(seed), 64) == alone);
  }
}

}  // namespace

TEST_CASE("cards of any kind do what a reliable connection promises, in trains as packet by packet") {
  expect_promises_kept(random_hca);
}

TEST_CASE("cards with firmware on processors do the same") { expect_promises_kept(random_firmware_hca); }

}  // namespace infiniband_random_test
