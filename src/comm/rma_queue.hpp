// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "comm/window.hpp"

namespace tsunagi::comm {

/// How writes of an RMA queue get to other ranks.
enum class RmaBy : std::uint8_t {
  puts,      ///< prepared puts (Puts), of which the last one to each rank notifies it
  window,    ///< puts into a window, in epochs of post, start, complete and wait (MPI-3)
  messages,  ///< persistent sends and receives
};

/// Memory of ranks that others write (paper 001, 4.1): where each has it.
class RmaWindow {
 public:
  /// A collective call of ranks 0 .. `ranks` - 1: each shows a `mine` of any size, all in the same place.
  RmaWindow(Rank& rank, int ranks, const Buffer& mine, RmaBy by);
  RmaBy by() const { return by_; }
  const Buffer& mine() const { return mine_; }
  int ranks() const { return static_cast<int>(shown_.size()); }
  /// `size` bytes of a rank's window from `offset` on. Throws std::runtime_error for bytes or a rank that there are
  /// not.
  Buffer part_of(int rank, Bytes offset, Bytes size) const;
  Window* window() const { return window_.get(); }

 private:
  int me_;
  Buffer mine_;
  RmaBy by_;
  std::vector<Stretch> shown_;  // by rank
  std::unique_ptr<Window> window_;
};

/// What a rank writes to another one's window, again and again. `tag` keeps several between two ranks apart.
struct RmaWrite {
  int to = 0;
  int tag = 0;
  Buffer from;
  Bytes offset;  ///< in the window
};

/// What another one writes to the own window.
struct RmaOrigin {
  int from = 0;
  int tag = 0;
  Bytes offset;
  Bytes size;
};

/// Writes between ranks that are made known once and then started again and again, and the wait for those of others:
/// the RMA queue of QUDA on TCA (paper 001, 4.3). Each rank says what it writes (`push`) and what is written to it
/// (`add_origin`), commits, and then goes through rounds of `start` and `wait`. In a round all ranks start before any
/// starts the next one; a round may begin at a rank when it has waited, as long as the memory that is written is not
/// read any more (else another window, in turn). Queues between the same ranks take turns, in the same order at all of
/// them: one round is over at a rank before it starts that of another queue. Errors of programs are std::runtime_error
/// and name the rank.
class RmaQueue {
 public:
  /// Both outlive it. `method` is the library's way to prepare puts (Puts::methods).
  RmaQueue(Rank& rank, RmaWindow& window, std::string method = {});
  ~RmaQueue();
  RmaQueue(const RmaQueue&) = delete;
  RmaQueue& operator=(const RmaQueue&) = delete;

  void push(const RmaWrite& w);
  void add_origin(const RmaOrigin& o);
  /// Ends that; what can be prepared is (by puts: descriptors are written).
  void commit();
  /// Stores to the device that `commit` took; 0: none is given anything then.
  std::int64_t stores() const { return prepared_ < 0 ? 0 : rank_.stores(prepared_); }
  /// Starts all that was pushed; returns when the rank may go on.
  void start();
  /// Returns when what was started may be changed again, and all that is written to this rank in this round is there.
  void wait();
  /// Forgets all; behind it the queue may be given something else.
  void clear();
  /// What `commit` prepares.
  std::vector<Put> puts() const;

 private:
  enum class State : std::uint8_t { open, committed, started };
  [[noreturn]] void refuse(const std::string& what) const;
  void await_all();
  std::vector<int> targets() const;
  std::vector<int> origins() const;

  Rank& rank_;
  RmaWindow& window_;
  std::string method_;
  State state_ = State::open;
  std::vector<RmaWrite> writes_;
  std::vector<RmaOrigin> origins_;
  int prepared_ = -1;               // by puts; -1: nothing
  std::vector<Request> under_way_;  // by messages
};

}  // namespace tsunagi::comm
