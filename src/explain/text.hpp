// SPDX-License-Identifier: Apache-2.0
// How the views print numbers.
#pragma once

#include <string>

#include "units/time.hpp"

namespace tsunagi::explain {

/// "900.7 ns": exact where that is short, else three decimals.
std::string short_text(Time t);

/// Share of `part` in `whole` in percent: "12.3 %"; "-" of nothing.
std::string percent(Time part, Time whole);

/// `text`, or what fits of its two ends into `width` characters with ".." between them.
std::string shortened(const std::string& text, std::size_t width);

/// Times of one table: one unit, as many decimals as the times need, three at most.
class Scale {
 public:
  /// For times up to `longest`, in nanoseconds or, from 100 us on, in microseconds.
  explicit Scale(Time longest);
  /// Takes notice of a time that will be printed.
  void fit(Time t);
  const char* unit() const { return unit_; }
  std::string operator()(Time t) const;

 private:
  const char* unit_;
  std::int64_t fs_;
  int decimals_ = 1;
};

}  // namespace tsunagi::explain
