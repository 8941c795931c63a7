// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "units/address.hpp"

namespace tsunagi::pcie {

/// A card that shows a window of addresses (Base Address Register, Base Specification 7.5.2.1), all of which it answers
/// to.
class BarWindow {
 public:
  virtual ~BarWindow() = default;
  /// First host address.
  virtual Address bar_base() const = 0;
  virtual Bytes bar_size() const = 0;
};

}  // namespace tsunagi::pcie
