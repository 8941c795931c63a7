// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fiber/fiber.hpp"
#include "flow/packet.hpp"
#include "models/host/memory/byte_store.hpp"
#include "sim/timer.hpp"

namespace tsunagi::host {

/// A word of one to eight bytes that somebody polls: what it says (little-endian), since when and by whom, and an event
/// when any of its bytes is written.
struct Word {
  ByteRange place;
  std::uint64_t value = 0;
  std::uint64_t before = 0;  // what it said before `since`
  Time since;
  std::uint64_t writer = 0;  // the packet that said so
  int hops = 0;              // cables that it had crossed
  Event changed;
  /// What a load at `t`, which is now, finds where it comes before all writes of that time.
  std::uint64_t value_before(Time t) const { return since < t ? value : before; }
};

/// The bytes of a memory that packets' contents say (ByteStore), each visible from its time on, and the words of them
/// that somebody watches.
class Words {
 public:
  explicit Words(sim::Simulation& sim) : agenda_(sim.agenda()) {}
  /// The word of `width` bytes (1 .. 8) that ends at `end` (the address behind its last byte).
  Word& ending_at(std::uint64_t end, Bytes width = Bytes(8));
  /// Takes away what it says.
  void forget(Word& w) {
    store_.forget(w.place);
    w.value = 0;
  }
  /// What `n` bytes from `address` on say now; 0 where nothing is kept.
  std::vector<std::uint8_t> bytes(std::uint64_t address, Bytes n) const;
  /// What a read of `n` bytes from `address` on finds, which reaches them at `read` and follows all writes so far. Not
  /// more than 4 KiB if it finds any.
  flow::Contents read(flow::ContentsPool& pool, std::uint64_t address, Bytes n, Time read) const;
  /// Whether a read of those bytes would find any.
  bool has(std::uint64_t address, Bytes n) const;
  /// Packet `i` of train `p` has written `address` onwards, which can be seen from `when` on.
  void write(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when);
  /// They have said so for ever; nobody has looked.
  void preset(std::uint64_t address, flow::ByteView bytes) { store_.preset(address, bytes); }
  /// What `n` bytes from `from` on say at `mark.since`, which is now, those from `to` on say from then on; those that
  /// say nothing change nothing. Seen by who looks next.
  void copy(flow::ContentsPool& pool, std::uint64_t to, std::uint64_t from, Bytes n, const Mark& mark);
  /// The number that the `width` (1 .. 8) bytes before `end` say now.
  std::uint64_t number_before(std::uint64_t end, Bytes width) const {
    return store_.word({end - unsigned_of(width), end});
  }
  /// Writes that cannot be seen yet.
  bool pending() const { return store_.waits(); }

 private:
  void make_visible();
  void update(Word& w);

  sim::Agenda& agenda_;
  ByteStore store_;
  // Looked up only, never walked.
  std::unordered_map<std::uint64_t, Word> words_;                   // by end and width
  std::unordered_map<std::uint64_t, std::vector<Word*>> watching_;  // by the line of their last byte
  sim::Timer<&Words::make_visible> visible_{*this};
};

}  // namespace tsunagi::host
