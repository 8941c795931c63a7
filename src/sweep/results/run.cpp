// SPDX-License-Identifier: Apache-2.0
#include "sweep/results/run.hpp"

#include <unordered_set>
#include <utility>

#include "runner/stream.hpp"

namespace tsunagi::sweep {
namespace {

/// One sweep while it runs.
class Sweeping {
 public:
  Sweeping(const Points& points, Results& results, const Orders& orders)
      : points_(points), results_(results), orders_(orders) {
    tally_.left = points.size;
  }

  Tally run(const runner::Simulate& simulate) {
    tally_.interrupted = !runner::run_stream([this] { return next(); }, simulate, orders_.runner);
    return tally_;
  }

 private:
  std::optional<runner::Task> next() {
    if (next_ == points_.size) return std::nullopt;
    Point point = points_.at(next_++);
    if (!orders_.shard.owns(point.id))
      --tally_.left;
    else if (!begun_.insert(point.id).second)
      settle(tally_.skipped);
    else if (!is_settled(point))
      return task(std::move(point));
    return runner::Task{};
  }

  /// Whether there is a result already with which we are content, or nothing can be done about it.
  bool is_settled(const Point& point) {
    std::optional<Result> known;
    try {
      known = find(point);
    } catch (const BlockedResult& e) {
      if (orders_.complaint) orders_.complaint(e.what());
      settle(tally_.failed);
      return true;
    }
    if (!known || (!known->ok && orders_.retry_failed)) return false;
    if (!known->ok) tell_failure(point, *known);
    settle(known->ok ? tally_.skipped : tally_.failed);
    return true;
  }

  void tell_failure(const Point& point, const Result& result) const {
    if (orders_.failure) orders_.failure(point, result);
  }

  std::optional<Result> find(const Point& point) const {
    try {
      return results_.find(point.id);
    } catch (const BlockedResult&) {
      throw;
    } catch (const DamagedResult& e) {
      if (orders_.complaint) orders_.complaint(std::string(e.what()) + "; it is simulated again");
      return std::nullopt;
    }
  }

  runner::Task task(Point point) {
    runner::Task task;
    task.config = [this, point] {
      RunConfig config = points_.config(point);
      if (orders_.limit_simulated_time) config.options.limit_simulated_time = *orders_.limit_simulated_time;
      return config;
    };
    task.ended = [this, point = std::move(point)](runner::Outcome outcome) { keep(point, std::move(outcome)); };
    return task;
  }

  void keep(const Point& point, runner::Outcome outcome) {
    if (outcome.status == runner::Status::interrupted) return;
    Result result;
    result.id = point.id;
    result.ok = outcome.status == runner::Status::ok;
    result.messages = std::move(outcome.messages);
    result.coordinates = point.coordinates;
    if (result.ok) result.rows = std::move(outcome.rows);
    result.cost = outcome.cost;
    const bool is_good = !results_.keep(result) || result.ok;
    if (!is_good) tell_failure(point, result);
    settle(is_good ? tally_.done : tally_.failed);
  }

  void settle(std::size_t& count) {
    ++count;
    --tally_.left;
    if (orders_.progress) orders_.progress(tally_);
  }

  const Points& points_;
  Results& results_;
  const Orders& orders_;
  std::unordered_set<std::string> begun_;
  std::size_t next_ = 0;
  Tally tally_;
};

}  // namespace

Points points_of(const Plan& plan, const config::Kinds& kinds) {
  return {plan.size(), plan.columns(), [&plan](std::size_t i) { return plan.point(i); },
          [&plan, &kinds](const Point& point) { return config::read<RunConfig>(plan.document(point), kinds); }};
}

Tally run(const Points& points, Results& results, const runner::Simulate& simulate, const Orders& orders) {
  return Sweeping(points, results, orders).run(simulate);
}

bool MemoryResults::keep(const Result& result) {
  const auto known = results_.find(result.id);
  if (known != results_.end() && known->second.ok) return false;
  results_[result.id] = result;
  return true;
}

std::optional<Result> MemoryResults::find(const std::string& id) const {
  const auto found = results_.find(id);
  return found == results_.end() ? std::nullopt : std::optional<Result>(found->second);
}

}  // namespace tsunagi::sweep
