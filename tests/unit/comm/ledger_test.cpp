// SPDX-License-Identifier: Apache-2.0
// What a ledger knows of bytes: values that are named or combined, and who is in them.
#include "comm/world/ledger.hpp"

#include <random>
#include <string>
#include <vector>

#include "comm/world/values.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace ledger_test {

using namespace tsunagi;
using comm::Buffer;
using comm::Ledger;
using comm::Values;

namespace {

Buffer area(Bytes offset, Bytes size, std::string place = {}) { return {offset, size, std::move(place), {}}; }

/// The sum of these names, from left to right.
Values::Number sum(Values& v, const std::vector<std::string>& names) {
  Values::Number out = v.named(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) out = v.combined(out, v.named(names[i]));
  return out;
}

}  // namespace

TEST_CASE("equal values have one number, and a text that says how they were combined") {
  Values v;
  const auto a = v.named("0");
  const auto b = v.named("1");
  CHECK(v.named("0") == a);
  CHECK(a != b);
  CHECK(v.combined(a, b) == v.combined(a, b));
  CHECK(v.combined(a, b) != v.combined(b, a));
  CHECK(v.text(Values::nothing) == "nothing known");
  CHECK(v.text(v.combined(v.combined(a, b), v.combined(v.named("a sum"), a))) == "((0+1)+(a sum+0))");
  CHECK(v.is(v.combined(a, b), "(0+1)"));
  CHECK(!v.is(v.combined(a, b), "(1+0)"));
  CHECK(!v.is(a, "(0+1)"));
  CHECK(v.is(a, "0"));
}

TEST_CASE("a value that doubles again and again is as many numbers, and its text is no longer than one reads") {
  Values v;
  Values::Number n = v.named("0");
  for (int i = 0; i < 5; ++i) n = v.combined(n, n);
  CHECK(v.text(n).size() == 32 * 4 - 3);  // a digit, a plus and two brackets a term
  for (int i = 5; i < 40; ++i) n = v.combined(n, n);
  CHECK(v.text(n) == "(a combination of 4294967295 terms)");
  CHECK(!v.everybody_once(n, 1024));
  CHECK(!v.is(n, "0"));
}

TEST_CASE("everybody once: no term missing, none twice, no other one, in whatever order") {
  Values v;
  CHECK(v.everybody_once(sum(v, {"0"}), 1));
  CHECK(v.everybody_once(sum(v, {"0", "1", "2"}), 3));
  CHECK(v.everybody_once(sum(v, {"2", "0", "1"}), 3));
  CHECK(v.everybody_once(v.combined(sum(v, {"3", "1"}), sum(v, {"0", "2"})), 4));
  CHECK(!v.everybody_once(Values::nothing, 1));
  CHECK(!v.everybody_once(sum(v, {"0", "1"}), 3));
  CHECK(!v.everybody_once(sum(v, {"0", "1", "2"}), 2));
  CHECK(!v.everybody_once(sum(v, {"0", "1", "1"}), 3));
  CHECK(!v.everybody_once(sum(v, {"0", "1", "3"}), 3));
  CHECK(!v.everybody_once(sum(v, {"0", "1", "2", "2"}), 3));
  CHECK(!v.everybody_once(sum(v, {"0", "1", "2", "2"}), 4));
  CHECK(!v.everybody_once(sum(v, {"0", "what was there before"}), 2));
  CHECK(!v.everybody_once(sum(v, {"0", "01"}), 2));
  CHECK(!v.everybody_once(sum(v, {"2", "2", "0", "1"}), 4));
  CHECK(!v.everybody_once(sum(v, {"", "1"}), 2));
  CHECK(!v.everybody_once(sum(v, {"1", "2"}), 2));
  CHECK(!v.everybody_once(sum(v, {"0", "18446744073709551617"}), 2));
}

// As deep as a ring's or a chain's sum: programs have stacks of 64 KiB.
TEST_CASE("a sum of a hundred thousand ranks is looked through, whichever way it leans") {
  constexpr int ranks = 100'000;
  for (const bool to_the_left : {true, false}) {
    Values v;
    Values::Number n = v.named("0");
    for (int i = 1; i < ranks; ++i)
      n = to_the_left ? v.combined(n, v.named(std::to_string(i))) : v.combined(v.named(std::to_string(i)), n);
    CHECK(v.everybody_once(n, ranks));
    CHECK(!v.everybody_once(v.combined(n, v.named("0")), ranks));
    CHECK(!v.everybody_once(v.combined(n, v.named("0")), ranks + 1));
    CHECK(v.text(n).size() > 5 * ranks);
  }
}

TEST_CASE("a ledger combines the same bytes of two values, and no others") {
  Ledger l;
  l.fill(0, area(0_B, 100_B), "0");
  l.fill(0, area(200_B, 100_B), "1");
  l.fill(0, area(400_B, 100_B), "1", 50_B);
  l.combine(0, area(0_B, 50_B), l.read(0, area(0_B, 50_B)), l.read(0, area(200_B, 50_B)));
  CHECK(l.text(l.read(0, area(0_B, 100_B))) == "(0+1)[0, 50), 0[50, 100)");
  CHECK(l.everybody_once(l.read(0, area(0_B, 50_B)).front(), 2));
  l.expect(0, area(10_B, 20_B), "(0+1)", 10_B, "test");
  CHECK(l.value(0, area(10_B, 20_B), 10_B) == "(0+1)");
  CHECK_THROWS_WITH(l.combine(0, area(0_B, 50_B), l.read(0, area(50_B, 50_B)), l.read(0, area(200_B, 50_B))),
                    "rank 0 combines different elements: 0[50, 100) with 1[0, 50)");
  CHECK_THROWS_WITH(l.combine(0, area(0_B, 50_B), l.read(0, area(0_B, 50_B)), l.read(0, area(600_B, 50_B))),
                    "rank 0 combines (0+1)[0, 50) with nothing known[0, 50)");
  l.combine(0, area(50_B, 50_B), l.read(0, area(50_B, 50_B)), l.read(0, area(400_B, 50_B)));
  CHECK(l.text(l.read(0, area(0_B, 100_B))) == "(0+1)[0, 100)");
}

TEST_CASE("who expects something else is told what there is") {
  Ledger l;
  l.fill(0, area(0_B, 100_B), "0");
  l.fill(0, area(40_B, 10_B), "1");
  CHECK_NOTHROW(l.expect(0, area(0_B, 40_B), "0", 0_B, "test"));
  CHECK_NOTHROW(l.expect(0, area(0_B, 0_B), "7", 0_B, "test"));
  CHECK_THROWS_WITH(l.expect(0, area(0_B, 41_B), "0", 0_B, "test"),
                    "test: rank 0 should have 0[0, 41) at 0, but has 0[0, 40), 1[0, 1)");
  CHECK_THROWS_WITH(l.expect(0, area(0_B, 40_B), "0", 1_B, "test"),
                    "test: rank 0 should have 0[1, 41) at 0, but has 0[0, 40)");
  CHECK_THROWS_WITH(l.expect(0, area(0_B, 40_B), "1", 0_B, "test"),
                    "test: rank 0 should have 1[0, 40) at 0, but has 0[0, 40)");
  CHECK_THROWS_WITH(l.expect(0, area(90_B, 20_B), "0", 90_B, "test"),
                    "test: rank 0 should have 0[90, 110) at 90, but has 0[90, 100), nothing known[0, 10)");
  CHECK_THROWS_WITH(l.expect(0, {10_B, 30_B, {}, {}, {}, 10_B, 16_B}, "0", 10_B, "test"),
                    "test: rank 0 should have 0[10, 40) at 10, but has 0[10, 20), 0[26, 36), 1[2, 10), 0[50, 52)");
  l.fill(2, area(50_B, 10_B), "2");
  CHECK_THROWS_WITH(l.expect(2, area(40_B, 10_B), "2", 0_B, "test"),
                    "test: rank 2 should have 2[0, 10) at 40, but has nothing known[0, 10)");
  CHECK_THROWS_WITH(l.expect(1, area(0_B, 40_B), "0", 0_B, "test"),
                    "test: rank 1 should have 0[0, 40) at 0, but has nothing known[0, 40)");
}

TEST_CASE("places of a rank are apart, but for host memory, which has two names") {
  Ledger l;
  l.fill(0, area(0_B, 10_B), "in the host");
  l.fill(0, area(0_B, 10_B, "gpu0"), "in the GPU");
  l.fill(1, area(0_B, 10_B, "host"), "in another");
  l.expect(0, area(0_B, 10_B, "host"), "in the host", 0_B, "test");
  l.expect(0, area(0_B, 10_B, "gpu0"), "in the GPU", 0_B, "test");
  l.expect(1, area(0_B, 10_B), "in another", 0_B, "test");
  CHECK(l.text(l.read(0, area(0_B, 10_B, "gpu1"))) == "nothing known[0, 10)");
}

// Byte by byte in a plain array: what a ledger must know after any writes, copies and sums.
TEST_CASE("a ledger knows of each byte what an array of bytes knows") {
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    constexpr int size = 120;
    struct Byte {
      std::string value = "nothing known";
      int offset = 0;
    };
    std::vector<Byte> memory(size);
    Ledger l;
    const auto at = [](int from, int n) { return area(Bytes(from), Bytes(n)); };
    for (int step = 0; step < 60; ++step) {
      const int n = 1 + below(below(3) == 0 ? 60 : 8);
      const int to = below(size - n + 1);
      const int from = below(size - n + 1);
      const int what = below(4);
      if (what == 0) {
        const std::string name = std::to_string(below(5));
        const int offset = below(3) * 10;
        l.fill(0, at(to, n), name, Bytes(offset));
        for (int i = 0; i < n; ++i) memory[static_cast<std::size_t>(to + i)] = {name, offset + i};
      } else if (what == 1) {
        l.write(0, at(to, n), l.read(0, at(from, n)));
        const std::vector<Byte> copy(memory.begin() + from, memory.begin() + from + n);
        std::copy(copy.begin(), copy.end(), memory.begin() + to);
      } else if (what == 2) {
        std::vector<Byte> result;
        bool fits = true;
        for (int i = 0; i < n; ++i) {
          const Byte& a = memory[static_cast<std::size_t>(to + i)];
          const Byte& b = memory[static_cast<std::size_t>(from + i)];
          fits = fits && a.value != "nothing known" && b.value != "nothing known" && a.offset == b.offset &&
                 a.value.size() + b.value.size() < 200;
          result.push_back({"(" + a.value + "+" + b.value + ")", a.offset});
        }
        if (!fits) continue;
        l.combine(0, at(to, n), l.read(0, at(to, n)), l.read(0, at(from, n)));
        std::copy(result.begin(), result.end(), memory.begin() + to);
      } else {
        // A piece ends where the next byte is another one.
        std::string expected;
        for (int i = to; i < to + n;) {
          int end = i + 1;
          const Byte& b = memory[static_cast<std::size_t>(i)];
          const auto goes_on = [&](const Byte& next) {
            return next.value == b.value && (b.value == "nothing known" || next.offset == b.offset + end - i);
          };
          while (end < to + n && goes_on(memory[static_cast<std::size_t>(end)])) ++end;
          const int first = b.value == "nothing known" ? 0 : b.offset;
          expected += (expected.empty() ? "" : ", ") + b.value + "[" + std::to_string(first) + ", " +
                      std::to_string(first + end - i) + ")";
          i = end;
        }
        INFO("seed " << seed << ", step " << step);
        REQUIRE(l.text(l.read(0, at(to, n))) == expected);
      }
    }
  }
}

}  // namespace ledger_test
