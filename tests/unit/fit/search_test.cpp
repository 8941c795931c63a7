// SPDX-License-Identifier: Apache-2.0
// Searches and estimates against problems whose answers are known in closed form.
#include "fit/search.hpp"

#include <cmath>

#include "fit/estimate.hpp"
#include "support/catch.hpp"

namespace fit_search_test {

using namespace tsunagi::fit;

namespace {

/// y = a + b x at x = 0 .. 9, with a and b as shares.
Residuals line(const Shares& at, double a, double b) {
  Residuals out;
  for (int x = 0; x < 10; ++x) out.push_back((at[0] - a) + (at[1] - b) * x);
  return out;
}

}  // namespace

TEST_CASE("fit: the least sum of squares is found, inside and at the edge of the ranges") {
  const Found inside = search({0.5, 0.5}, 500, [](const Shares& at) { return line(at, 0.3, 0.8); });
  CHECK(inside.converged);
  CHECK(inside.at[0] == Approx(0.3).margin(0.01));
  CHECK(inside.at[1] == Approx(0.8).margin(0.002));
  CHECK(sum_of_squares(inside.residuals) < 1e-3);
  const Found edge = search({0.5}, 500, [](const Shares& at) { return Residuals{at[0] + 0.2}; });
  CHECK(edge.at[0] == Approx(0).margin(1e-3));
}

TEST_CASE("fit: a search stops when it is told to, with the best so far, and passes on what is thrown") {
  int asked = 0;
  const auto three = [&](const Shares& at) { return ++asked > 3 ? Residuals{} : line(at, 0.3, 0.8); };
  const Found stopped = search({0.5, 0.5}, 500, three);
  CHECK(stopped.evaluations == 3);
  CHECK_FALSE(stopped.converged);
  CHECK_FALSE(stopped.residuals.empty());
  const Found few = search({0.5, 0.5}, 7, [](const Shares& at) { return line(at, 0.3, 0.8); });
  CHECK(few.evaluations == 7);
  CHECK_FALSE(few.converged);
  CHECK_THROWS_AS(search({0.5}, 9, [](const Shares&) -> Residuals { throw std::runtime_error("no"); }),
                  std::runtime_error);
}

TEST_CASE("fit: intervals are those of linear regression") {
  // One parameter, m measurements of it with residuals +-d: half width t(m-1) s / sqrt(m), s the sample deviation.
  const Jacobian ones(5, {1.0});
  const Residuals residuals{0.02, -0.02, 0.02, -0.02, 0.0};
  const Estimate e = estimate(ones, residuals);
  const double s = std::sqrt(4 * 0.02 * 0.02 / 4);
  CHECK(e.half_widths[0] == Approx(2.776445 * s / std::sqrt(5.0)).epsilon(1e-5));
  CHECK(e.untold.empty());
}

TEST_CASE("fit: what only shows as a sum or a difference is told as such") {
  const Jacobian sum(6, {1.0, 1.0});
  const Estimate e = estimate(sum, {0.01, -0.01, 0.01, -0.01, 0.01, -0.01});
  REQUIRE(e.untold.size() == 1);
  CHECK(std::abs(e.untold[0][0]) == Approx(std::sqrt(0.5)));
  CHECK(e.untold[0][0] == Approx(-e.untold[0][1]));
  CHECK(e.half_widths[0] > 0.5);
  // Without noise, too, and with a parameter that nothing depends on.
  const Jacobian nothing(6, {1.0, 0.0});
  const Estimate exact = estimate(nothing, Residuals(6, 0.0));
  REQUIRE(exact.untold.size() == 1);
  CHECK(std::abs(exact.untold[0][1]) == Approx(1));
  CHECK(exact.half_widths[0] < 0.01);
  CHECK(exact.half_widths[1] == 1);
}

}  // namespace fit_search_test
