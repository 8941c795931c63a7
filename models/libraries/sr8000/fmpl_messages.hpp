// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "comm/steps.hpp"
#include "comm/two_sided.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

struct FmplConfig : ComBufNodeConfig {
  int slots = 1024;
  std::int64_t begin_cycles = 125;
  std::int64_t header_cycles = 25;
  std::int64_t post_cycles = 250;
  Bytes broadcast_buffer = 1_MiB;
};
void describe(FmplConfig& c, config::Describer& d);

/// FMPL's two-sided messages (paper 002, 2.2 and 5.1), matched at the sender: a receive writes its header, where the
/// data go to, into a matching slot of the sender by a transfer control word (TCW) that is used again; a send waits for
/// that header, changes a TCW and has the data written by remote DMA to where they belong. Behind them the adapter
/// writes the receiver's completion flag. Data are copied nowhere.
///
/// A tag is the number of a matching slot, of which each pair of ranks has its own; nothing is queued there, so that a
/// slot must not be used by two messages at once. Collectives have the upper half of the slots, in turn.
class FmplMessages final : public comm::TwoSided {
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
  /// A send that waits for its header, or a receive that waits for its data.
  struct Pending {
    comm::Envelope envelope;  // of a receive: what it asks for
    int peer = 0;
    int slot = 0;
    comm::Buffer bytes;
    comm::Request request;
    std::uint64_t transfer = 0;  // by which the data leave
  };
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
  };
  struct End {
    std::map<int, Pair> pairs;
    std::list<Pending> sends;
    std::list<Pending> leaving;  // whose data are on their way
    std::list<Pending> receives;
    std::list<Pending> own_sends;  // to itself
    std::list<Pending> own_receives;
    std::uint64_t headers = 0;
  };
  Pair& pair(int rank, int peer);
  /// The matching slot of a message; `collectives`: how many of those went before. Throws std::runtime_error for a tag
  /// that is none.
  int slot_of(int rank, int context, int tag, std::uint32_t& collectives) const;
  std::uint64_t place(int peer, int slot, Bytes each) const;
  bool completed(const comm::Request& r, Time now) const { return r.at(comm::Milestone::completed) <= now; }

  bool header_is_there(int rank, const Pending& p);
  host::Core::Polled header_of(int rank, const Pending& p);
  host::Core::Polled flag_of(int rank, const Pending& p);
  /// A call begins: its slot is looked up.
  void begin(comm::Fiber& f, int rank, const Pending& p, const char* what);
  void send_header(comm::Fiber& f, int rank, const Pending& p);
  /// A send whose header is there, or is waited for: has its data leave, and waits until they have left.
  void start_data(comm::Fiber& f, int rank, Pending& p);
  void end_data(comm::Fiber& f, int rank, const Pending& p);
  void receive_data(comm::Fiber& f, int rank, const Pending& p);
  void meet_own(comm::Fiber& f, int rank);
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
  std::uint64_t empty_ = 0;  // where messages without data go to and come from
  int matching_field_ = -1;
  int flag_field_ = -1;
  int empty_field_ = -1;
};

}  // namespace tsunagi::libraries
