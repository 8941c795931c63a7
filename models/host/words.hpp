// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "comm/fiber.hpp"
#include "flow/ring.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::host {

/// A word that somebody polls: what it says, since when, and an event when it changes.
struct Word {
  std::uint64_t value = 0;
  Time since;
  std::uint64_t writer = 0;  // the packet that said so
  comm::Event changed;
};

/// The words of a memory that messages mark (flags, last words). Others are not kept.
class Words {
 public:
  explicit Words(sim::Simulation& sim) : agenda_(sim.agenda()) {}
  /// The word that ends at `end` (the address behind its last byte).
  Word& ending_at(std::uint64_t end) { return words_[end]; }
  /// The word says `value` from `when` on, by packet `writer`; not before what was written earlier.
  void write(std::uint64_t end, std::uint64_t value, Time when, std::uint64_t writer);
  /// Writes that cannot be seen yet.
  bool pending() const { return !pending_.empty(); }

 private:
  struct Pending {
    Time when;
    std::uint64_t end = 0;
    std::uint64_t value = 0;
    std::uint64_t writer = 0;
  };
  struct Visible final : sim::Alarm {
    explicit Visible(Words& w) : Alarm(sim::Phase::arrive), words(w) {}
    void ring() override { words.make_visible(); }
    Words& words;
  };
  void make_visible();

  sim::Agenda& agenda_;
  std::unordered_map<std::uint64_t, Word> words_;  // looked up only, never walked
  flow::Ring<Pending> pending_;
  Visible visible_{*this};
};

}  // namespace tsunagi::host
