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
      offer_(at(inputs)) {}

void Islip::request(int input, int output, Urgency urgency) {
  std::vector<Request>& all = requests_[at(output)];
  if (all.empty()) asked_.push_back(output);
  all.push_back({input, urgency});
}

const Islip::Request* Islip::next_request(int output) const {
  const int inputs = static_cast<int>(first_output_.size());
  const Request* best = nullptr;
  int nearest = inputs;
  for (const Request& r : requests_[at(output)]) {
    if (input_matched_[at(r.input)]) continue;
    const int distance = steps(first_input_[at(output)], r.input, inputs);
    if (best != nullptr && !r.urgency.before(best->urgency) && (best->urgency.before(r.urgency) || distance >= nearest))
      continue;
    nearest = distance;
    best = &r;
  }
  return best;
}

void Islip::grant() {
  const int outputs = static_cast<int>(first_input_.size());
  for (const int output : asked_) {
    if (output_matched_[at(output)]) continue;
    const Request* r = next_request(output);
    if (r == nullptr) continue;
    Offer& offer = offer_[at(r->input)];
    if (offer.output == none) offered_.push_back(r->input);
    const int first = first_output_[at(r->input)];
    const bool sooner = offer.output == none || steps(first, output, outputs) < steps(first, offer.output, outputs);
    if (offer.output == none || r->urgency.before(offer.urgency) || (sooner && !offer.urgency.before(r->urgency)))
      offer = {output, r->urgency};
  }
}

void Islip::accept(bool first_iteration) {
  for (const int input : offered_) {
    const int output = offer_[at(input)].output;
    offer_[at(input)] = {};
    input_matched_[at(input)] = true;
    output_matched_[at(output)] = true;
    matches_.push_back({input, output});
    if (!first_iteration) continue;
    first_input_[at(output)] = (input + 1) % static_cast<int>(first_output_.size());
    first_output_[at(input)] = (output + 1) % static_cast<int>(first_input_.size());
  }
  offered_.clear();
}

const std::vector<Allocator::Match>& Islip::match() {
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
