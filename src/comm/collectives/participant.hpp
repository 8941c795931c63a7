// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/collectives/call.hpp"
#include "comm/world.hpp"

namespace tsunagi::comm {

/// A rank in a collective call, as algorithms see it: messages of this call between ranks of the group, work on its own
/// memory, a little memory more. Messages of a pair of ranks keep their order.
class Participant {
 public:
  Participant(World& w, Fiber& f, const Members& m, int rank, std::uint64_t call);
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.ranks.size()); }

  /// A message without bytes is not sent, because both ends know that it would have none: its request is void, and
  /// `wait` passes over it.
  Request isend(int to, const Buffer& b);
  /// A message of exactly that size. When it is waited for and has another one: std::runtime_error, it names the ranks.
  Request irecv(int from, const Buffer& b);
  /// A message that says no more than that it comes.
  Request tell(int to) { return post(to, {}); }
  Request hear(int from) { return expect(from, {}); }
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
  /// The first `n` bytes of it, which `scratch` then leaves alone.
  Buffer reserve(Bytes n);
  /// The library does the call itself, by hardware or not.
  void by_hardware(const CollectiveCall& c);
  void by_software(const CollectiveCall& c);

 private:
  /// Receives under way.
  struct Expected {
    Request request;
    int from = 0;
    Bytes size;
  };
  int world_rank() const { return members_.ranks[static_cast<std::size_t>(rank_)]; }
  Request post(int to, const Buffer& b);
  Request expect(int from, const Buffer& b);
  void check_sizes();
  void by_library(LibraryCollectives& own, const char* how, const CollectiveCall& c);

  World& world_;
  Fiber& fiber_;
  const Members& members_;
  int rank_;
  std::uint64_t call_;
  int tag_;
  Bytes reserved_;
  std::vector<Expected> expected_;
};

/// Whether both lie in the same memory of a rank.
inline bool same_place(const Buffer& a, const Buffer& b) {
  return a.place == b.place || (is_host(a.place) && is_host(b.place));
}

/// Bytes `from` .. `from` + `n` of a buffer.
inline Buffer part(const Buffer& b, Bytes from, Bytes n) {
  Buffer out = b;
  out.offset = b.offset + from;
  out.size = n;
  return out;
}

}  // namespace tsunagi::comm
