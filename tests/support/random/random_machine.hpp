// SPDX-License-Identifier: Apache-2.0
// Small PEACH2 machines drawn from a seed, with what moves over them: to hold trains against the reference.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "models/bench/exerciser.hpp"
#include "support/bench.hpp"

namespace tsunagi::test {

/// Seeded whole numbers that are the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  /// low .. high, both included.
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return number(1, n) == 1; }
  template <class T>
  T any(std::initializer_list<T> of) {
    return of.begin()[number(0, static_cast<std::int64_t>(of.size()) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

/// Of a memory, for each transfer to it; the first of all memories is for sources.
constexpr Bytes area{1 << 20};

/// One transfer: `size` bytes to `destination` in the host memory of node `to`; by DMA from `source` in the sender's,
/// or in its chip's packet memory.
struct Transfer {
  int to = 0;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  Bytes size;
  bool rings = true;  // by DMA: the last of its doorbell
  bool from_chip = false;
  Bytes burst;
  Bytes gap;
  bool source_strided = false;
  bool destination_strided = false;
  Bytes said;  // of the source: bytes that a program wrote there before, from `said_at` of its span on
  Bytes said_at;
};

/// What one sender does, one transfer after the other.
struct Flow {
  bool dma = false;
  bool chained = false;  // descriptors lie in the host's memory, not in the registers
  int from = 0;
  Time start;
  std::vector<Transfer> transfers;
};

enum class Meet {
  nobody,    // one exerciser and one destination: no reverse TLPs, no second requester
  requests,  // one DMA channel and one destination: its read requests run against writes and doorbells, nothing else
  others,    // several flows that share links or run in opposite directions
};

/// How a node sends and receives.
struct RandomNode {
  bool host = true;  // else the exerciser sits in its place and nothing can be received
  bool exerciser = false;
  peach2::Peach2Config chip;
  host::RootComplexConfig root;
  host::MemoryConfig memory;
  pcie::LinkConfig slot;  // chip to host, or to the exerciser in its place
  pcie::LinkConfig card;  // exerciser to host
  pcie::LinkConfig east;  // to the next node's west
};

struct RandomMachine {
  std::uint64_t seed = 0;
  Meet meet = Meet::nobody;
  bool ring = false;
  bool errors = false;
  std::vector<RandomNode> nodes;
  std::vector<Flow> flows;
  /// What it is, a line a part.
  std::string text() const;
};

/// The machine of that seed. What of it is long enough to be judged by completion times moves 64 KiB or more.
RandomMachine random_machine(std::uint64_t seed, Meet meet);

/// What a run of it tells.
struct Arrived {
  std::string label;  // "flow 0 transfer 3"
  Bytes size;
  Time start;
  Time done;
};
struct RunOf {
  std::vector<Arrived> transfers;
  std::vector<std::string> wires;    // counters, a direction a line
  std::vector<std::string> extents;  // every write as the memories saw it, and what is there in the end
  std::string findings;              // not empty: nothing of this holds, it must be run again with it
  std::vector<std::string> faults;   // bytes written twice, never, or from the wrong place; a status before its data
};

/// Builds and runs it, with the findings of the attempt before; once a process. `reversed`: alarms of one time ring the
/// other way round. Throws std::runtime_error if it does not end or not all comes home.
RunOf run(const RandomMachine& m, int max_train, bool reversed, const std::string& findings);

}  // namespace tsunagi::test
