// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsunagi::scenarios {

/// How the messages that are under way grow in number within a window, by sender, by receiver and by pair of both. The
/// outcome does not depend on the order of calls.
class Backlogs {
 public:
  static constexpr int batches = 20;

  /// Starts anew, of ranks 0 .. ranks - 1; at most 2^26 of these.
  void open(int ranks);
  /// A message within batch 0 .. batches - 1 of the window.
  void posted(int from, int to, int batch) { note(from, to, batch, false); }
  void delivered(int from, int to, int batch) { note(from, to, batch, true); }

  /// Which backlogs grow and do not fluctuate: "18 of 72 pairs, most 7 > 8"; where no pair's shows that alone, of the
  /// senders, else of the receivers; empty: none. A backlog grows if, at the window's end, it holds more than at its
  /// begin by over 2 % of what was posted in it, and the mean of its growths in 20 equal batches is above 0 by
  /// Student's t at 99.9 % (one-sided).
  std::string growing();

 private:
  void note(int from, int to, int batch, bool out);

  int ranks_ = 0;
  std::vector<std::uint64_t> moves_;  // sender, receiver, batch and whether it came or left, from the top bit down
};

}  // namespace tsunagi::scenarios
