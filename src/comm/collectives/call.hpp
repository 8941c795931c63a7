// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/buffer.hpp"

namespace tsunagi::comm {

enum class Collective : std::uint8_t { barrier, broadcast, reduce, allreduce, scatter, gather, allgather, all_to_all };
const char* name_of(Collective c);

/// In which order a rank takes the others as partners: 0, 1, 2, ...; or (rank + 1) mod p, (rank + 2) mod p, ...
enum class PartnerOrder : std::uint8_t { own, natural, rank_relative };  // own: as the algorithm has it

/// How a program wants a collective done.
struct Choice {
  std::string algorithm;  ///< a name of the catalog, or "hardware"; empty: chosen by size and number of ranks
  /// Pieces of pipelined algorithms.
  Bytes segment = 8_KiB;
  /// Of k-nomial trees: k, at least 2.
  int radix = 4;
  /// Of algorithms that let it be chosen (Algorithm::orders).
  PartnerOrder order = PartnerOrder::own;
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
  Bytes segment = Choice{}.segment;
  int radix = Choice{}.radix;
  PartnerOrder order = PartnerOrder::own;
  /// Reductions combine elements as long as that, which no algorithm cuts.
  Bytes element = Bytes(8);

  /// What decides on algorithms: the bytes of a broadcast or reduction, of one block of others (the largest). The same
  /// at all ranks, but for an all-to-all of blocks of different sizes.
  Bytes weight(int ranks) const;
  /// Of blocks of sizes of their own.
  bool v() const { return !sizes.empty(); }
};

}  // namespace tsunagi::comm
