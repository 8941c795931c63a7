// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/facets/processor.hpp"
#include "comm/messages/two_sided.hpp"
#include "comm/steps.hpp"
#include "config/describe.hpp"
#include "models/host/core.hpp"

namespace tsunagi::libraries {

/// What is packed, and how.
enum class Packing : std::uint8_t {
  whole,   // everything, as MPIBLACS does
  pieces,  // what is not contiguous, as BLACS-FMPL does
};

struct BlacsMessagesConfig {
  Packing packing = Packing::pieces;
  Bytes pack_buffer = 256_KiB;
  std::int64_t call_cycles = 740;
  std::int64_t type_cycles = 0;
};
void describe(BlacsMessagesConfig& c, config::Describer& d);

/// Sends and receives of BLACS (paper 002, 5.3), made of those of the library below. Both block: a send is over when
/// the call that begins it returns; a receive is made when somebody waits for it. They name their peer and a tag, which
/// BLACS itself does not have and passes on.
///
/// Packing `whole`: the core makes a derived data type of the area, packs it into a buffer, sends that and waits; the
/// receiver makes a type, receives into a buffer, waits, and unpacks. `pieces`: contiguous areas go as they are. Others
/// go through two buffers in turn, whole blocks at a time where they fit: while one piece is on its way the next is
/// packed, and the one before unpacked. Pieces have two tags below in turn, 2 t and 2 t + 1, contiguous areas 2 t. Who
/// receives does not learn how the other end's area lies: if only one of them is contiguous, both have to fit a buffer.
/// What is received in blocks is as long as what is sent, as BLACS has it (M and N are said at both ends).
///
/// What collectives send is none of this.
class BlacsMessages final : public comm::TwoSided {
 public:
  /// `cores`: of the ranks. `buffers`: where the first one lies in each rank's memory. All outlive this.
  BlacsMessages(const BlacsMessagesConfig& c, comm::TwoSided& below, comm::Processor& processor,
                std::vector<host::Core*> cores, const comm::Steps& step, Bytes buffers);
  static int buffers_of(const BlacsMessagesConfig& c) { return c.packing == Packing::whole ? 1 : 2; }

  /// Whether the core packs such an area.
  bool packs(const comm::Buffer& b) const { return config_.packing == Packing::whole || !comm::is_contiguous(b); }
  /// Why it does not send or receive such an area; empty: it does.
  std::string refusal(const comm::Buffer& b) const;

  comm::Request isend(Fiber& f, int from, int to, int context, int tag, const comm::Buffer& b) override;
  comm::Request irecv(Fiber& f, int rank, const comm::Pattern& p, const comm::Buffer& b) override;
  bool test(Fiber& f, int rank, const comm::Request& r) override;
  void wait_all(Fiber& f, int rank, const std::vector<comm::Request>& all) override;
  std::size_t wait_any(Fiber& f, int rank, const std::vector<comm::Request>& all) override;
  void finish(Fiber& f, int rank) override { below_.finish(f, rank); }
  void stand_by(Fiber& f, int rank, Event& told, const std::function<bool()>& over) override {
    below_.stand_by(f, rank, told, over);
  }
  void finalize(Fiber& f, int rank, comm::Finale& all) override { below_.finalize(f, rank, all); }
  std::vector<std::string> leftovers() const override;
  /// Pieces of an area take turns with two tags of the library below.
  int tags() const override { return config_.packing == Packing::whole ? below_.tags() : below_.tags() / 2; }
  bool nonblocking() const override { return false; }
  bool keeps(const comm::Buffer& b, int tags, int each) const override {
    return below_.keeps(comm::in_one_piece(b), tags, each);
  }
  void set_listener(comm::Listener& l) override;
  void set_ledger(comm::Ledger* l) override;

 private:
  /// Passes on what is heard of the library below, but for its sends and receives of which those here are made.
  struct Filter final : comm::Listener {
    void call(const comm::Call& c) override;
    void step(const comm::Step& s) override { above->step(s); }
    void wait(const comm::Wait& w) override;
    comm::Listener* above = nullptr;
  };
  /// A receive that nobody has waited for.
  struct Receive {
    comm::Pattern from;
    comm::Buffer into;
    comm::Request request;
  };
  /// A send or a receive of a rank, in terms of the library below.
  struct Way {
    int rank = 0;
    int peer = 0;
    int context = 0;
    int tag = 0;
  };
  /// A piece of an area, from byte `begin` on.
  struct Piece {
    Bytes begin;
    Bytes size;
    comm::Request request;
  };

  /// Its receive, if it is one; else the end.
  std::list<Receive>::iterator find(int rank, const comm::Request& r);
  void receive(Fiber& f, int rank, const Receive& r);
  void send_whole(Fiber& f, const Way& w, const comm::Buffer& b);
  Bytes receive_whole(Fiber& f, const Way& w, const comm::Buffer& b);
  void send_pieces(Fiber& f, const Way& w, const comm::Buffer& b);
  Bytes receive_pieces(Fiber& f, const Way& w, const comm::Buffer& b);
  /// What comes on a receive's way, in the order in which it was sent.
  std::deque<comm::Envelope>& under_way(const Way& receive) {
    return under_way_[{receive.peer, receive.rank, receive.context, receive.tag}];
  }
  /// The pieces of an area.
  std::vector<Piece> pieces_of(const comm::Buffer& b) const;
  /// What piece `p` of an area is.
  comm::Buffer area_of(const comm::Buffer& b, const Piece& p) const;
  /// The first `n` bytes of a buffer.
  comm::Buffer buffer(std::size_t number, Bytes n) const;
  void begin_call(Fiber& f, int rank);
  /// A step that packs, or unpacks.
  void copy(Fiber& f, int rank, const char* name, const comm::Buffer& to, const comm::Buffer& from);
  host::Core& core(int rank) const { return *cores_[static_cast<std::size_t>(rank)]; }

  BlacsMessagesConfig config_;
  comm::TwoSided& below_;
  comm::Processor& processor_;
  std::vector<host::Core*> cores_;
  const comm::Steps& step_;
  Bytes buffers_;
  comm::Ledger* ledger_ = nullptr;
  Filter filter_;
  comm::RequestPool requests_;
  std::vector<std::list<Receive>> receives_;           // by rank
  std::map<std::pair<int, int>, std::uint32_t> sent_;  // messages of a pair
  /// Messages that have not been received: for who observes, and for checks. By source, target, context and tag.
  std::map<std::tuple<int, int, int, int>, std::deque<comm::Envelope>> under_way_;
};

}  // namespace tsunagi::libraries
