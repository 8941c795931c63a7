// SPDX-License-Identifier: Apache-2.0
#include "fit/estimate.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace tsunagi::fit {
namespace {

constexpr double least_deviation = 1e-5;  // of simulated values, which are rounded to clocks
constexpr double wide = 0.5;              // half of a range

Eigen::MatrixXd matrix_of(const Jacobian& jacobian) {
  const auto rows = static_cast<Eigen::Index>(jacobian.size());
  const auto columns = static_cast<Eigen::Index>(jacobian.front().size());
  Eigen::MatrixXd out(rows, columns);
  for (Eigen::Index row = 0; row < rows; ++row)
    for (Eigen::Index column = 0; column < columns; ++column)
      out(row, column) = jacobian[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  return out;
}

}  // namespace

Estimate estimate(const Jacobian& jacobian, const Residuals& residuals) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix_of(jacobian), Eigen::ComputeThinU | Eigen::ComputeFullV);
  const auto parameters = svd.matrixV().cols();
  const double freedom = std::max(1.0, static_cast<double>(residuals.size()) - static_cast<double>(parameters));
  const double deviation = std::max(least_deviation, std::sqrt(sum_of_squares(residuals) / freedom));
  // Without promotion to long double, whose static initialisers valgrind, which has 64 bits for it, does not survive.
  using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const double t = boost::math::quantile(boost::math::students_t_distribution<double, Plain>(freedom), 0.975);

  Estimate out;
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(parameters);
  for (Eigen::Index k = parameters - 1; k >= 0; --k) {
    const double strength = k < svd.singularValues().size() ? svd.singularValues()(k) : 0;
    const double half = strength * wide > t * deviation ? t * deviation / strength : 1;
    const Eigen::VectorXd direction = svd.matrixV().col(k);
    squares += half * half * direction.cwiseAbs2();
    if (half == 1) out.untold.emplace_back(direction.data(), direction.data() + parameters);
  }
  for (Eigen::Index i = 0; i < parameters; ++i) out.half_widths.push_back(std::min(1.0, std::sqrt(squares(i))));
  return out;
}

}  // namespace tsunagi::fit
