// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/fmpl_hardware.hpp"

#include <algorithm>

namespace tsunagi::libraries {

namespace {

/// Uses of colours by a group.
enum Use : int { barrier_use, first_buffer_use };

}  // namespace

FmplHardware::FmplHardware(std::vector<ComBufNode>& nodes, const Machine& m, Bytes buffer, std::int64_t cycles,
                           const comm::Steps& step)
    : nodes_(nodes), size_(buffer), barrier_(nodes, m, cycles), step_(step), state_(nodes.size()) {
  for (ComBufNode& n : nodes) {
    buffer_field_ = n.take_field("broadcast buffers", size_ * buffers, &buffers_);
    flag_field_ = n.take_field("flags of broadcasts", 64_B * buffers, &flags_);
    tcws_ = n.take("TCWs of broadcasts", sr8000::Tcw::size * buffers).base;
  }
}

std::string FmplHardware::refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) const {
  if (c.kind == comm::Collective::barrier) return barrier_.refusal(ranks, barrier_use + 1);
  if (c.kind == comm::Collective::broadcast) return barrier_.refusal(ranks, first_buffer_use + buffers);
  return "the crossbars do barriers and broadcasts";
}

void FmplHardware::run(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  if (c.kind == comm::Collective::broadcast) return broadcast(f, ranks, rank, c);
  const int world = ranks[static_cast<std::size_t>(rank)];
  const int colour = barrier_.colour(ranks, barrier_use);
  step_(f, world, "hmpp_barrier", [&] {
    barrier_.come(f, ranks, world, colour);
    barrier_.wait(f, world, colour);
  });
}

void FmplHardware::free_buffer(comm::Fiber& f, const std::vector<int>& ranks, int world, int b) {
  Buffer& buffer = state_[static_cast<std::size_t>(world)][static_cast<std::size_t>(b)];
  if (!buffer.used) return;
  barrier_.wait(f, world, barrier_.colour(ranks, first_buffer_use + b));
  buffer.used = false;
}

void FmplHardware::broadcast(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  const int world = ranks[static_cast<std::size_t>(rank)];
  ComBufNode& n = nodes_[static_cast<std::size_t>(world)];
  std::vector<Member>& group = members_[ranks];
  if (group.empty()) group.resize(ranks.size());
  const std::uint64_t user = n.user_base() + unsigned_of(c.out.offset);
  for (Bytes done; done < c.out.size;) {
    const Bytes piece = std::min(size_, c.out.size - done);
    const auto b = static_cast<int>(group[static_cast<std::size_t>(rank)].pieces++ % buffers);
    const std::uint64_t lies = unsigned_of(size_) * static_cast<std::uint64_t>(b);
    const std::uint64_t flag = 64 * static_cast<std::uint64_t>(b);
    Buffer& buffer = state_[static_cast<std::size_t>(world)][static_cast<std::size_t>(b)];
    step_(f, world, "wait for a free buffer", [&] { free_buffer(f, ranks, world, b); });
    if (rank == c.root) {
      step_(f, world, "copy into the buffer",
            [&] { n.core().copy(f, n.memory(), buffers_ + lies, user + unsigned_of(done), piece); });
      step_.copied(comm::Copier::core, piece);
      const auto [first, last] = barrier_.corners(ranks);
      sr8000::Tcw t;
      t.source = buffers_ + lies;
      t.length = piece;
      t.destination = first;
      t.last = last;
      t.field = static_cast<std::uint16_t>(buffer_field_);
      t.offset = lies;
      t.broadcast = true;
      t.flagged = true;
      t.flag_field = static_cast<std::uint16_t>(flag_field_);
      t.flag_offset = flag;
      const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * static_cast<std::uint64_t>(b);
      step_(f, world, "start the broadcast", [&] {
        n.build(f, tcw, t);
        n.kick(f, tcw);
      });
    } else {
      step_(f, world, "wait for the broadcast", [&] {
        const std::uint32_t node =
            nodes_[static_cast<std::size_t>(ranks[static_cast<std::size_t>(c.root)])].nia().node();
        n.wait_flag(f, flags_ + flag, node, buffer.flags[node]);
      });
      step_(f, world, "copy out of the buffer",
            [&] { n.core().copy(f, n.memory(), user + unsigned_of(done), buffers_ + lies, piece); });
      step_.copied(comm::Copier::core, piece);
    }
    step_(f, world, "give the buffer back",
          [&] { barrier_.come(f, ranks, world, barrier_.colour(ranks, first_buffer_use + b)); });
    buffer.used = true;
    done += piece;
  }
}

}  // namespace tsunagi::libraries
