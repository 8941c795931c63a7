// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/fmpl/fmpl_config.hpp"

namespace tsunagi::libraries {

/// FMPL's matching slots (paper 002, 2.2), of which each pair of ranks has its own: where the headers and completion
/// flags of a peer come, by which transfer control words (TCW) headers and data leave, and what a rank remembers of
/// each. A tag is the number of a slot of the lower half; collectives have the upper half, in turn; receives with any
/// tag (2.5) and messages without a named source (2.4) have one more each, where the config has them.
class FmplSlots {
 public:
  /// A matching slot, at one of its two ranks.
  struct Slot {
    std::uint64_t header = 0;  // what the last word of the last header that came said
    std::uint64_t flag = 0;    // what the flag said last
    bool sends = false;        // a message of this rank has it
    bool receives = false;
    bool ready = false;  // its TCW has been built: by fmpl_init
  };
  /// What a receive says in its header: where the data go to, and how many there may be.
  struct Header {
    int slot = 0;
    std::uint64_t offset = 0;
    Bytes size;
  };

  /// Takes its areas in all nodes. `nodes` outlives this.
  FmplSlots(const FmplConfig& c, comm::ByRank<ComBufNode>& nodes);

  /// Of receives with any tag.
  int any_tag_slot() const { return slots_; }
  /// Of messages without a named source.
  int any_source_slot() const { return slots_ + 1; }
  /// The slot of the next message from `rank` to `peer`. Throws std::runtime_error for a tag that is none.
  int of_send(int rank, int peer, int context, int tag) {
    return number(rank, context, tag, pair(rank, peer).collectives_sent);
  }
  /// The slot of the next receive.
  int of_receive(int rank, int peer, int context, int tag) {
    return number(rank, context, tag, pair(rank, peer).collectives_posted);
  }
  Slot& at(int rank, int peer, int slot) { return pair(rank, peer).slots[static_cast<std::size_t>(slot)]; }
  /// Whether the rank receives by it: without a slot of the pair before, it does not.
  bool receives(int rank, int peer, int slot) const;

  /// Where a send by `slot` may find its header.
  std::vector<int> headers_of(int slot) const;
  /// The word by which a header comes.
  host::Core::Polled header_word(int rank, int peer, int slot);
  /// Whether a send by `slot` finds one.
  bool header_is_there(int rank, int peer, int slot);
  /// The word that says that the data of a receive have come.
  host::Core::Polled flag_word(int rank, int peer, int slot);

  /// Looks up what the rank remembers of a slot.
  void look_up(Fiber& f, int rank, int peer, int slot) const;
  /// Makes the header of a receive of so many bytes at `offset` of its user's area, and has it sent.
  void send_header(Fiber& f, int rank, int peer, int slot, Bytes offset, Bytes size);
  /// Polls and reads the header for a send by `slot`.
  Header read_header(Fiber& f, int rank, int peer, int slot);
  /// Changes the TCW of a send's data, `size` bytes from `source` on, to go where the header says.
  void change_data(Fiber& f, int rank, int peer, int slot, const Header& to, std::uint64_t source, Bytes size);
  /// Gives the header's slot back and has the data leave: returns their transfer. The next header comes behind them.
  std::uint64_t kick_data(Fiber& f, int rank, int peer, int slot, const Header& to);
  /// Waits until the data of a receive have come.
  void wait_data(Fiber& f, int rank, int peer, int slot);

 private:
  static constexpr Bytes header_size_{32};  // offset, size and number, eight bytes each, the number last
  static constexpr Bytes flag_size_{8};
  static constexpr Bytes record_size_{64};
  /// What a rank has of a peer.
  struct Pair {
    std::vector<Slot> slots;
    std::uint32_t collectives_sent = 0;    // messages of collectives to it
    std::uint32_t collectives_posted = 0;  // and from it
  };
  struct End {
    std::map<int, Pair> pairs;
    std::uint64_t headers = 0;  // that it has sent
  };
  Pair& pair(int rank, int peer);
  int number(int rank, int context, int tag, std::uint32_t& collectives) const;
  int slots_of_pair() const { return slots_ + (any_source_ ? 2 : any_tag_ ? 1 : 0); }
  /// Of a slot of `peer`, where each slot has `each` bytes.
  std::uint64_t place(int peer, int slot, Bytes each) const;

  int slots_;
  std::int64_t header_cycles_;
  bool any_tag_;
  bool any_source_;
  comm::ByRank<ComBufNode>& nodes_;
  comm::ByRank<End> ends_;
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
