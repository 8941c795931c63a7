// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi::flow {

/// Buffer space in the two units that flow control counts: packet headers and
/// units of data (PCIe: 16 bytes; other wires choose their own). 32 bits are enough: configs offer up to a million
/// units of a kind, and a packet takes up to a million.
struct Credits {
  std::int32_t headers = 0;
  std::int32_t data = 0;

  static constexpr std::int32_t infinite = -1;
  /// Of numbers that are in range.
  static constexpr Credits of(std::int64_t headers, std::int64_t data) {
    return {static_cast<std::int32_t>(headers), static_cast<std::int32_t>(data)};
  }

  Credits& operator+=(Credits o) {
    headers += o.headers;
    data += o.data;
    return *this;
  }
  Credits& operator-=(Credits o) {
    headers -= o.headers;
    data -= o.data;
    return *this;
  }
  friend Credits operator+(Credits a, Credits b) { return a += b; }
  friend Credits operator*(Credits c, std::int32_t n) { return {c.headers * n, c.data * n}; }
  friend bool operator==(Credits a, Credits b) { return a.headers == b.headers && a.data == b.data; }
  friend bool operator!=(Credits a, Credits b) { return !(a == b); }
};

/// A sender's account of one class of a receiver's buffer. Each of the two units may be
/// infinite (`Credits::infinite`); a sender never sends what the account does not cover.
class CreditAccount {
 public:
  CreditAccount() = default;
  explicit CreditAccount(Credits buffer) : buffer_(buffer), free_(buffer) {}

  bool covers(Credits c) const {
    return (buffer_.headers == Credits::infinite || free_.headers >= c.headers) &&
           (buffer_.data == Credits::infinite || free_.data >= c.data);
  }
  /// Can never be covered, even by an empty buffer.
  bool exceeds(Credits c) const {
    return (buffer_.headers != Credits::infinite && buffer_.headers < c.headers) ||
           (buffer_.data != Credits::infinite && buffer_.data < c.data);
  }
  void spend(Credits c) { free_ -= c; }
  void refund(Credits c) { free_ += c; }
  bool all_home() const { return free_ == buffer_; }
  bool finite() const { return buffer_.headers != Credits::infinite || buffer_.data != Credits::infinite; }
  Credits buffer() const { return buffer_; }
  Credits free() const { return free_; }

 private:
  Credits buffer_;
  Credits free_;
};

}  // namespace tsunagi::flow
