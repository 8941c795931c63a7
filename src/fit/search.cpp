// SPDX-License-Identifier: Apache-2.0
#include "fit/search.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <nlopt.hpp>

namespace tsunagi::fit {
namespace {

constexpr double first_step = 0.15;  // of a range
constexpr double last_step = 1e-3;

/// What NLopt calls, and the best of what it asked for.
class Objective {
 public:
  Objective(nlopt::opt& optimiser, const std::function<Residuals(const Shares&)>& residuals, Found& best)
      : optimiser_(optimiser), residuals_(residuals), best_(best) {}

  static double call(const std::vector<double>& at, std::vector<double>& /*gradient*/, void* self) {
    return static_cast<Objective*>(self)->value(at);
  }
  /// What was thrown, which does not pass through a C library.
  std::exception_ptr thrown() const { return thrown_; }

 private:
  double value(const Shares& at) {
    constexpr double nothing = std::numeric_limits<double>::max();
    Residuals here;
    try {
      here = residuals_(at);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    if (here.empty()) {
      optimiser_.force_stop();
      return nothing;
    }
    ++best_.evaluations;
    const double sum = sum_of_squares(here);
    if (best_.residuals.empty() || sum < sum_of_squares(best_.residuals)) {
      best_.at = at;
      best_.residuals = std::move(here);
    }
    return sum;
  }

  nlopt::opt& optimiser_;
  const std::function<Residuals(const Shares&)>& residuals_;
  Found& best_;
  std::exception_ptr thrown_;
};

}  // namespace

double sum_of_squares(const Residuals& residuals) {
  double sum = 0;
  for (const double r : residuals) sum += r * r;
  return sum;
}

Found search(const Shares& start, int most, const std::function<Residuals(const Shares&)>& residuals) {
  Found found{start, {}};
  nlopt::opt optimiser(start.size() == 1 ? nlopt::LN_COBYLA : nlopt::LN_BOBYQA, static_cast<unsigned>(start.size()));
  Objective objective(optimiser, residuals, found);
  optimiser.set_min_objective(Objective::call, &objective);
  optimiser.set_lower_bounds(0.0);
  optimiser.set_upper_bounds(1.0);
  optimiser.set_initial_step(first_step);
  optimiser.set_xtol_abs(last_step);
  optimiser.set_maxeval(std::max(1, most));
  std::vector<double> at = start;
  double least = 0;
  try {
    const nlopt::result result = optimiser.optimize(at, least);
    found.converged = result != nlopt::MAXEVAL_REACHED;
  } catch (const nlopt::forced_stop&) {
    found.converged = false;
  } catch (const nlopt::roundoff_limited&) {
    found.converged = true;  // there is nothing smaller than what was found
  }
  if (objective.thrown()) std::rethrow_exception(objective.thrown());
  return found;
}

}  // namespace tsunagi::fit
