// SPDX-License-Identifier: Apache-2.0
#include "models/process/memory_plan.hpp"

#include <algorithm>

#include "units/parse.hpp"

namespace tsunagi::process {

MemoryPlan::MemoryPlan(std::uint64_t base, std::uint64_t end)
    : base_(static_cast<std::int64_t>(base)), end_(static_cast<std::int64_t>(end)), lowest_(end_) {}

Area MemoryPlan::take(const std::string& name, Bytes size, Bytes alignment) {
  lowest_ = (lowest_ - size.count()) & ~(alignment.count() - 1);
  areas_.push_back({name, lowest(), size});
  return areas_.back();
}

std::string MemoryPlan::refusal(Bytes least) const {
  if (lowest_ >= base_ && left() >= least) return {};
  std::string text = "has " + to_string(Bytes(end_ - base_)) + ", of which the driver keeps " + to_string(kept());
  for (const Area& a : areas_) text += (&a == &areas_.front() ? " (" : ", ") + a.name + " " + to_string(a.size);
  if (!areas_.empty()) text += ")";
  if (least > Bytes::zero()) text += ", but programs need " + to_string(least) + " of it";
  return text;
}

WordRow WordPlan::take(int count, Bytes each) {
  const WordRow row{unsigned_of(used_), Bytes(8 * units_of(each, 8_B))};
  used_ += row.each * count;
  return row;
}

}  // namespace tsunagi::process
