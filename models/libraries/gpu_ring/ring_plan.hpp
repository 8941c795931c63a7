// SPDX-License-Identifier: Apache-2.0
// What the blocks of a collective do, one behind the other. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/facets/stream_collectives.hpp"
#include "models/libraries/gpu_ring/ring_config.hpp"
#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// What a block does with one block of data: receives it, combines it, keeps it, sends it, as far as it does
/// (NCCL, src/device/all_reduce.h and its like: send, recvReduceSend, recvReduceCopySend, recvCopySend, recv).
struct RingPrimitive {
  int block = 0;          // of those of a round
  std::vector<int> from;  // ranks; what comes from them is combined
  bool own = false;       // with what the rank has itself, or that alone
  bool keep = false;      // stored in the rank's outcome
  std::vector<int> to;    // ranks
};

/// A block of a round of one channel: where its bytes begin and how many they are; none: an empty block, whose flags
/// are handed on all the same.
struct RingBlock {
  Bytes offset;
  Bytes size;
};

/// How a call is done.
struct RingWay {
  RingAlgorithm algorithm = RingAlgorithm::ring;
  RingProtocol protocol = RingProtocol::simple;
  int channels = 1;
};

/// What rank `rank` of `ranks` does in a round, in its order. Of a tree what it does upwards, then downwards.
std::vector<RingPrimitive> ring_primitives(RingAlgorithm a, const comm::QueuedCollective& c, int rank, int ranks);

/// Blocks that a round has.
int blocks_of(RingAlgorithm a, const comm::QueuedCollective& c, int ranks);
/// The rounds of channel `channel`, each the blocks of one, all bytes of the call once. Of an all-gather or a
/// reduce-scatter the blocks of a round are those of the ranks, which lie `size / ranks` apart.
std::vector<std::vector<RingBlock>> ring_rounds(const RingConfig& r, const RingWay& way,
                                                const comm::QueuedCollective& c, int ranks, int channel);
/// The slices of a block of protocol simple, always as many: the last ones may be empty.
std::vector<RingBlock> slices_of(const RingConfig& r, const RingBlock& b);

/// The binary tree of ranks: who is above rank `rank` (-1: nobody), and below it.
int tree_parent(int rank);
std::vector<int> tree_children(int rank, int ranks);

/// The protocol that NCCL's model takes the least time for, and how many channels take part (src/graph/tuning.cc,
/// ncclTopoGetAlgoTime: latency of a call and its steps, and bytes at the bus rate; src/enqueue.cc: threads have at
/// least so many bytes).
RingWay choose_way(const RingConfig& r, const comm::QueuedCollective& c, int ranks);
/// Steps of a call: how often a byte is handed on one behind the other.
int steps_of(RingAlgorithm a, comm::QueuedCollective::Kind k, int ranks);

}  // namespace tsunagi::libraries
