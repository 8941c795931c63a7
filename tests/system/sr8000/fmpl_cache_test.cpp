// SPDX-License-Identifier: Apache-2.0
// What FMPL's calls find in their processor's cache when many receives have been posted in advance.
#include <string>

#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace fmpl_cache_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const std::string core = "/machine/topology/node/devices/core0/";

constexpr Time visit = 40_ns;  // of a polling loop: a multiple of all clocks, so that nothing else changes

runner::Outcome posted(const Overrides& set, int receives) {
  Overrides all = {{"/scenario/outstanding", std::to_string(receives)}, {"/scenario/warm_up", "0"}};
  all.insert(all.end(), set.begin(), set.end());
  return simulated(run_of("fmpl_posted_receives", all));
}

/// Time in steps of that name, of both ranks, with what is set.
Time total(const std::string& step, const Overrides& set, int receives) {
  const runner::Outcome o = posted(set, receives);
  for (const report::StepAccount& s : o.rows.accounts->steps)
    if (s.step == step) return s.total;
  FAIL("no step " + step);
  return {};
}

/// How much longer `time` is when what `key` says takes a visit more.
template <class F>
Time more(const std::string& key, const Overrides& set, F&& time) {
  const auto with = [&](const std::string& value) {
    Overrides all = set;
    all.push_back({core + key, value});
    return time(all);
  };
  return with("\"340 ns\"") - with("\"300 ns\"");
}

/// How often the steps of that name wait for what `key` says.
std::int64_t count(const std::string& key, const std::string& step, int receives, const Overrides& set = {}) {
  const Time longer = more(key, set, [&](const Overrides& all) { return total(step, all, receives); });
  CHECK(longer.fs() % visit.fs() == 0);
  return longer / visit;
}

std::int64_t misses(const std::string& step, int receives, const Overrides& set = {}) {
  return count("line_cache/miss", step, receives, set);
}

/// How often all that a message takes does.
std::int64_t on_the_way(const std::string& key, int receives, const Overrides& set = {}) {
  const Time longer = more(
      key, set, [&](const Overrides& all) { return cell<Time>(posted(all, receives).rows.rows.front(), "latency"); });
  return longer * (2 * receives) / visit;
}

constexpr int n = 128;
constexpr int pair = 2;  // ranks

/// 32 lines in 4 sets.
const Overrides small = {{core + "line_cache/size", "\"4 KiB\""}, {core + "line_cache/ways", "8"}};

}  // namespace

// Records and transfer control words have 64 B, half a line.
TEST_CASE("fmpl: posted receives and their sends fetch each line once into a cache that holds all") {
  CHECK(misses("initial processing (recv)", n) == pair * n / 2);
  CHECK(misses("initial processing (send)", n) == 0);
  CHECK(misses("data send", n) == pair * n / 2);
  CHECK(on_the_way("line_cache/miss", n) == pair * n / 2);
  CHECK(total("initial processing (recv)", {}, n) == ((500_ns + 300_ns) + (500_ns + 8_ns)) * (pair * n / 2));
  CHECK(total("initial processing (send)", {}, n) == (500_ns + 8_ns) * (pair * n));
}

// Rank 0 sends before it receives by a slot, rank 1 the other way round.
TEST_CASE("fmpl: records of more posted receives than the cache has lines are fetched again") {
  CHECK(misses("initial processing (recv)", n, small) == pair * n / 2);
  CHECK(misses("initial processing (send)", n, small) == n / 2);
  CHECK(misses("data send", n, small) == pair * n / 2);
  CHECK(on_the_way("line_cache/miss", n, small) == n / 2 + pair * n / 2 + n / 2);
}

// Headers have 32 B, four a line. All have arrived before the first send; each flag comes when its line is there.
TEST_CASE("fmpl: of headers that lie in one line the first is fetched, of flags each") {
  CHECK(count("poll_detect", "header reception", n) == pair * n / 4);
  CHECK(on_the_way("poll_detect", n) == pair * n / 4 + pair * n);
  CHECK(misses("header reception", n) == 0);
  CHECK(total("header reception", {}, n) == (300_ns + 8_ns + (8_ns + 8_ns) * 3) * (pair * n / 4));
}

TEST_CASE("fmpl: a transfer control word that has been changed is in the cache when it is changed again") {
  CHECK(misses("data send", 1, {{"/scenario/warm_up", "3"}}) == pair);
}

}  // namespace fmpl_cache_test
