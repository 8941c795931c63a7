// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tsunagi::router {

/// The switch allocator iSLIP (N. McKeown, "The iSLIP Scheduling Algorithm for Input-Queued Switches", IEEE/ACM
/// Transactions on Networking 7(2), 1999). Pure: no time. An iteration:
///  - every unmatched output grants to the input, among those unmatched that ask for it, that comes first in turn;
///  - every unmatched input accepts the output, among those that granted to it, that comes first in turn.
/// Turns begin at a pointer of each output and of each input. Both move to one beyond what they were matched with,
/// and only if that was accepted in the first iteration: so pointers of busy outputs slip apart, and nobody starves.
class Islip {
 public:
  struct Match {
    int input = 0;
    int output = 0;
  };
  /// All numbers >= 1.
  Islip(int inputs, int outputs, int iterations);

  /// `input` has something for `output`. Asking twice is asking once.
  void request(int input, int output);
  /// Who goes together; each input and each output at most once. Forgets the requests. Good until the next call.
  const std::vector<Match>& match();

 private:
  static constexpr int none = -1;
  void grant();
  void accept(bool first_iteration);
  /// The first of the unmatched inputs that ask for an output, in its turn; none: there is none.
  int next_input(int output) const;

  int iterations_;
  std::vector<int> first_input_;            // of an output's turn
  std::vector<int> first_output_;           // of an input's turn
  std::vector<std::vector<int>> requests_;  // inputs, by output
  std::vector<int> asked_;                  // outputs that somebody asks for
  std::vector<bool> input_matched_;
  std::vector<bool> output_matched_;
  std::vector<int> offer_;    // the best output that granted to an input in this iteration
  std::vector<int> offered_;  // inputs that have an offer
  std::vector<Match> matches_;
};

}  // namespace tsunagi::router
