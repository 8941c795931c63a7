// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/facets/remote_memory.hpp"
#include "comm/group.hpp"
#include "comm/world/ledger.hpp"

namespace tsunagi::comm {

/// Memory of the members of a group that all of them may write and read: one rank's view of it (MPI 4.0, chapter 12,
/// active target). Over messages puts and gets are only noted when they are called; the call that ends their epoch says
/// to their targets what is to come, by one message a pair, and moves the bytes by messages that go to their place. By
/// the library's RemoteMemory, if all members show what it reaches, puts and gets begin as soon as their target is
/// known to show its memory; what it does not do itself goes by messages (window_direct.cpp). Errors of programs are
/// std::runtime_error and name the ranks.
class Window {
 public:
  /// What a member shows, as it told the others.
  struct Shown {
    Bytes size;
    Bytes offset;
    bool directly = false;  // the library's RemoteMemory reaches it
  };
  /// Made by `Group::window`: every member shows a `b` of any size; its ranks are the group's.
  Window(World& w, Fiber& f, Group group, const Buffer& b, std::vector<Shown> shown);
  /// Memory beside the buffers that a rank needs to make a window of so many ranks, and for epochs with `peers` others
  /// in which each pair has up to `most_operations` puts and gets.
  static Bytes scratch(int ranks, int peers);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// `from` to `to`'s window, from `offset` on.
  void put(int to, Bytes offset, const Buffer& from) { note(Kind::put, to, offset, from); }
  /// As many bytes as `into` has from `of`'s window, from `offset` on.
  void get(int of, Bytes offset, const Buffer& into) { note(Kind::get, of, offset, into); }

  /// Ends an epoch of all members, if there is one, and begins the next: everything to and from this rank is done.
  void fence();

  /// Begins to show the window to `origins`, until `wait`.
  void post(const std::vector<int>& origins);
  /// Begins to access the windows of `targets`, until `complete`.
  void start(const std::vector<int>& targets);
  /// Everything that this rank asked for since `start` is done. Serves the origins of a posted window meanwhile.
  void complete();
  /// Everything that origins asked for since `post` is done.
  void wait();

 private:
  enum class Kind : std::uint8_t { put, get };
  static constexpr Bytes told{24};                      // of a member, when a window is made
  static constexpr Bytes described{24};                 // an operation: kind and size, offset, address
  static constexpr std::int64_t most_operations = 256;  // that a rank has for another one in an epoch
  static constexpr int announced = 1;                   // tag: what is to come
  struct Operation {
    Kind kind = Kind::put;
    Bytes offset;
    Buffer local;
  };
  struct Shared;
  void note(Kind kind, int peer, Bytes offset, const Buffer& b);
  void local_ones();
  void tell(int to, std::vector<Request>& all);
  void expect(int from);
  std::vector<int> exchange_asked(std::vector<Request>& all);
  void serve(std::size_t i);
  void serve_until(const std::vector<Request>& all);
  void wait_for(const std::vector<Request>& all);
  Buffer announcement(Bytes n);

  // By RemoteMemory:
  /// A put or get that is under way.
  struct Issued {
    Request request;
    Operation what;
    int peer = 0;
    Ledger::Pieces bytes = {};  // of a put, with a ledger
  };
  using Flag = RemoteMemory::Flag;
  using Flags = std::vector<RemoteMemory::Raised>;
  bool direct(const Operation& o) const {
    return o.kind == Kind::put ? remote_->puts(o.local) : remote_->gets(o.local);
  }
  bool begins_at_once(const Operation& o, int peer) const;
  Buffer at_peer(const Operation& o, int peer) const;
  void make_room(int peer);
  void begin(const Operation& o, int peer);
  void begin_noted(int peer);
  void finish_issued();
  Request raise(Flag flag, int rank);
  RemoteMemory::Raised flag_of(Flag flag, int rank) const { return {number_, flag, group_.in_world(rank)}; }
  std::size_t next_announced() const;
  void progress(const Flags& flags, const std::function<bool()>& done);
  void await_post(int target);
  void await_accesses();
  void post_directly(int origin);
  void complete_directly();
  void fence_directly();
  bool to_itself(int target);
  int me() const { return group_.in_world(group_.rank()); }
  std::string who(int rank) const { return "rank " + std::to_string(group_.in_world(rank)); }

  World& world_;
  Fiber& fiber_;
  Group group_;
  Buffer mine_;
  std::vector<Shown> shown_;  // by rank
  Bytes announced_;           // what is said to others and by them, in the memory beside the buffers
  std::shared_ptr<Shared> shared_;
  std::vector<std::vector<Operation>> noted_;  // by target
  std::vector<int> targets_;                   // since `start`
  /// What origins are going to announce, and what has come of it. By RemoteMemory a flag may come in its place; then
  /// there is no request before an announcement has come.
  struct Expected {
    int from = 0;
    Request request;
  };
  std::vector<Expected> expected_;
  std::vector<Request> served_;
  bool fenced_ = false;
  bool started_ = false;
  bool posted_ = false;
  bool posted_to_itself_ = false;   // and it has not completed that
  RemoteMemory* remote_ = nullptr;  // null: messages alone
  int number_ = 0;                  // by which that knows the window
  std::vector<Issued> issued_;
  bool met_ = false;  // at a fence
};

}  // namespace tsunagi::comm
