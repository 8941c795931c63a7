// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/plan_check.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <utility>

namespace tsunagi::sweep {
namespace {

/// A path that something sets.
struct Target {
  std::string path;
  std::string owner;  // 'axis "mps"'
  const Where* where;
  bool derived;
};

class Checker {
 public:
  explicit Checker(const BaseRun& base) : base_(base) {}

  void check(const Sweep& sweep) {
    if (sweep.dimensions.empty()) messages_.push_back({{}, "", "a sweep needs at least one axis"});
    for (const Dimension& dimension : sweep.dimensions) {
      for (const Axis& axis : dimension) check(axis);
      check_zip(dimension);
    }
    for (const Derivation& d : sweep.derive) check_path(d.path, {d.path, "a derived value", &d.where, true});
    for (const config::Override& set : sweep.set) check_set(set);
    config::throw_if_any(messages_);
  }

 private:
  void tell(const Where& where, std::string text) { messages_.push_back(where.says(std::move(text))); }

  void check(const Axis& axis) {
    if (!names_.insert(axis.name).second) tell(axis.where, fmt::format("two axes are called \"{}\"", axis.name));
    if (axis.values.empty()) tell(axis.where, fmt::format("axis \"{}\" has no values", axis.name));
    for (const std::string& path : axis.paths)
      check_path(path, {path, fmt::format("axis \"{}\"", axis.name), &axis.where, false});
  }

  void check_zip(const Dimension& zip) {
    for (const Axis& axis : zip)
      if (axis.values.size() != zip.front().values.size())
        tell(axis.where, fmt::format("a zip of unequal lengths: \"{}\" has {} values, \"{}\" has {}", zip.front().name,
                                     zip.front().values.size(), axis.name, axis.values.size()));
  }

  /// Axes may lie inside each other: a machine, and a part of it. All other overlaps would hide a value.
  void check_path(const std::string& path, const Target& target) {
    if (const std::string fault = base_.fault_of(path); !fault.empty()) return tell(*target.where, fault);
    for (const Target& other : targets_) {
      if (!is_inside(path, other.path) && !is_inside(other.path, path)) continue;
      const bool mixed = target.derived || other.derived || target.owner == other.owner;
      if ((path == other.path || mixed) && !met_.insert({id(target), id(other)}).second) continue;
      if (path == other.path)
        tell(*target.where, fmt::format("{} sets {}, which {} sets already", target.owner, path, other.owner));
      else if (mixed)
        tell(*target.where,
             fmt::format("{} sets {}, which overlaps {} of {}", target.owner, path, other.path, other.owner));
    }
    targets_.push_back(target);
  }

  static std::string id(const Target& target) { return target.where->pointer + " " + target.owner; }

  /// A value of the command line that an axis would replace is a mistake; an axis inside it is none.
  void check_set(const config::Override& set) {
    const config::Place place{
        std::make_shared<const std::string>("--set " + (set.said.empty() ? set.pointer : set.said)), 0, 0};
    for (const Target& target : targets_)
      if (is_inside(set.pointer, target.path) && met_.insert({*place.file, id(target)}).second)
        messages_.push_back(
            {place, "", fmt::format("{} sets {}; leave out one of the two", target.owner, target.path)});
  }

  const BaseRun& base_;
  std::vector<config::Message> messages_;
  std::set<std::string> names_;
  std::set<std::pair<std::string, std::string>> met_;  // who sets the same: told of their first place
  std::vector<Target> targets_;
};

}  // namespace

void check(const Sweep& sweep, const BaseRun& base) { Checker(base).check(sweep); }

}  // namespace tsunagi::sweep
