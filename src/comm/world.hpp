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

#include "comm/library.hpp"
#include "comm/messages/messages.hpp"
#include "comm/messages/two_sided.hpp"
#include "comm/world/board.hpp"
#include "comm/world/calls.hpp"
#include "comm/world/finale.hpp"
#include "comm/world/groups.hpp"
#include "comm/world/ledger.hpp"
#include "comm/world/noticed_puts.hpp"
#include "comm/world/start_line.hpp"

namespace tsunagi::comm {

/// Where in each rank's memory collectives may put what they need for a while.
struct Scratch {
  Bytes begin;
  Bytes size;
  Bytes used;  // the most by any rank
};

/// What the ranks of a run share: a library, and what `src/comm` builds on it. What is kept here costs no simulated
/// time and is no way to hand data from rank to rank, but for values of a few bytes beside messages that stand for
/// them.
class World {
 public:
  /// `library` outlives it.
  explicit World(Library& library);
  Library& library() const { return library_; }
  /// What halo exchanges use: this, or that of the library which they go by (Library::halo).
  World& halo() { return halo_ == nullptr ? *this : *halo_; }
  Processor& processor() const { return library_.processor(); }
  /// Two-sided messages. Throws std::logic_error if the library has none.
  TwoSided& messages();
  /// From now on it is kept which bytes lie where. Before any message.
  void check_data();
  Ledger* ledger() const { return ledger_.get(); }
  Calls& calls() { return *calls_; }
  const Calls& calls() const { return *calls_; }
  Groups& groups() { return groups_; }
  /// What notices of prepared puts stand for.
  NoticedPuts& noticed_puts() { return noticed_puts_; }
  /// The sizes of the box in which the machine has the nodes of its ranks, the first dimension running fastest; empty:
  /// in none.
  const std::vector<std::int64_t>& box() const { return box_; }
  void set_box(std::vector<std::int64_t> sizes) {
    if (halo_ != nullptr) halo_->set_box(sizes);
    box_ = std::move(sizes);
  }
  /// Where what is sent may get lost on its way, so that it has to be sent again: "the wire A - B ..."; empty: nowhere.
  const std::string& loss() const { return loss_; }
  void set_loss(std::string where) {
    if (halo_ != nullptr) halo_->set_loss(where);
    loss_ = std::move(where);
  }
  const Scratch& scratch() const { return scratch_; }
  /// Somebody has used it up to there.
  void use_scratch(Bytes end) { scratch_.used = std::max(scratch_.used, end); }
  void set_scratch(Bytes begin, Bytes size) {
    if (halo_ != nullptr) halo_->set_scratch(begin, size);
    scratch_ = {begin, size, {}};
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
    noticed_puts_.set_listener(l);
    if (messages_ != nullptr) messages_->set_listener(l);
    if (halo_ != nullptr) halo_->set_listener(l);
  }

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
  /// A program has ended in a way that it should not.
  void complain(std::string what) { complaints_.push_back(std::move(what)); }
  /// Complaints, messages and receives that never met.
  std::vector<std::string> leftovers() const;

 private:
  /// Of a library beside that of `whole`.
  World(Library& library, World& whole);
  /// Whether others need a rank whose program makes no calls.
  bool attends() const;
  void end_messages(Fiber& f, int rank);

  [[noreturn]] static void refuse_shape(int rank);

  Library& library_;
  World* whole_ = nullptr;  // whose `halo_` this is
  std::shared_ptr<Calls> calls_;
  Groups groups_;
  std::shared_ptr<Ledger> ledger_;
  std::unique_ptr<Messages> over_transport_;
  TwoSided* messages_ = nullptr;  // those of the library or these, once somebody has asked
  Finale finale_;
  Listener* listener_ = nullptr;
  std::vector<std::int64_t> box_;
  std::string loss_;
  Scratch scratch_;
  Board<std::vector<std::int64_t>> said_;
  Board<Ledger::Pieces> brought_;
  NoticedPuts noticed_puts_;
  std::vector<std::string> complaints_;
  std::unique_ptr<World> halo_;
};

}  // namespace tsunagi::comm
