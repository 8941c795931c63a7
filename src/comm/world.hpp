// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/board.hpp"
#include "comm/calls.hpp"
#include "comm/communicator.hpp"
#include "comm/finale.hpp"
#include "comm/ledger.hpp"
#include "comm/messages/messages.hpp"
#include "comm/messages/two_sided.hpp"
#include "comm/start_line.hpp"

namespace tsunagi::comm {

/// Who belongs to a group: world ranks by their rank in it, and what keeps its messages apart from others'. Collectives
/// use context + 1.
struct Members {
  std::vector<int> ranks;
  int context = 0;
};

/// What the ranks of a run share: a library, and what `src/comm` builds on it. What is kept here costs no simulated
/// time and is no way to hand data from rank to rank, but for values of a few bytes beside messages that stand for
/// them.
class World {
 public:
  /// `library` outlives it.
  explicit World(Communicator& library);
  Communicator& library() const { return library_; }
  /// What halo exchanges use: this, or that of the library which they go by (Communicator::halo).
  World& halo() { return halo_ == nullptr ? *this : *halo_; }
  Processor& processor() const { return library_.processor(); }
  /// Two-sided messages. Throws std::logic_error if the library has none.
  TwoSided& messages();
  /// From now on it is kept which bytes lie where. Before any message.
  void check_data();
  Ledger* ledger() const { return ledger_.get(); }
  Calls& calls() { return *calls_; }
  const Calls& calls() const { return *calls_; }
  std::shared_ptr<const Members> everybody() const { return everybody_; }
  /// Ranks 0 .. n - 1; always the same group.
  std::shared_ptr<const Members> first(int n);
  /// The sizes of the box in which the machine has the nodes of its ranks, the first dimension running fastest; empty:
  /// in none.
  const std::vector<std::int64_t>& box() const { return box_; }
  void set_box(std::vector<std::int64_t> sizes) {
    if (halo_ != nullptr) halo_->set_box(sizes);
    box_ = std::move(sizes);
  }
  /// Where in each rank's memory collectives may put what they need for a while; nothing yet.
  Bytes scratch_begin() const { return scratch_begin_; }
  Bytes scratch_size() const { return scratch_size_; }
  /// The most that any rank has used of it since the last `set_scratch`.
  Bytes scratch_used() const { return scratch_used_; }
  void use_scratch(Bytes end) { scratch_used_ = std::max(scratch_used_, end); }
  void set_scratch(Bytes begin, Bytes size) {
    if (halo_ != nullptr) halo_->set_scratch(begin, size);
    scratch_begin_ = begin;
    scratch_size_ = size;
    scratch_used_ = {};
  }
  /// Does what a rank does itself, outside its library, and tells observers of it by `name`, a literal.
  template <class F>
  void step(const Fiber& f, int rank, const char* name, F&& body) const {
    const Time begin = f.now();
    body();
    if (listener_ != nullptr && begin < f.now()) listener_->step({rank, name, begin, f.now()});
  }
  /// Does what all ranks of a group do together, and tells observers of it; `t` says all but when.
  template <class F>
  void together(const Fiber& f, Together t, F&& body) const {
    t.begin = f.now();
    body(t);
    t.end = f.now();
    if (listener_ != nullptr) listener_->together(t);
  }
  /// Who hears of two-sided messages, and of what ranks do beside them.
  void set_listener(Listener& l) {
    listener_ = &l;
    if (messages_ != nullptr) messages_->set_listener(l);
    if (halo_ != nullptr) halo_->set_listener(l);
  }

  /// Rank `rank` enters its next collective call in a group; `what` says which. Throws std::runtime_error if another
  /// one's call with the same number is a different one. Returns the number.
  std::uint64_t enter_collective(const Members& group, int rank, const std::string& what);
  /// Numbers that the members of a group tell each other beside messages: a rank leaves some in its n-th call; who has
  /// received a message that says so may look.
  Board<std::vector<std::int64_t>>& said() { return said_; }
  /// For the ledger alone: what the members of a group brought to a call.
  Board<Ledger::Pieces>& brought() { return brought_; }
  /// Throws std::runtime_error if rank `rank` uses an area that is not contiguous and the library takes none.
  void check_shape(int rank, const Buffer& b) const {
    if (!is_contiguous(b) && !library_.takes_shapes()) refuse_shape(rank);
  }
  /// Copies `from` to `to`, both of one rank and equally long.
  void copy(Fiber& f, int rank, const Buffer& to, const Buffer& from);
  /// For the ledger alone: rank `from` starts puts; the next one of rank `from` that notifies has come to rank `to`,
  /// and those before it. What no notice follows nobody knows to have come.
  void note_puts(int from, const std::vector<Put>& puts);
  void note_arrival(int to, int from);
  /// For observers: rank `from` has started puts that notify `to`; it has waited until those that it started last had
  /// left; that one has waited for the next notice (`w` says all but what `note_start` told).
  void note_start(int from, int to, Bytes size, Time started);
  void note_left(const Wait& w) const;
  void note_notice(Wait w);
  /// The context of the group that the members of `group` with a colour make in their n-th call.
  int context_of(const Members& group, std::uint64_t call, std::int64_t colour);
  /// The rank's program is going to wait outside of calls: what it has to send leaves first.
  void finish(Fiber& f, int rank) {
    if (messages_ != nullptr) messages_->finish(f, rank);
    if (halo_ != nullptr) halo_->finish(f, rank);
  }
  /// It waits there until `told` has been notified and it is `over`.
  void stand_by(Fiber& f, int rank, Event& told, const std::function<bool()>& over) {
    if (halo_ != nullptr && halo_->attends()) return halo_->stand_by(f, rank, told, over);
    if (messages_ == nullptr) return f.wait(told, StartLine::why);
    messages_->stand_by(f, rank, told, over);
  }
  /// A rank has a program, which is going to `finalize`. Before time 0.
  void add_program();
  /// It has ended. Returns when no other one needs the rank any more.
  void finalize(Fiber& f, int rank);
  const Finale& finale() const { return finale_; }
  /// What those with one context have in common; made by the first who asks.
  std::shared_ptr<void> shared(int context, const std::function<std::shared_ptr<void>()>& make) {
    std::shared_ptr<void>& s = shared_[context];
    if (s == nullptr) s = make();
    return s;
  }
  /// A program has ended in a way that it should not.
  void complain(std::string what) { complaints_.push_back(std::move(what)); }
  /// Complaints, messages and receives that never met.
  std::vector<std::string> leftovers() const;

 private:
  /// Of a library beside that of `whole`.
  World(Communicator& library, World& whole);
  /// Whether others need a rank whose program makes no calls.
  bool attends() const;
  void end_messages(Fiber& f, int rank);

  struct Collective {
    std::string what;
    int first = 0;  // who came first
    std::size_t entered = 0;
  };
  [[noreturn]] static void refuse_shape(int rank);

  Communicator& library_;
  World* whole_ = nullptr;  // whose `halo_` this is
  std::shared_ptr<Calls> calls_;
  std::shared_ptr<const Members> everybody_;
  std::map<int, std::shared_ptr<const Members>> first_;  // by how many
  std::shared_ptr<Ledger> ledger_;
  std::unique_ptr<Messages> over_transport_;
  TwoSided* messages_ = nullptr;  // those of the library or these, once somebody has asked
  Finale finale_;
  Listener* listener_ = nullptr;
  std::vector<std::int64_t> box_;
  Bytes scratch_begin_;
  Bytes scratch_size_;
  Bytes scratch_used_;
  int contexts_ = 2;
  std::map<std::pair<int, int>, std::uint64_t> numbers_;             // of collective calls, by context and rank
  std::map<std::pair<int, std::uint64_t>, Collective> collectives_;  // by context and number
  Board<std::vector<std::int64_t>> said_;
  Board<Ledger::Pieces> brought_;
  /// Bytes that puts bring.
  struct Brought {
    Buffer where;
    Ledger::Pieces what;
  };
  std::map<std::pair<int, int>, std::deque<std::vector<Brought>>> puts_;  // by from and to, a list a notice
  struct Notice {
    Bytes size;
    Time started;
  };
  std::map<std::pair<int, int>, std::deque<Notice>> notices_;  // likewise
  std::map<int, std::shared_ptr<void>> shared_;                // by context
  std::vector<std::string> complaints_;
  std::map<std::tuple<int, std::uint64_t, std::int64_t>, int> splits_;
  std::unique_ptr<World> halo_;
};

}  // namespace tsunagi::comm
