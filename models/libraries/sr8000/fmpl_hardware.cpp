// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/fmpl_hardware.hpp"

#include <algorithm>

namespace tsunagi::libraries {

namespace {

/// Uses of colours by a group.
enum Use : int { barrier_use, first_buffer_use };

constexpr std::uint64_t flag_distance = 64;

}  // namespace

FmplHardware::FmplHardware(std::vector<ComBufNode>& nodes, const Machine& m, Bytes buffer, std::int64_t cycles,
                           const comm::Steps& step)
    : nodes_(nodes), size_(buffer), barrier_(nodes, m, cycles), step_(step) {
  constexpr int all = groups * buffers;
  for (ComBufNode& n : nodes) {
    buffer_field_ = n.take_field("broadcast buffers", size_ * all, &buffers_);
    flag_field_ = n.take_field("flags of broadcasts", 64_B * all, &flags_);
    tcws_ = n.take("TCWs of broadcasts", sr8000::Tcw::size * all).base;
  }
}

std::string FmplHardware::refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) const {
  if (c.kind == comm::Collective::barrier) return barrier_.refusal(ranks, barrier_use + 1);
  if (c.kind != comm::Collective::broadcast) return "the crossbars do barriers and broadcasts";
  if (groups_.count(ranks) == 0 && groups_.size() == groups) return "other groups have the buffers of broadcasts";
  return barrier_.refusal(ranks, first_buffer_use + buffers);
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

FmplHardware::Group& FmplHardware::group(const std::vector<int>& ranks) {
  const auto [at, fresh] = groups_.try_emplace(ranks);
  if (fresh) at->second = {static_cast<int>(groups_.size()) - 1, std::vector<Member>(ranks.size())};
  return at->second;
}

void FmplHardware::broadcast(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) {
  const int world = ranks[static_cast<std::size_t>(rank)];
  ComBufNode& n = nodes_[static_cast<std::size_t>(world)];
  const std::uint32_t root = nodes_[static_cast<std::size_t>(ranks[static_cast<std::size_t>(c.root)])].nia().node();
  const std::uint64_t user = n.user_base() + unsigned_of(c.out.offset);
  Group& g = group(ranks);
  Member& me = g.members[static_cast<std::size_t>(rank)];
  for (Bytes done; done < c.out.size;) {
    const Bytes piece = std::min(size_, c.out.size - done);
    const auto b = static_cast<int>(me.pieces++ % buffers);
    const int number = g.number * buffers + b;
    const std::uint64_t at = buffers_ + unsigned_of(size_) * static_cast<std::uint64_t>(number);
    const int colour = barrier_.colour(ranks, first_buffer_use + b);
    Buffer& buffer = me.buffer[static_cast<std::size_t>(b)];
    if (buffer.used) step_(f, world, "wait for a free buffer", [&] { barrier_.wait(f, world, colour); });
    if (rank == c.root) {
      step_(f, world, "copy into the buffer",
            [&] { n.core().copy(f, n.memory(), at, user + unsigned_of(done), piece); });
      step_(f, world, "start the broadcast", [&] { start(f, ranks, world, number, piece); });
    } else {
      step_(f, world, "wait for the broadcast", [&] {
        n.wait_flag(f, flags_ + flag_distance * static_cast<std::uint64_t>(number), root, buffer.flags[root]);
      });
      step_(f, world, "copy out of the buffer",
            [&] { n.core().copy(f, n.memory(), user + unsigned_of(done), at, piece); });
    }
    step_.copied(comm::Copier::core, piece);
    step_(f, world, "give the buffer back", [&] { barrier_.come(f, ranks, world, colour); });
    buffer.used = true;
    done += piece;
  }
}

void FmplHardware::start(comm::Fiber& f, const std::vector<int>& ranks, int world, int number, Bytes piece) {
  ComBufNode& n = nodes_[static_cast<std::size_t>(world)];
  const auto [first, last] = barrier_.corners(ranks);
  const auto i = static_cast<std::uint64_t>(number);
  sr8000::Tcw t;
  t.offset = unsigned_of(size_) * i;
  t.source = buffers_ + t.offset;
  t.length = piece;
  t.destination = first;
  t.last = last;
  t.field = static_cast<std::uint16_t>(buffer_field_);
  t.broadcast = true;
  t.flagged = true;
  t.flag_field = static_cast<std::uint16_t>(flag_field_);
  t.flag_offset = flag_distance * i;
  const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * i;
  n.build(f, tcw, t);
  n.kick(f, tcw);
}

}  // namespace tsunagi::libraries
