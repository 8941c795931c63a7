// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/world.hpp"

namespace tsunagi::comm {

/// A rank in a collective call, as algorithms see it: messages of this call between ranks of the group, work on its own
/// memory, a little memory more.
class Participant {
 public:
  Participant(World& w, Fiber& f, const Members& m, int rank, std::uint64_t call);
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.ranks.size()); }

  Request isend(int to, const Buffer& b);
  Request irecv(int from, const Buffer& b);
  void wait(const std::vector<Request>& all);
  void send(int to, const Buffer& b) { wait({isend(to, b)}); }
  void recv(int from, const Buffer& b) { wait({irecv(from, b)}); }
  void sendrecv(int to, const Buffer& out, int from, const Buffer& in) {
    const Request r = irecv(from, in);
    wait({isend(to, out), r});
  }
  /// `from` to `to`, which are equally long and lie apart; nothing if they are the same.
  void copy(const Buffer& to, const Buffer& from);
  /// `into` with `other` combined into `into`; `other` is the left operand or the right one.
  enum class Operand : std::uint8_t { left, right };
  void combine(const Buffer& into, const Buffer& other, Operand o);
  /// `n` bytes from `offset` of the memory that the algorithm asked for. Throws std::runtime_error if the rank has
  /// none.
  Buffer scratch(Bytes offset, Bytes n) const;

 private:
  int world_rank() const { return members_.ranks[static_cast<std::size_t>(rank_)]; }
  World& world_;
  Fiber& fiber_;
  const Members& members_;
  int rank_;
  int tag_;
};

/// Bytes `from` .. `from` + `n` of a buffer.
inline Buffer part(const Buffer& b, Bytes from, Bytes n) {
  Buffer out = b;
  out.offset = b.offset + from;
  out.size = n;
  return out;
}

}  // namespace tsunagi::comm
