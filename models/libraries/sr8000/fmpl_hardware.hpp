// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comm/hardware_collectives.hpp"
#include "comm/steps.hpp"
#include "models/libraries/sr8000/hmpp_barrier.hpp"

namespace tsunagi::libraries {

/// FMPL's collectives by the network's hardware (paper 002, 5.2): barriers by hmpp_barrier, and broadcasts through two
/// static buffers that lie at the same place on all nodes, which the hardware asks for (4.2): the root copies a piece
/// into one of them, has it broadcast and goes on with the next, the others copy it out. A buffer is used again when
/// all have come to a hardware barrier that says so; it has a colour of its own. Two groups of ranks can have buffers,
/// those that ask first.
class FmplHardware final : public comm::HardwareCollectives {
 public:
  /// `buffer`: the size of one. `cycles`: of the core, for a call of hmpp_barrier. All outlive this.
  FmplHardware(std::vector<ComBufNode>& nodes, const Machine& m, Bytes buffer, std::int64_t cycles,
               const comm::Steps& step);
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) const override;
  void run(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;

 private:
  static constexpr int groups = 2;
  static constexpr int buffers = 2;  // of a group
  /// A buffer as a rank knows it.
  struct Buffer {
    bool used = false;                                  // and its barrier not waited for
    std::map<std::uint32_t, std::uint64_t> flags = {};  // what its flag said last of each node's broadcasts
  };
  struct Member {
    std::uint64_t pieces = 0;  // of all broadcasts
    std::array<Buffer, buffers> buffer;
  };
  /// Ranks that have buffers.
  struct Group {
    int number = 0;
    std::vector<Member> members;
  };
  Group& group(const std::vector<int>& ranks);
  void broadcast(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c);
  /// Has a piece that lies in a buffer broadcast.
  void start(comm::Fiber& f, const std::vector<int>& ranks, int world, int number, Bytes piece);

  std::vector<ComBufNode>& nodes_;
  Bytes size_;  // of a buffer
  HmppBarrier barrier_;
  const comm::Steps& step_;
  std::map<std::vector<int>, Group> groups_;
  // Of each node, by number of a buffer:
  std::uint64_t buffers_ = 0;
  std::uint64_t flags_ = 0;
  std::uint64_t tcws_ = 0;
  int buffer_field_ = -1;
  int flag_field_ = -1;
};

}  // namespace tsunagi::libraries
