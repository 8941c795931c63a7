// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "flow/cause.hpp"

namespace tsunagi::infiniband {

/// Words of host memory that atomic operations of a card are at work on: one operation at a time at each, whatever
/// queue pair it came by (InfiniBand Architecture Specification, volume 1, 9.4.5: atomic with respect to the others of
/// the same channel adapter). Who comes while a word is taken gets it in turn.
class AtomicWords {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The word that it waited for is its own now, since `by`.
    virtual void word_taken(flow::Cause by) = 0;
  };
  /// Returns whether the word is the user's at once; else it is told.
  bool take(std::uint64_t address, User& user);
  /// The operation that has it is over, by `by`: what it writes has been posted.
  void give_back(std::uint64_t address, const flow::Cause& by);

 private:
  struct Taken {
    std::uint64_t address = 0;
    User* user = nullptr;
  };
  std::vector<Taken> taken_;  // in the order in which they came; the first of an address has it
};

}  // namespace tsunagi::infiniband
