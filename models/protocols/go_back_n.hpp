// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi::protocols {

/// How far number `a` is behind `b`, of numbers that are counted on for ever.
constexpr std::int32_t behind(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(b - a); }

/// Numbered packets to one peer, of which some may be under way at a time; who misses one has it sent again with all
/// behind it (go-back-N: Bertsekas and Gallager, Data Networks, 2nd edition, 2.4.2). Pure: who uses this sends, and
/// keeps the timer.
class GoBackNSender {
 public:
  /// `window`: packets under way at most, 1 .. 2^30.
  explicit GoBackNSender(int window) : window_(window) {}
  /// Whether another packet may be sent now.
  bool open() const { return behind(oldest_, next_) < window_; }
  /// The number of the packet that is sent now for the first time. Only if it is open.
  std::uint32_t take() { return next_++; }
  /// The oldest packet under way is `oldest()`, the last one that before `next()`.
  std::uint32_t oldest() const { return oldest_; }
  std::uint32_t next() const { return next_; }
  bool under_way() const { return oldest_ != next_; }
  /// The peer has all before number `expected`. Returns how many packets are done by that; what says nothing new, or
  /// speaks of packets that were never sent, says 0.
  int acknowledged(std::uint32_t expected) {
    const std::int32_t n = behind(oldest_, expected);
    if (n <= 0 || n > behind(oldest_, next_)) return 0;
    oldest_ = expected;
    return n;
  }

 private:
  int window_;
  std::uint32_t oldest_ = 0;
  std::uint32_t next_ = 0;
};

/// What comes from one peer in that way.
class GoBackNReceiver {
 public:
  enum class Came : std::uint8_t {
    next,   // the one that is expected: it is taken
    again,  // one that has been taken: its acknowledgement was lost, or is under way
    gap,    // one before it is missing
  };
  Came came(std::uint32_t number) {
    const std::int32_t early = behind(expected_, number);
    if (early != 0) return early < 0 ? Came::again : Came::gap;
    ++expected_;
    ++owed_;
    return Came::next;
  }
  /// What an acknowledgement says: all before that number are here.
  std::uint32_t expected() const { return expected_; }
  /// Packets that were taken since the peer was told.
  int owed() const { return owed_; }
  void told() { owed_ = 0; }

 private:
  std::uint32_t expected_ = 0;
  int owed_ = 0;
};

}  // namespace tsunagi::protocols
