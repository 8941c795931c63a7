// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/router/allocator.hpp"

namespace tsunagi::router {

/// The wavefront allocator (Y. Tamir and H.-C. Chi, "Symmetric Crossbar Arbiters for VLSI Communication Switches", IEEE
/// Transactions on Parallel and Distributed Systems 4(1), 1993; Dally and Towles, "Principles and Practices of
/// Interconnection Networks", 19.4): grants pass over the matrix of inputs and outputs diagonal by diagonal, of which
/// no two cells are in each other's way. Who could be matched still is. The first diagonal is the next one each time;
/// more urgent requests come before others, on whatever diagonal.
class Wavefront final : public Allocator {
 public:
  /// All numbers >= 1.
  Wavefront(int inputs, int outputs);
  void request(int input, int output, Urgency urgency = {}) override;
  const std::vector<Match>& match() override;

 private:
  struct Request {
    Match cell;
    Urgency urgency;
    int diagonal = 0;  // from the first one on
  };
  int diagonals_;
  int first_ = 0;
  std::vector<Request> requests_;
  std::vector<bool> input_matched_;
  std::vector<bool> output_matched_;
  std::vector<Match> matches_;
};

}  // namespace tsunagi::router
