// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/library_collectives.hpp"
#include "comm/steps.hpp"
#include "models/libraries/sr8000/combuf_broadcast.hpp"
#include "models/libraries/sr8000/hmpp_barrier.hpp"
#include "models/libraries/sr8000/lines_barrier.hpp"

namespace tsunagi::libraries {

/// FMPL's collectives by the network's hardware (paper 002, 5.2): barriers by hmpp_barrier, and broadcasts through two
/// static buffers that lie at the same place on all nodes, which the hardware asks for (4.2): the root copies a piece
/// into one of them, has it broadcast and goes on with the next, the others copy it out. A buffer is used again when
/// all have come to a hardware barrier that says so; it has a colour of its own. Two groups of ranks can have buffers,
/// those that ask first.
///
/// Where the nodes fill no box, but lines without gaps (9 to 15 of 8 x 2), the root broadcasts to its own line, and
/// writes the piece by remote DMA into the buffers of the other lines' first ranks, which broadcast it to theirs; all
/// meet before both buffers are used again.
class FmplHardware final : public comm::HardwareCollectives {
 public:
  /// `buffer`: the size of one. `cycles`: of the core, for a call of hmpp_barrier. All outlive this.
  FmplHardware(comm::ByRank<ComBufNode>& nodes, Signals& signals, const Machine& m, Bytes buffer, std::int64_t cycles,
               const comm::Steps& step);
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) override;
  void run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;

 private:
  static constexpr int groups = 2;
  static constexpr int each = 2;  // buffers of a group
  /// A buffer as a rank knows it.
  struct Buffer {
    bool used = false;                                  // and its barrier not waited for
    std::map<std::uint32_t, std::uint64_t> flags = {};  // what its flag said last of each node's broadcasts
  };
  struct Member {
    std::uint64_t pieces = 0;  // of all broadcasts
    std::array<Buffer, each> buffer;
  };
  /// Ranks that have buffers.
  struct Group {
    int number = 0;
    std::vector<Member> members;
    std::vector<NodeLine> lines;  // none: they fill a box
  };
  /// A piece of a broadcast, as a rank sees it.
  struct Piece {
    int number = 0;  // of its buffer
    Bytes size;
    std::uint64_t user = 0;  // where it goes to, or comes from
  };
  /// What the lines of ranks that fill no box are.
  const std::vector<NodeLine>& lines(const std::vector<int>& ranks);
  Group& group(const std::vector<int>& ranks);
  void barrier(Fiber& f, const std::vector<int>& ranks, int world);
  void broadcast(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c);
  void to_box(Fiber& f, const std::vector<int>& ranks, int world, int root, Buffer& b, const Piece& p);
  void to_lines(Fiber& f, const Group& g, int world, int root, Buffer& b, const Piece& p);
  void copy_in(Fiber& f, int world, const Piece& p);
  void copy_out(Fiber& f, int world, const Piece& p);
  /// Waits until a piece is in a buffer that `from` has sent or broadcast.
  void wait_for(Fiber& f, int world, int from, Buffer& b, const Piece& p);
  /// Has a piece that lies in a buffer broadcast to the nodes of a box of ranks.
  void spread(Fiber& f, int world, int first, int last, const Piece& p);

  comm::ByRank<ComBufNode>& nodes_;
  ComBufBroadcast buffers_;
  HmppBarrier barrier_;
  LinesBarrier lines_barrier_;
  const comm::Steps& step_;
  std::map<std::vector<int>, Group> groups_;
  std::map<std::vector<int>, std::vector<NodeLine>> lines_;
};

}  // namespace tsunagi::libraries
