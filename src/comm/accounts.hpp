// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::comm {

/// Who copies the bytes of messages.
enum class Copier : std::uint8_t {
  core,  // loads and stores, to write-combining memory of a device too
  dma,   // an engine of a card
};

/// What a run's library counts, all ranks together, whoever listens: how often it did each named step and how long that
/// took, what messages carried and who copied that on its way. Counting costs a run a few instructions and neither
/// simulated time nor results; libraries count where it happens.
class Accounts {
 public:
  struct Step {
    const char* name = nullptr;
    std::int64_t calls = 0;
    Time total;  // at most Time::max(), where it stays
  };
  struct Copies {
    std::int64_t copies = 0;
    Bytes bytes;
  };

  Accounts() : table_(first_size) {}
  /// A step is over, or `calls` 0: has gone on for so long. `name` is a literal, or lives as long as this.
  void step(const char* name, Time spent, std::int64_t calls = 1) {
    std::size_t i = place(name);
    while (table_[i].name != name) {
      if (table_[i].name == nullptr) {
        i = add(name);
        break;
      }
      i = (i + 1) & (table_.size() - 1);
    }
    Step& s = table_[i];
    s.calls += calls;
    std::int64_t sum = 0;
    s.total = __builtin_add_overflow(s.total.fs(), spent.fs(), &sum) ? Time::max() : Time::from_fs(sum);
  }
  /// A rank sends so many messages, which carry `payload` together.
  void sent(Bytes payload, std::int64_t messages = 1) {
    messages_ += messages;
    payload_ += payload;
  }
  /// `n` bytes that messages carry are copied, by so many copies; by none: by another part of one that was counted. To
  /// copy nothing is no copy.
  void copied(Copier by, Bytes n, std::int64_t copies = 1) {
    if (n <= Bytes::zero()) return;
    Copies& c = copies_[static_cast<std::size_t>(by)];
    c.copies += copies;
    c.bytes += n;
  }

  /// All that another library has counted, too.
  void add(const Accounts& other);

  /// Steps that were done, one of each name, in the order of the names' text.
  std::vector<Step> steps() const;
  std::int64_t messages() const { return messages_; }
  Bytes payload() const { return payload_; }
  const Copies& copies(Copier by) const { return copies_[static_cast<std::size_t>(by)]; }

 private:
  static constexpr std::size_t first_size = 64;
  std::size_t place(const char* name) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(name);
    return (bits ^ (bits >> 6)) & (table_.size() - 1);
  }
  std::size_t add(const char* name);

  std::vector<Step> table_;  // by address of the name, open addressing; a power of two of places
  std::size_t used_ = 0;
  std::int64_t messages_ = 0;
  Bytes payload_;
  Copies copies_[2];
};

}  // namespace tsunagi::comm
