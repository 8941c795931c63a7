// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "units/bytes.hpp"

namespace tsunagi {

/// A place in an address space, by byte. Which space it belongs to (a host's, the window of a sub-cluster) is said by
/// whoever has it. Distances between places are Bytes; those of more than 2^63 - 1 are not to be asked for.
class Address {
 public:
  constexpr Address() = default;
  constexpr explicit Address(std::uint64_t value) : value_(value) {}
  /// So far (>= 0) from address 0, as configs say where something begins.
  static constexpr Address at(Bytes from_zero) { return Address(unsigned_of(from_zero)); }

  constexpr std::uint64_t value() const { return value_; }

  constexpr Address& operator+=(Bytes n) {
    value_ += unsigned_of(n);
    return *this;
  }
  friend constexpr Address operator+(Address a, Bytes n) { return Address(a.value_ + unsigned_of(n)); }
  friend constexpr Address operator-(Address a, Bytes n) { return Address(a.value_ - unsigned_of(n)); }
  friend constexpr Bytes operator-(Address a, Address b) {
    return Bytes(static_cast<std::int64_t>(a.value_ - b.value_));
  }

  friend constexpr bool operator==(Address a, Address b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Address a, Address b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Address a, Address b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(Address a, Address b) { return a.value_ > b.value_; }
  friend constexpr bool operator<=(Address a, Address b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>=(Address a, Address b) { return a.value_ >= b.value_; }

 private:
  std::uint64_t value_ = 0;
};

/// One of `size` bytes (>= 0) from `base` on. Holds for all addresses, however far away.
constexpr bool lies_in(Address a, Address base, Bytes size) { return a.value() - base.value() < unsigned_of(size); }
/// The highest multiple of `alignment` (a power of two) that is not above `a`, and the lowest one that is not below.
constexpr Address aligned_down(Address a, Bytes alignment) {
  return Address(a.value() & ~(unsigned_of(alignment) - 1));
}
constexpr Address aligned_up(Address a, Bytes alignment) { return aligned_down(a + (alignment - Bytes(1)), alignment); }
constexpr bool is_aligned(Address a, Bytes alignment) { return aligned_down(a, alignment) == a; }

/// In hexadecimal: "0x8000000000".
std::string to_string(Address a);

}  // namespace tsunagi
