// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/router/allocator.hpp"

namespace tsunagi::router {

/// The switch allocator iSLIP (N. McKeown, "The iSLIP Scheduling Algorithm for Input-Queued Switches", IEEE/ACM
/// Transactions on Networking 7(2), 1999). Pure: no time. An iteration:
///  - every unmatched output grants to the input, among those unmatched that ask for it, that comes first in turn;
///  - every unmatched input accepts the output, among those that granted to it, that comes first in turn.
/// More urgent requests come before others, whoever's turn it is (the paper's prioritised iSLIP).
/// Turns begin at a pointer of each output and of each input. Both move to one beyond what they were matched with,
/// and only if that was accepted in the first iteration: so pointers of busy outputs slip apart, and nobody starves.
class Islip final : public Allocator {
 public:
  /// All numbers >= 1.
  Islip(int inputs, int outputs, int iterations);

  void request(int input, int output, Urgency urgency = {}) override;
  const std::vector<Match>& match() override;

 private:
  static constexpr int none = -1;
  void grant();
  void accept(bool first_iteration);
  struct Request {
    int input = 0;
    Urgency urgency;
  };
  /// The first of the unmatched inputs that ask for an output, in its turn; null: there is none.
  const Request* next_request(int output) const;

  int iterations_;
  std::vector<int> first_input_;                // of an output's turn
  std::vector<int> first_output_;               // of an input's turn
  std::vector<std::vector<Request>> requests_;  // by output
  std::vector<int> asked_;                      // outputs that somebody asks for
  std::vector<bool> input_matched_;
  std::vector<bool> output_matched_;
  struct Offer {
    int output = none;
    Urgency urgency;
  };
  std::vector<Offer> offer_;  // the best output that granted to an input in this iteration
  std::vector<int> offered_;  // inputs that have an offer
  std::vector<Match> matches_;
};

}  // namespace tsunagi::router
