// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "comm/messages/two_sided.hpp"
#include "comm/steps.hpp"
#include "models/libraries/fmpl/fmpl_send_buffer.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

struct FmplConfig : ComBufNodeConfig {
  int slots = 1024;
  std::int64_t begin_cycles = 125;
  std::int64_t header_cycles = 25;
  std::int64_t post_cycles = 250;
  Bytes broadcast_buffer = 1_MiB;
  bool any_tag = false;
  bool any_source = false;
  Bytes send_buffer;
  Time timeout;
};
void describe(FmplConfig& c, config::Describer& d);

/// FMPL's two-sided messages (paper 002, 2.2 and 5.1), matched at the sender: a receive writes its header, where the
/// data go to, into a matching slot of the sender by a transfer control word (TCW) that is used again; a send waits for
/// that header, changes a TCW and has the data written by remote DMA to where they belong. Behind them the adapter
/// writes the receiver's completion flag. Data are copied nowhere, but with a `send_buffer` (2.3, one-copy
/// communication): a send whose call has waited for the header until `timeout` after it began copies its data there and
/// is complete. They leave from there when the header has come and the rank is in a call. Where there is no room for
/// them the send waits on.
///
/// A tag is the number of a matching slot, of which each pair of ranks has its own; nothing is queued there, so that a
/// slot must not be used by two messages at once; a send whose slot a buffered one still has waits for that.
/// Collectives have the upper half of the slots, in turn. Receives with any
/// tag (2.5), one of a pair at a time, have a slot of their own, where each send of a program looks, too: of two
/// receives that a send could meet, one with its tag and one with any, it is the one that it sees first.
///
/// Messages without a named source (2.4: fmpl_send_any, fmpl_recv_any) have a domain of their own: sends whose buffer's
/// method is "any" meet receives from any rank, and no others. They are matched at the receiver, which the paper leaves
/// to the implementation; here a send announces itself there, where each rank has a place; a receive that takes it
/// answers with its header, by another slot of the pair, and all goes on as by other slots.
class FmplMessages final : public comm::TwoSided, private Attended {
 public:
  /// All outlive this.
  FmplMessages(const FmplConfig& c, std::vector<ComBufNode>& nodes, const comm::Steps& step,
               comm::Processor& processor);

  comm::Request isend(comm::Fiber& f, int from, int to, int context, int tag, const comm::Buffer& b) override;
  comm::Request irecv(comm::Fiber& f, int rank, const comm::Pattern& p, const comm::Buffer& b) override;
  bool test(comm::Fiber& f, int rank, const comm::Request& r) override;
  void wait_all(comm::Fiber& f, int rank, const std::vector<comm::Request>& all) override;
  std::size_t wait_any(comm::Fiber& f, int rank, const std::vector<comm::Request>& all) override;
  void finish(comm::Fiber& f, int rank) override;
  std::vector<std::string> leftovers() const override;

 private:
  /// A header: offset, size and number of a receive, eight bytes each, the number last.
  static constexpr Bytes header_size{32};
  static constexpr Bytes flag_size{8};
  /// The method of buffers that send_any sends.
  static constexpr const char* any_method = "any";
  static constexpr int most_any_receives = 64;
  /// What a rank notes down of a matching slot: who has it, with which area.
  static constexpr Bytes record_size{64};

  /// A send that waits for its header, or a receive that waits for its data.
  struct Pending {
    comm::Envelope envelope;  // of a receive: what it asks for
    int peer = 0;
    int slot = 0;
    comm::Buffer bytes;
    comm::Request request;
    std::uint64_t transfer = 0;      // by which the data leave
    std::optional<Bytes> kept = {};  // where in the send buffer its data are
  };
  /// What a receive takes.
  static comm::Pattern pattern_of(const Pending& p) { return {p.envelope.source, p.envelope.tag, p.envelope.context}; }
  /// One matching slot of a pair of ranks, at one of them.
  struct Slot {
    std::uint64_t header = 0;  // what the last word of the last header that came said
    std::uint64_t flag = 0;    // what the flag said last
    bool sends = false;        // a message of this rank has it
    bool receives = false;
    bool ready = false;  // its TCW has been built: by fmpl_init
  };
  /// What a rank has of a peer.
  struct Pair {
    std::vector<Slot> slots;
    std::uint32_t sequence = 0;            // of the next message to the peer
    std::uint32_t collectives_sent = 0;    // messages of collectives to it
    std::uint32_t collectives_posted = 0;  // and from it
    std::uint64_t announced = 0;           // messages of send_any to it
    std::uint64_t heard = 0;               // the last one of it
  };
  struct End {
    std::map<int, Pair> pairs;
    std::list<Pending> sends;
    std::list<Pending> kept;  // sends that have completed: their data are in the buffer
    FmplSendBuffer buffer;
    std::list<Pending> leaving;  // whose data are on their way
    std::list<Pending> receives;
    std::list<Pending> own_sends;  // to itself, buffered ones too
    std::list<Pending> own_receives;
    std::list<Pending> any_receives;  // from any rank: no announced message has met them
    std::list<comm::Envelope> unmet;  // announced messages that no receive has met
    std::uint64_t headers = 0;
  };
  Pair& pair(int rank, int peer);
  int slots_of_pair() const { return config_.slots + (config_.any_source ? 2 : config_.any_tag ? 1 : 0); }
  /// Of receives with any tag.
  int any_slot() const { return config_.slots; }
  /// Of messages of send_any.
  int any_source_slot() const { return config_.slots + 1; }
  /// The matching slot of a message; `collectives`: how many of those went before. Throws std::runtime_error for a tag
  /// that is none.
  int slot_of(int rank, int context, int tag, std::uint32_t& collectives) const;
  std::uint64_t place(int peer, int slot, Bytes each) const;
  bool completed(const comm::Request& r, Time now) const { return r.at(comm::Milestone::completed) <= now; }

  /// Where a send may find its header.
  std::vector<int> slots_of(const Pending& p) const;
  host::Core::Polled header_of(int rank, int peer, int slot);
  bool header_is_there(int rank, const Pending& p);
  host::Core::Polled flag_of(int rank, const Pending& p);
  /// A call begins: its slot is looked up.
  void begin(comm::Fiber& f, int rank, const Pending& p, const char* what);
  void send_header(comm::Fiber& f, int rank, const Pending& p);
  /// A send whose header is there, or is waited for: has its data leave, and waits until they have left.
  void start_data(comm::Fiber& f, int rank, Pending& p);
  void end_data(comm::Fiber& f, int rank, const Pending& p);
  /// `slot`: of its receive, whose data go to `offset`.
  sr8000::Tcw data_tcw(int rank, const Pending& p, int slot, std::uint64_t offset) const;
  void receive_data(comm::Fiber& f, int rank, const Pending& p);
  void meet_own(comm::Fiber& f, int rank);
  /// Where the data of a send get into the buffer that is called for; none: it waits on.
  std::optional<Bytes> room(int rank, const Pending& p) const;
  /// When a send turns to the buffer, if `waited` has it; Time::max(): it does not.
  Time turns(int rank, const Pending& p, const std::vector<comm::Request>& waited) const;
  /// When the first one does.
  Time deadline(int rank, const std::vector<comm::Request>& waited) const;
  /// Copies the data of a send that `waited` has, whose header has not come in time, to the buffer; false: there is
  /// none.
  bool keep_late(comm::Fiber& f, int rank, const std::vector<comm::Request>& waited);
  void keep(comm::Fiber& f, int rank, Pending& p);
  /// Where the data of a send are.
  std::uint64_t source_of(int rank, const Pending& p) const {
    return p.kept ? send_buffer_ + unsigned_of(*p.kept)
                  : nodes_[static_cast<std::size_t>(rank)].user_base() + unsigned_of(p.bytes.offset);
  }
  /// Returns when no buffered send has the slot of `p` any more. Throws std::runtime_error if another send has it.
  void wait_for_slot(comm::Fiber& f, int rank, const Pending& p);
  /// Has the data of the first of `sends` leave whose header has come.
  void send_asked(comm::Fiber& f, int rank, std::list<Pending>& sends);
  void take_announcements(ComBufNode& n);
  /// Where the announcement of, or to, `peer` is in such an area.
  static std::uint64_t announcement(std::uint64_t area, int peer);
  void announce(comm::Fiber& f, int rank, const Pending& p);
  host::Core::Polled announcement_of(int rank, int peer) const;
  comm::Request receive_any(comm::Fiber& f, int rank, Pending p);
  /// The receive is that of the message that `source` has announced.
  void accept(comm::Fiber& f, int rank, Pending p, int source);
  /// There is an announcement of `peer`.
  void hear(comm::Fiber& f, int rank, int peer);
  /// Whether `waited` has a receive from any rank that no message has met.
  bool from_anybody(int rank, const std::vector<comm::Request>& waited) const;
  /// Who may announce a message: whose last one has been received.
  std::vector<int> announcers(int rank) const;
  /// Sends that wait for their headers, and the words that those come by.
  void asked_for(int rank, std::vector<std::list<Pending>::iterator>& which, std::vector<host::Core::Polled>& words);
  /// The data of such a send leave.
  void answer(comm::Fiber& f, int rank, std::list<Pending>::iterator send);
  // While the rank waits in a collective:
  std::vector<host::Core::Polled> words(int rank) override;
  void attend(comm::Fiber& f, int rank, std::size_t which) override;
  /// Waits until one of `waited` is complete, and sends meanwhile what is asked for.
  void progress(comm::Fiber& f, int rank, const std::vector<comm::Request>& waited);

  FmplConfig config_;
  std::vector<ComBufNode>& nodes_;
  const comm::Steps& step_;
  comm::Processor& processor_;
  std::vector<End> ends_;
  comm::RequestPool requests_;
  /// What messages are that are on their way, by source, target and slot: for who observes. A receive learns of the
  /// sender's data alone.
  std::map<std::tuple<int, int, int>, comm::Envelope> under_way_;
  // Of each node, by peer and slot:
  std::uint64_t matching_ = 0;  // headers that peers write
  std::uint64_t flags_ = 0;
  std::uint64_t headers_ = 0;  // its own, before they are sent
  std::uint64_t header_tcws_ = 0;
  std::uint64_t data_tcws_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t send_buffer_ = 0;
  std::uint64_t announcements_ = 0;  // by peer, which writes them
  std::uint64_t announced_ = 0;      // its own, before they are sent
  std::uint64_t announcement_tcws_ = 0;
  std::uint64_t any_records_ = 0;  // of receives from any rank
  std::uint64_t empty_ = 0;        // where messages without data go to and come from
  int matching_field_ = -1;
  int announcement_field_ = -1;
  int flag_field_ = -1;
  int empty_field_ = -1;
};

}  // namespace tsunagi::libraries
