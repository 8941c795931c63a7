// SPDX-License-Identifier: Apache-2.0
#include "fit/fit.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "runner/interrupt_watch.hpp"

namespace tsunagi::fit {
namespace {

constexpr int most_evaluations = 10'000;  // many of one place are free: counts are whole
constexpr double derivative_step = 0.02;  // of a range; at least 1 of a count

/// Simulates places, each once, within a number of runs.
class Simulations {
 public:
  Simulations(const Problem& problem, std::size_t most, const runner::Simulate& simulate,
              const runner::Options& options)
      : problem_(problem), most_(most), simulate_(simulate), options_(options) {}

  /// So many runs are for later.
  void keep_back(std::size_t runs) { kept_back_ = runs; }
  /// Null if there are no runs left for it, or they were interrupted.
  const Simulated* at(const Shares& place) {
    const Shares key = problem_.sayable(place);
    if (const auto known = known_.find(key); known != known_.end()) return &known->second;
    if (interrupted()) return nullptr;
    if (!known_.empty() && runs_ + problem_.runs() + kept_back_ > most_) return nullptr;
    auto simulated = problem_.simulate({key}, simulate_, options_);
    if (!simulated) {
      interrupted_ = true;
      return nullptr;
    }
    runs_ += problem_.runs();
    return &known_.emplace(key, std::move(simulated->front())).first->second;
  }
  /// Simulates those that are not known, all at once.
  void prepare(const std::vector<Shares>& places) {
    std::vector<Shares> fresh;
    for (const Shares& place : places)
      if (known_.count(problem_.sayable(place)) == 0) fresh.push_back(problem_.sayable(place));
    if (interrupted() || fresh.empty() || runs_ + fresh.size() * problem_.runs() + kept_back_ > most_) return;
    auto simulated = problem_.simulate(fresh, simulate_, options_);
    interrupted_ = !simulated;
    if (!simulated) return;
    runs_ += fresh.size() * problem_.runs();
    for (std::size_t i = 0; i < fresh.size(); ++i) known_.emplace(fresh[i], std::move((*simulated)[i]));
  }

  std::size_t runs() const { return runs_; }
  /// Whether it was, until now: between two runs too.
  bool interrupted() {
    interrupted_ = watch_.take() || interrupted_;
    return interrupted_;
  }

 private:
  const Problem& problem_;
  std::size_t most_;
  const runner::Simulate& simulate_;
  const runner::Options& options_;
  std::map<Shares, Simulated> known_;
  std::size_t runs_ = 0;
  std::size_t kept_back_ = 0;
  bool interrupted_ = false;
  runner::InterruptWatch watch_;
};

/// The best of a place and those that differ from it in one count by 1, as long as there is a better one: steps of
/// counts are stairs, on which a search may rest too early.
Shares among_counts(const Problem& problem, Shares best, Simulations& simulations) {
  const auto sum = [&](const Shares& at) {
    const Simulated* simulated = simulations.at(at);
    return simulated == nullptr ? std::numeric_limits<double>::infinity()
                                : sum_of_squares(problem.residuals(*simulated));
  };
  for (Shares from; from != best;) {
    from = best;
    std::vector<Shares> there;
    for (std::size_t i = 0; i < best.size(); ++i)
      for (const double way : {-1.0, 1.0}) {
        const Parameter& p = problem.parameters()[i];
        if (!p.whole) continue;
        there.push_back(best);
        there.back()[i] += way / (p.high.value - p.low.value);
        there.back() = problem.sayable(there.back());
      }
    simulations.prepare(there);
    for (const Shares& at : there)
      if (sum(at) < sum(best)) best = at;
  }
  return best;
}

/// For each parameter a place a step away, inwards.
std::vector<Shares> neighbours(const Problem& problem, const Shares& at) {
  std::vector<Shares> out;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Parameter& p = problem.parameters()[i];
    const double one = 1 / (p.high.value - p.low.value);
    const double step = p.whole ? std::max(derivative_step, one) : derivative_step;
    Shares there = at;
    there[i] += at[i] + step <= 1 ? step : -step;
    out.push_back(problem.sayable(there));
  }
  return out;
}

std::optional<Estimate> estimate_at(const Problem& problem, const Shares& at, Simulations& simulations) {
  const std::vector<Shares> there = neighbours(problem, at);
  simulations.prepare(there);
  const Residuals here = problem.residuals(*simulations.at(at));
  Jacobian jacobian(here.size(), std::vector<double>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Simulated* simulated = simulations.at(there[i]);
    if (simulated == nullptr) return std::nullopt;
    const Residuals residuals = problem.residuals(*simulated);
    for (std::size_t r = 0; r < here.size(); ++r) jacobian[r][i] = (residuals[r] - here[r]) / (there[i][i] - at[i]);
  }
  return estimate(jacobian, here);
}

}  // namespace

std::optional<Fit> fit(const Problem& problem, std::size_t most_runs, const runner::Simulate& simulate,
                       const runner::Options& options) {
  Simulations simulations(problem, most_runs, simulate, options);
  const Simulated* first = simulations.at(problem.start());
  if (first == nullptr) return std::nullopt;
  Fit out;
  out.before = *first;
  simulations.keep_back(problem.parameters().size() * problem.runs());  // what the look at its end takes
  const Found found = search(problem.start(), most_evaluations, [&](const Shares& at) {
    const Simulated* simulated = simulations.at(at);
    return simulated == nullptr ? Residuals{} : problem.residuals(*simulated);
  });
  out.at = among_counts(problem, problem.sayable(found.at), simulations);
  simulations.keep_back(0);
  out.after = *simulations.at(out.at);
  if (!simulations.interrupted()) out.estimate = estimate_at(problem, out.at, simulations);
  out.ending = simulations.interrupted() ? Ending::interrupted : found.converged ? Ending::found : Ending::out_of_runs;
  out.runs = simulations.runs();
  return out;
}

}  // namespace tsunagi::fit
