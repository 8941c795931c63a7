// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "trace/selection.hpp"

namespace trace_selection_test {

using namespace tsunagi;
using trace::Selection;

TEST_CASE("trace: nothing chosen means everything") {
  for (const char* patterns : {"", " ", ",", " , "}) {
    const Selection all{patterns};
    CHECK(all.place("node0.peach2"));
    CHECK(all.place(""));
    CHECK(all.time(0_fs, 0_fs));
    CHECK(all.time(1_s, Time::max()));
  }
}

TEST_CASE("trace: patterns match whole names") {
  const auto matches = [](const char* pattern, const char* name) { return Selection(pattern).place(name); };
  CHECK(matches("node0.peach2", "node0.peach2"));
  CHECK_FALSE(matches("node0", "node0.peach2"));
  CHECK_FALSE(matches("peach2", "node0.peach2"));
  CHECK_FALSE(matches("NODE0", "node0"));
  CHECK(matches("node?.peach2", "node7.peach2"));
  CHECK_FALSE(matches("node?.peach2", "node12.peach2"));
  CHECK(matches("*.peach2*", "node0.peach2.e > node1.peach2.w"));
  CHECK(matches("node0.* > node1.*", "node0.peach2.e > node1.peach2.w"));
  CHECK_FALSE(matches("node0.* > node1.*", "node1.peach2.e > node0.peach2.w"));
  CHECK(matches("*a*b*", "xaxaxbx"));
  CHECK_FALSE(matches("*ab", "abx"));
  CHECK(matches("*ab", "aab"));
  CHECK(matches("*", ""));
  CHECK(matches("a**", "a"));
  CHECK_FALSE(matches("?", ""));
  CHECK(matches("[a]", "[a]"));
}

TEST_CASE("trace: any of several patterns will do") {
  const Selection some{"node0.*, rank ?,"};
  CHECK(some.place("node0.cpu"));
  CHECK(some.place("rank 3"));
  CHECK_FALSE(some.place("rank 13"));
  CHECK_FALSE(some.place(""));
}

TEST_CASE("trace: a window takes what it has a point in common with") {
  const Selection window{"", 10_ns, 20_ns};
  CHECK_FALSE(window.time(0_ns, 9_ns));
  CHECK(window.time(0_ns, 10_ns));
  CHECK(window.time(12_ns, 13_ns));
  CHECK(window.time(0_ns, 1_us));
  CHECK(window.time(20_ns, 30_ns));
  CHECK_FALSE(window.time(21_ns, 30_ns));
  CHECK_THROWS_WITH(Selection("", 2_ns, 1_ns), "a window from 2 ns to 1 ns is empty");
}

}  // namespace trace_selection_test
