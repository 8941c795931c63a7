// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "comm/fiber.hpp"
#include "flow/packet.hpp"
#include "flow/ring.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::host {

/// A word that somebody polls: what it says, since when, and an event when it changes.
struct Word {
  std::uint64_t value = 0;
  Time since;
  std::uint64_t writer = 0;  // the packet that said so
  int hops = 0;              // cables that it had crossed
  comm::Event changed;
};

/// For observers: which packet wrote a word, since when it can be seen, and when a load read it. Travels with the
/// completion of a load of up to eight bytes, in the place of the words before, which the load did not ask for.
struct Sight {
  std::uint64_t writer = 0;
  Time since;
  Time read;
};
void set_sight(flow::Packet& completion, const Sight& s);
Sight sight_of(const flow::Packet& completion);

/// The words of a memory that messages mark (flags, last words). Others are not kept.
class Words {
 public:
  explicit Words(sim::Simulation& sim) : agenda_(sim.agenda()) {}
  /// The word that ends at `end` (the address behind its last byte).
  Word& ending_at(std::uint64_t end) { return words_[end]; }
  /// What a read that follows all writes so far finds there; 0 if nobody has written it.
  std::uint64_t value_ending_at(std::uint64_t end) const { return newest(end).value; }
  /// Fills in what a read of `n` bytes (at most `pcie::largest_worded_read`) from `address` on finds, which reaches
  /// the words at `read` and follows all writes so far.
  void tell(std::uint64_t address, Bytes n, Time read, flow::Packet& p) const;
  /// The word says `value` from `when` on, by packet `writer`, which crossed `hops` cables; not before what was written
  /// earlier.
  void write(std::uint64_t end, std::uint64_t value, Time when, std::uint64_t writer, int hops = 0);
  /// Writes that cannot be seen yet.
  bool pending() const { return !pending_.empty(); }

 private:
  struct Pending {
    Time when;
    std::uint64_t end = 0;
    std::uint64_t value = 0;
    std::uint64_t writer = 0;
    int hops = 0;
  };
  struct Visible final : sim::Alarm {
    explicit Visible(Words& w) : Alarm(sim::Phase::arrive), words(w) {}
    void ring() override { words.make_visible(); }
    Words& words;
  };
  void make_visible();
  Pending newest(std::uint64_t end) const;

  sim::Agenda& agenda_;
  std::unordered_map<std::uint64_t, Word> words_;  // looked up only, never walked
  flow::Ring<Pending> pending_;
  Visible visible_{*this};
};

}  // namespace tsunagi::host
