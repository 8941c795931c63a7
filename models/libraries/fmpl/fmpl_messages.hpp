// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "comm/facets/protocols.hpp"
#include "comm/messages/two_sided.hpp"
#include "comm/steps.hpp"
#include "models/libraries/fmpl/fmpl_any_source.hpp"
#include "models/libraries/fmpl/fmpl_config.hpp"
#include "models/libraries/fmpl/fmpl_one_copy.hpp"
#include "models/libraries/fmpl/fmpl_own.hpp"
#include "models/libraries/fmpl/fmpl_slots.hpp"

namespace tsunagi::libraries {

/// FMPL's two-sided messages (paper 002, 2.2 and 5.1), matched at the sender: a receive writes its header, where the
/// data go to, into a matching slot of the sender by a transfer control word (TCW) that is used again; a send waits for
/// that header, changes a TCW and has the data written by remote DMA to where they belong. Behind them the adapter
/// writes the receiver's completion flag. Data are copied nowhere, but with a send buffer (FmplOneCopy).
///
/// A tag is the number of a matching slot (FmplSlots); nothing is queued there, so that a slot must not be used by two
/// messages at once; a send whose slot a buffered one still has waits for that. Receives with any tag (2.5), one of a
/// pair at a time, have a slot of their own, where each send of a program looks, too: of two receives that a send could
/// meet, one with its tag and one with any, it is the one that it sees first.
class FmplMessages final : public comm::TwoSided, private Attended {
 public:
  /// All outlive this.
  FmplMessages(const FmplConfig& c, std::vector<ComBufNode>& nodes, const comm::Steps& step,
               comm::Processor& processor);

  comm::Request isend(Fiber& f, int from, int to, int context, int tag, const comm::Buffer& b) override;
  comm::Request irecv(Fiber& f, int rank, const comm::Pattern& p, const comm::Buffer& b) override;
  bool test(Fiber& f, int rank, const comm::Request& r) override;
  void wait_all(Fiber& f, int rank, const std::vector<comm::Request>& all) override;
  std::size_t wait_any(Fiber& f, int rank, const std::vector<comm::Request>& all) override;
  void finish(Fiber& f, int rank) override;
  std::vector<std::string> leftovers() const override;
  int tags() const override { return config_.slots / 2; }
  /// Of all messages.
  comm::Protocol protocol() const;
  bool queues() const override { return false; }
  bool keeps(const comm::Buffer& b, int tags, int each) const override {
    return each == 1 && FmplSendBuffer::taken_by(b.size) * tags <= config_.send_buffer;
  }

 private:
  using Sends = std::list<FmplPending>;
  struct End {
    std::map<int, std::uint32_t> sequences;  // by peer: of the next message to it
    Sends sends;
    Sends kept;     // sends that have completed: their data are in the buffer
    Sends leaving;  // whose data are on their way
    std::list<FmplPending> receives;
  };
  End& end(int rank) { return ends_[static_cast<std::size_t>(rank)]; }
  const End& end(int rank) const { return ends_[static_cast<std::size_t>(rank)]; }
  ComBufNode& node(int rank) { return nodes_[static_cast<std::size_t>(rank)]; }
  bool completed(const comm::Request& r, Time now) const { return r.at(comm::Milestone::completed) <= now; }

  /// A call begins: its slot is looked up.
  void begin(Fiber& f, int rank, const FmplPending& p, const char* what);
  /// A receive whose slot is known asks for its data.
  void ask(Fiber& f, int rank, const FmplPending& p);
  /// A send whose header is there, or is waited for: has its data leave, and waits until they have left.
  void start_data(Fiber& f, int rank, FmplPending& p);
  void end_data(Fiber& f, int rank, const FmplPending& p);
  void receive_data(Fiber& f, int rank, const FmplPending& p);
  /// The receive is that of the message that `source` has announced.
  void accept(Fiber& f, int rank, FmplPending p, int source);
  /// There is an announcement of `peer`.
  void hear(Fiber& f, int rank, int peer);

  /// When the first send turns to the buffer.
  Time deadline(int rank, const std::vector<comm::Request>& waited);
  /// Has a send that `waited` has, whose header has not come in time, turn to the buffer; false: there is none.
  bool keep_late(Fiber& f, int rank, const std::vector<comm::Request>& waited);
  /// Returns when no buffered send has the slot of `p` any more. Throws std::runtime_error if another send has it.
  void wait_for_slot(Fiber& f, int rank, const FmplPending& p);
  /// Has the data of the first of `sends` leave whose header has come.
  void send_asked(Fiber& f, int rank, Sends& sends);
  /// Sends that wait for their headers, and the words that those come by.
  void asked_for(int rank, std::vector<Sends::iterator>& which, std::vector<host::Core::Polled>& words);
  /// The data of such a send leave.
  void answer(Fiber& f, int rank, Sends::iterator send);
  // While the rank waits in a collective:
  std::vector<host::Core::Polled> words(int rank) override;
  void attend(Fiber& f, int rank, std::size_t which) override;
  /// Waits until one of `waited` is complete, and sends meanwhile what is asked for.
  void progress(Fiber& f, int rank, const std::vector<comm::Request>& waited);

  FmplConfig config_;
  std::vector<ComBufNode>& nodes_;
  const comm::Steps& step_;
  FmplSlots slots_;
  FmplAnySource any_source_;
  FmplOneCopy one_copy_;
  FmplOwn own_;
  std::vector<End> ends_;
  comm::RequestPool requests_;
  /// What messages are that are on their way, by source, target and slot: for who observes. A receive learns of the
  /// sender's data alone.
  std::map<std::tuple<int, int, int>, comm::Envelope> under_way_;
};

}  // namespace tsunagi::libraries
