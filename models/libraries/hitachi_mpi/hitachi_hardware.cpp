// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/hitachi_mpi/hitachi_hardware.hpp"

#include <algorithm>

namespace tsunagi::libraries {

HitachiHardware::HitachiHardware(const HitachiMpiConfig& c, comm::ByRank<ComBufNode>& nodes, const Machine& m,
                                 HitachiMessages& transport, comm::TwoSided& messages, const comm::Steps& step)
    : nodes_(nodes),
      size_(c.chunk),
      wait_cycles_(c.wait_cycles),
      barrier_(nodes, m, c.kick_cycles),
      buffer_(nodes, c.chunk, 1, "broadcasts"),
      transport_(transport),
      messages_(messages),
      step_(step),
      flags_(nodes.size()),
      barriers_(nodes.size()) {}

std::string HitachiHardware::refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) {
  if (c.kind != comm::Collective::barrier && c.kind != comm::Collective::broadcast)
    return "the crossbars do barriers and broadcasts";
  return barrier_.refusal(ranks, 1);
}

void HitachiHardware::run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  if (c.kind == comm::Collective::broadcast) return broadcast(f, ranks, rank, c);
  barrier(f, ranks, ranks[static_cast<std::size_t>(rank)]);
}

void HitachiHardware::barrier(Fiber& f, const std::vector<int>& ranks, int world) {
  const int colour = barrier_.colour(ranks, 0);
  const ComBufNode& n = nodes_[world];
  std::uint64_t& last = barriers_[world][colour];
  ++last;
  step_(f, world, "hmpp_barrier", [&] { barrier_.come(f, ranks, world, colour); });
  wait(f, world, {n.barrier_word(colour) + 8, 8_B, [last](std::uint64_t over) { return over >= last; }});
}

void HitachiHardware::wait(Fiber& f, int world, const host::Core::Polled& word) {
  const ComBufNode& n = nodes_[world];
  transport_.watch(world, word);
  messages_.progress_until(f, world, {}, [&] { return word.until(n.said(word.end)); });
  transport_.watch(world, std::nullopt);
  n.core().execute(f, "found flag", wait_cycles_);
}

void HitachiHardware::broadcast(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  const int world = ranks[static_cast<std::size_t>(rank)];
  ComBufNode& n = nodes_[world];
  const std::uint32_t root = nodes_[ranks[static_cast<std::size_t>(c.root)]].nia().node();
  const std::uint64_t user = n.user_base() + unsigned_of(c.out.offset);
  for (Bytes done; done < c.out.size;) {
    const Bytes piece = std::min(size_, c.out.size - done);
    barrier(f, ranks, world);
    if (rank == c.root) {
      step_(f, world, "copy into the buffer",
            [&] { n.core().copy(f, n.memory(), buffer_.buffer(0), user + unsigned_of(done), piece); });
      step_(f, world, "start the broadcast", [&] { buffer_.start(f, world, barrier_.corners(ranks), 0, piece); });
    }
    // The root gets it, too: then it has left, and the buffer is free here as at the others.
    std::uint64_t& flag = flags_[world][root];
    const std::uint64_t before = std::max(flag, sr8000::flag_of(root, 0));
    wait(f, world, {buffer_.flag(0) + 8, 8_B, [before, end = sr8000::flag_of(root + 1, 0)](std::uint64_t said) {
                      return said > before && said < end;
                    }});
    flag = n.said(buffer_.flag(0) + 8);
    if (rank != c.root)
      step_(f, world, "copy out of the buffer",
            [&] { n.core().copy(f, n.memory(), user + unsigned_of(done), buffer_.buffer(0), piece); });
    step_.copied(comm::Copier::core, piece);
    done += piece;
  }
}

}  // namespace tsunagi::libraries
