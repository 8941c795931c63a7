// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

enum class Collective : std::uint8_t { barrier, broadcast, reduce, allreduce, scatter, gather, allgather, all_to_all };
const char* name_of(Collective c);

/// How a program wants a collective done.
struct Choice {
  std::string algorithm;  ///< a name of the catalog; empty: chosen by size and number of ranks
  /// Pieces of pipelined algorithms.
  Bytes segment = 8_KiB;
};

/// A collective call as one rank made it.
struct CollectiveCall {
  Collective kind = Collective::barrier;
  int root = 0;
  Buffer in;
  Buffer out;
  /// By rank, blocks of what is scattered, gathered or exchanged; empty: all alike (or nothing of the kind). Of an
  /// all-to-all: those sent.
  std::vector<Bytes> sizes = {};
  std::vector<Bytes> received = {};  // of an all-to-all
  Bytes segment = {};
  /// Reductions combine elements as long as that, which no algorithm cuts.
  Bytes element = Bytes(8);

  /// What decides on algorithms: the bytes of a broadcast or reduction, of one block of others (the largest).
  Bytes weight() const;
};

/// One line of the catalog.
struct Algorithm {
  Collective kind;
  const char* name;
  const char* doc;
  /// Why it cannot do such a call with so many ranks ("2, 4, 8, ... ranks only"); empty if it can.
  std::string (*refusal)(int ranks, const CollectiveCall& c);
  /// Memory beside the buffers that it needs at each rank.
  Bytes (*scratch)(int ranks, const CollectiveCall& c);
  void (*run)(Participant& me, const CollectiveCall& c);
};

/// All algorithms, listed by hand in catalog.cpp; of each collective the first is the one for any size and number.
const std::vector<Algorithm>& algorithms();
/// The one of that name; empty: the one that is chosen. Throws std::invalid_argument if there is none, or it cannot.
const Algorithm& choose(int ranks, const CollectiveCall& c, const std::string& name);

}  // namespace tsunagi::comm
