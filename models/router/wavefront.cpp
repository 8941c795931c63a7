// SPDX-License-Identifier: Apache-2.0
#include "models/router/wavefront.hpp"

#include <algorithm>
#include <cstddef>

namespace tsunagi::router {

Wavefront::Wavefront(int inputs, int outputs)
    : diagonals_(std::max(inputs, outputs)),
      input_matched_(static_cast<std::size_t>(inputs)),
      output_matched_(static_cast<std::size_t>(outputs)) {}

void Wavefront::request(int input, int output, Urgency urgency) {
  requests_.push_back({{input, output}, urgency, (input + output + diagonals_ - first_) % diagonals_});
}

const std::vector<Allocator::Match>& Wavefront::match() {
  matches_.clear();
  if (requests_.empty()) return matches_;
  std::sort(requests_.begin(), requests_.end(), [](const Request& a, const Request& b) {
    if (a.urgency.before(b.urgency) || b.urgency.before(a.urgency)) return a.urgency.before(b.urgency);
    return a.diagonal != b.diagonal ? a.diagonal < b.diagonal : a.cell.input < b.cell.input;
  });
  for (const Request& r : requests_) {
    const auto in = static_cast<std::size_t>(r.cell.input), out = static_cast<std::size_t>(r.cell.output);
    if (input_matched_[in] || output_matched_[out]) continue;
    input_matched_[in] = output_matched_[out] = true;
    matches_.push_back(r.cell);
  }
  for (const Match& m : matches_)
    input_matched_[static_cast<std::size_t>(m.input)] = output_matched_[static_cast<std::size_t>(m.output)] = false;
  requests_.clear();
  first_ = (first_ + 1) % diagonals_;
  return matches_;
}

}  // namespace tsunagi::router
