// SPDX-License-Identifier: Apache-2.0
#include "models/router/islip.hpp"

#include <cstddef>

namespace tsunagi::router {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Steps from `first` to `i`, round and round among `n`.
int steps(int first, int i, int n) { return i >= first ? i - first : i - first + n; }

}  // namespace

Islip::Islip(int inputs, int outputs, int iterations)
    : iterations_(iterations),
      first_input_(at(outputs), 0),
      first_output_(at(inputs), 0),
      requests_(at(outputs)),
      input_matched_(at(inputs), false),
      output_matched_(at(outputs), false),
      offer_(at(inputs), none) {}

void Islip::request(int input, int output) {
  std::vector<int>& all = requests_[at(output)];
  if (all.empty()) asked_.push_back(output);
  all.push_back(input);
}

int Islip::next_input(int output) const {
  const int inputs = static_cast<int>(first_output_.size());
  int best = none;
  int nearest = inputs;
  for (const int input : requests_[at(output)]) {
    if (input_matched_[at(input)]) continue;
    const int distance = steps(first_input_[at(output)], input, inputs);
    if (distance >= nearest) continue;
    nearest = distance;
    best = input;
  }
  return best;
}

void Islip::grant() {
  const int outputs = static_cast<int>(first_input_.size());
  for (const int output : asked_) {
    if (output_matched_[at(output)]) continue;
    const int input = next_input(output);
    if (input == none) continue;
    int& offer = offer_[at(input)];
    if (offer == none) offered_.push_back(input);
    const int first = first_output_[at(input)];
    if (offer == none || steps(first, output, outputs) < steps(first, offer, outputs)) offer = output;
  }
}

void Islip::accept(bool first_iteration) {
  for (const int input : offered_) {
    const int output = offer_[at(input)];
    offer_[at(input)] = none;
    input_matched_[at(input)] = true;
    output_matched_[at(output)] = true;
    matches_.push_back({input, output});
    if (!first_iteration) continue;
    first_input_[at(output)] = (input + 1) % static_cast<int>(first_output_.size());
    first_output_[at(input)] = (output + 1) % static_cast<int>(first_input_.size());
  }
  offered_.clear();
}

const std::vector<Islip::Match>& Islip::match() {
  matches_.clear();
  for (int i = 0; i < iterations_; ++i) {
    grant();
    if (offered_.empty()) break;
    accept(i == 0);
  }
  for (const Match& m : matches_) input_matched_[at(m.input)] = output_matched_[at(m.output)] = false;
  for (const int output : asked_) requests_[at(output)].clear();
  asked_.clear();
  return matches_;
}

}  // namespace tsunagi::router
