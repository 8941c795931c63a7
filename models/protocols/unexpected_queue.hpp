// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/messages/numbers.hpp"
#include "comm/steps.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::protocols {

/// A rank's memory for messages that have come before a receive was posted for them: places of one size each, of which
/// the lowest free one is taken.
class UnexpectedQueue {
 public:
  /// `most` places from `base` on.
  UnexpectedQueue(std::uint64_t base, Bytes each, int most) : base_(base), each_(each), most_(most) {}
  /// Has the core copy `n` bytes at `from` aside, if there are any, and returns the place's number. Throws
  /// std::runtime_error if all places are taken.
  std::uint32_t copy_aside(Fiber& f, int rank, const comm::Steps& step, const process::HostProcess& me,
                           std::uint64_t from, Bytes n);
  /// Where such bytes lie.
  std::uint64_t address(std::uint64_t number) const { return base_ + number * unsigned_of(each_); }
  void give_back(std::uint64_t number) { numbers_.give_back(static_cast<std::uint32_t>(number)); }

 private:
  std::uint64_t base_;
  Bytes each_;
  int most_;
  comm::Numbers numbers_;
};

}  // namespace tsunagi::protocols
