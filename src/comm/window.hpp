// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/group.hpp"

namespace tsunagi::comm {

/// Memory of the members of a group that all of them may write and read: one rank's view of it (MPI 4.0, chapter 12,
/// active target). Puts and gets are only noted when they are called; the call that ends their epoch says to their
/// targets what is to come, by one message a pair, and moves the bytes by messages that go to their place. Errors of
/// programs are std::runtime_error and name the ranks.
class Window {
 public:
  /// Made by `Group::window`: every member shows a `b` of any size; its ranks are the group's.
  Window(World& w, Group group, const Buffer& b, std::vector<Bytes> sizes);
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
  void serve(std::size_t i);
  void serve_until(const std::vector<Request>& all);
  void wait_for(const std::vector<Request>& all);
  Buffer announcement(Bytes n);
  std::string who(int rank) const { return "rank " + std::to_string(group_.in_world(rank)); }

  World& world_;
  Group group_;
  Buffer mine_;
  std::vector<Bytes> sizes_;  // by rank
  Bytes announced_;           // what is said to others and by them, in the memory beside the buffers
  std::shared_ptr<Shared> shared_;
  std::vector<std::vector<Operation>> noted_;  // by target
  std::vector<int> targets_;                   // since `start`
  /// What origins are going to announce, and what has come of it.
  struct Expected {
    int from = 0;
    Request request;
  };
  std::vector<Expected> expected_;
  std::vector<Request> served_;
  bool fenced_ = false;
  bool started_ = false;
  bool posted_ = false;
  bool posted_to_itself_ = false;  // and it has not completed that
};

}  // namespace tsunagi::comm
