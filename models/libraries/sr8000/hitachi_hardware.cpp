// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/hitachi_hardware.hpp"

#include <algorithm>

namespace tsunagi::libraries {

namespace {

/// Uses of colours by a group of Hitachi's MPI.
enum ColourUse : int { plain_barrier, free_buffer };

}  // namespace

HitachiHardware::HitachiHardware(std::vector<ComBufNode>& nodes, const Machine& m, Bytes buffer, std::int64_t cycles,
                                 const comm::Steps& step)
    : nodes_(nodes),
      size_(buffer),
      barrier_(nodes, m, cycles),
      buffer_(nodes, buffer, 1, "broadcasts"),
      step_(step),
      last_(nodes.size()) {}

std::string HitachiHardware::refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) const {
  if (c.kind == comm::Collective::barrier) return barrier_.refusal(ranks, plain_barrier + 1);
  if (c.kind != comm::Collective::broadcast) return "the crossbars do barriers and broadcasts";
  if (!owners_.empty() && owners_ != ranks) return "another group has the buffer of broadcasts";
  return barrier_.refusal(ranks, free_buffer + 1);
}

void HitachiHardware::run(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  if (c.kind == comm::Collective::broadcast) return broadcast(f, ranks, rank, c);
  barrier(f, ranks, ranks[static_cast<std::size_t>(rank)], plain_barrier);
}

void HitachiHardware::barrier(comm::Fiber& f, const std::vector<int>& ranks, int world, int use) {
  const int colour = barrier_.colour(ranks, use);
  step_(f, world, "hmpp_barrier", [&] {
    barrier_.come(f, ranks, world, colour);
    barrier_.wait(f, world, colour);
  });
}

void HitachiHardware::broadcast(comm::Fiber& f, const std::vector<int>& ranks, int rank,
                                const comm::CollectiveCall& c) {
  const int world = ranks[static_cast<std::size_t>(rank)];
  ComBufNode& n = nodes_[static_cast<std::size_t>(world)];
  const std::uint32_t root = nodes_[static_cast<std::size_t>(ranks[static_cast<std::size_t>(c.root)])].nia().node();
  const std::uint64_t user = n.user_base() + unsigned_of(c.out.offset);
  owners_ = ranks;
  for (Bytes done; done < c.out.size;) {
    const Bytes piece = std::min(size_, c.out.size - done);
    if (rank == c.root) {
      step_(f, world, "copy into the buffer",
            [&] { n.core().copy(f, n.memory(), buffer_.buffer(0), user + unsigned_of(done), piece); });
      step_(f, world, "start the broadcast", [&] { buffer_.start(f, world, barrier_.corners(ranks), 0, piece); });
    } else {
      step_(f, world, "wait for the broadcast",
            [&] { n.wait_flag(f, buffer_.flag(0), root, last_[static_cast<std::size_t>(world)][root]); });
      step_(f, world, "copy out of the buffer",
            [&] { n.core().copy(f, n.memory(), user + unsigned_of(done), buffer_.buffer(0), piece); });
    }
    step_.copied(comm::Copier::core, piece);
    barrier(f, ranks, world, free_buffer);
    done += piece;
  }
}

}  // namespace tsunagi::libraries
