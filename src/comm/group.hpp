// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/collectives/catalog.hpp"
#include "comm/request.hpp"
#include "comm/world.hpp"

namespace tsunagi::comm {

class Window;

/// A receive or a send that is started again and again with the same arguments (MPI 4.0, 3.9).
struct Persistent {
  bool sends = false;
  int peer = 0;
  int tag = 0;
  Buffer buffer;
};

/// One rank's view of a group of ranks, what MPI calls a communicator. Peers are ranks of the group. Calls block the
/// rank's fiber. Errors of programs are std::runtime_error and name the ranks (of the world).
class Group {
 public:
  Group(World& w, Fiber& f, std::shared_ptr<const Members> m, int rank)
      : world_(&w), fiber_(&f), members_(std::move(m)), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_->ranks.size()); }
  /// The world rank of a member.
  int in_world(int rank) const { return members_->ranks[static_cast<std::size_t>(rank)]; }

  // Point to point. Tags are 0 .. largest_tag.
  void send(int to, int tag, const Buffer& b);
  Status recv(int from, int tag, const Buffer& b);
  Request isend(int to, int tag, const Buffer& b);
  Request irecv(int from, int tag, const Buffer& b);
  /// A send and a receive at once.
  Status sendrecv(int to, int send_tag, const Buffer& out, int from, int recv_tag, const Buffer& in);
  bool test(const Request& r);
  Status wait(const Request& r);
  void wait_all(const std::vector<Request>& all);
  /// Returns which one has completed.
  std::size_t wait_any(const std::vector<Request>& all);
  Status probe(int from, int tag);
  std::optional<Status> iprobe(int from, int tag);
  Request start(const Persistent& p);

  /// The collective call that `c` says, by the algorithm that `how` names: what all those below are.
  void collective(CollectiveCall c, const Choice& how = {});

  // Collectives, by the algorithm that `how` names; empty: by size and number of ranks (collectives/catalog.hpp), which
  // `refusal` there says before time 0. All ranks have to make the same call. Where nobody has a byte to send, nothing
  // is sent. Reductions may have `in` as `out`, gathers a block of `out` as `in`, scatters a block of `in` as `out`; an
  // all-to-all may not.
  void barrier(const Choice& how = {});
  /// `b` of the root to `b` of all.
  void broadcast(int root, const Buffer& b, const Choice& how = {});
  /// All ranks' `in`, element by element, to `out` of the root.
  void reduce(int root, const Buffer& in, const Buffer& out, const Choice& how = {});
  void allreduce(const Buffer& in, const Buffer& out, const Choice& how = {});
  /// `in` of the root, in blocks by rank, each to `out` of its rank.
  void scatter(int root, const Buffer& in, const Buffer& out, const Choice& how = {});
  /// `in` of each rank to its block of `out` of the root.
  void gather(int root, const Buffer& in, const Buffer& out, const Choice& how = {});
  void allgather(const Buffer& in, const Buffer& out, const Choice& how = {});
  /// Block i of `in` of rank j to block j of `out` of rank i.
  void all_to_all(const Buffer& in, const Buffer& out, const Choice& how = {});
  // With blocks of different sizes, `sizes` by rank, which lie one behind the other.
  void scatter_v(int root, const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes,
                 const Choice& how = {});
  void gather_v(int root, const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes, const Choice& how = {});
  void allgather_v(const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes, const Choice& how = {});
  /// `to`: by rank, what this one sends; `from`: what it gets.
  void all_to_all_v(const Buffer& in, const Buffer& out, const std::vector<Bytes>& to, const std::vector<Bytes>& from,
                    const Choice& how = {});

  /// For observers: does what all members do together beside collective calls, as an iteration; `name` is a literal,
  /// `number` counts those of that name, `size` is what this one moves.
  template <class F>
  void together(const char* name, std::uint64_t number, Bytes size, F&& body) {
    world_->together(*fiber_, {world_rank(), name, {}, members_->context, number, this->size(), -1, size},
                     [&](Together&) { body(); });
  }
  /// The members that say the same `colour`, in the order of their `key`, then of their ranks: a collective call.
  Group split(int colour, int key);
  /// A collective call: memory of all members for puts and gets.
  std::unique_ptr<Window> window(const Buffer& b);

  /// A collective call: every member says equally many numbers, of eight bytes, to all.
  struct Said {
    std::uint64_t call = 0;  // which of the group's it was
    std::vector<std::vector<std::int64_t>> values;
  };
  Said tell_all(const char* call, std::vector<std::int64_t> values);
  /// `from` to `to`, both of this rank.
  void copy(const Buffer& to, const Buffer& from);
  int context() const { return members_->context; }

 private:
  int world_rank() const { return in_world(rank_); }
  int world_peer(int rank) const { return rank < 0 ? rank : in_world(rank); }
  Pattern pattern(int from, int tag) const { return {world_peer(from), tag, members_->context}; }
  Status in_group(Status s) const;
  void check_peer(const char* call, int peer, int tag, bool wild) const;
  const char* run(CollectiveCall& c, std::uint64_t number, const Choice& how);
  void fit_buffers(CollectiveCall& c) const;

  World* world_;
  Fiber* fiber_;
  std::shared_ptr<const Members> members_;
  int rank_;
};

}  // namespace tsunagi::comm
