// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi {

/// A strong index: an Id<DeviceTag> does not convert to an Id<PortTag>.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : v_(v) {}
  constexpr std::uint32_t index() const { return v_; }
  constexpr bool valid() const { return v_ != none; }
  friend constexpr bool operator==(Id a, Id b) { return a.v_ == b.v_; }
  friend constexpr bool operator!=(Id a, Id b) { return a.v_ != b.v_; }
  friend constexpr bool operator<(Id a, Id b) { return a.v_ < b.v_; }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t v_ = none;
};

}  // namespace tsunagi
