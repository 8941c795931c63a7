// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi {

/// Symbols or bits a second on a lane before its coding, as links are named: 5 GT/s. Whole transfers a second, > 0.
class TransferRate {
 public:
  constexpr TransferRate() = default;
  constexpr explicit TransferRate(std::int64_t per_second) : per_second_(per_second) {}
  constexpr std::int64_t per_second() const { return per_second_; }
  friend constexpr bool operator==(TransferRate a, TransferRate b) { return a.per_second_ == b.per_second_; }
  friend constexpr bool operator!=(TransferRate a, TransferRate b) { return a.per_second_ != b.per_second_; }
  friend constexpr bool operator<(TransferRate a, TransferRate b) { return a.per_second_ < b.per_second_; }

 private:
  std::int64_t per_second_ = 1;
};

}  // namespace tsunagi
