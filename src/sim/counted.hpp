// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsunagi::sim {

/// Counts one more as long as it lives: also if the thread that it lives in is killed meanwhile.
class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  int& count_;
};

}  // namespace tsunagi::sim
