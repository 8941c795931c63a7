// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "comm/by_rank.hpp"
#include "fiber/fiber.hpp"
#include "flow/ring.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// Queue pairs of two-sided messages: of each two ranks one on each rail. A card has a completion queue for what all of
/// its queue pairs have sent, one for what they have received, and a receive queue that they share. What goes by one
/// rail takes turns, as the policy says.
class VerbsRails {
 public:
  /// Done when the completion of a work request has been polled, by the fiber that did.
  using Then = std::function<void(Fiber& f)>;
  /// What a send queue has posted and not completed.
  struct Posted {
    int buffer = -1;  // that it is sent from; -1: none
    Then then;
  };
  /// A receive that is done.
  struct Received {
    int buffer = 0;
    int peer = 0;
    Bytes length;
    Time at;  // when the card had written its completion
  };

  /// Of the first `rails` rails. Makes queues; `connect` joins the queue pairs when all nodes have theirs.
  VerbsRails(comm::ByRank<VerbsNode>& nodes, int rails, RailPolicy policy, int receives);
  /// `first`: the number that the first queue pair made for this has at each card.
  void connect(int first);

  int rails() const { return static_cast<int>(card_of_.size()); }
  /// Cards that these rails are ports of.
  int cards() const { return static_cast<int>(first_rails_.size()); }
  /// By which the rank's next message goes, if one is enough for it.
  int by_turn(int rank) const { return turns_[(ends_[rank].turn + 1) % turns_.size()]; }
  int take_turn(int rank);

  /// Whether the queue pair with `to` takes so many work requests.
  bool room(int from, int to, int rail, int requests) const {
    const QueueEnd& q = side(from, to, rail).queue;
    return q.posted - q.completed + static_cast<unsigned>(requests) <= static_cast<std::uint64_t>(q.sends.entries);
  }
  /// There is room. `last` and `first` as VerbsNode::post has them.
  void post(Fiber& f, int from, int to, int rail, const infiniband::WorkRequest& w, Posted what,
            flow::ByteView last = {}, flow::ByteView first = {});
  /// Whether there is a completion of what was posted; takes one.
  bool any_sent(int rank) const;
  Posted take_sent(Fiber& f, int rank);

  /// Posts a buffer to the receive queue of a card, before the run or as a step.
  void preset_receive(int rank, int card, int buffer, std::uint64_t address, Bytes n);
  void post_receive(Fiber& f, int rank, int card, int buffer, std::uint64_t address, Bytes n);
  bool any_received(int rank) const;
  Received take_received(Fiber& f, int rank);

  /// Adds what is to be polled: a receive that is done, and what was posted and is done.
  void add_words(int rank, std::vector<host::Core::Polled>& words) const;
  /// Whether a card of the rank has none left, as far as was taken.
  bool ran_out(int rank) const;
  /// What says that a card of the rank has no receive left, of each of its cards.
  std::vector<host::Core::Polled> last_receives(int rank) const;
  /// Work requests of all ranks whose completions have not been polled.
  std::int64_t under_way() const { return under_way_; }

 private:
  /// A rank's end of a queue pair.
  struct Side {
    QueueEnd queue;
    flow::Ring<Posted> posted;
  };
  /// A rank's queues at a card.
  struct Card {
    CompletionEnd sends;
    CompletionEnd receives;
    ReceiveEnd shared;
    std::unordered_map<std::uint16_t, int> buffer_of;  // by index of the posted receive; looked up only
    int under_way = 0;                                 // in the send queues
  };
  struct Ends {
    std::vector<Card> cards;
    comm::ByRank<std::vector<Side>> sides;  // by peer and rail
    std::size_t turn = 0;
  };
  Card& card(int rank, int i) { return ends_[rank].cards[static_cast<std::size_t>(i)]; }
  int card_of(int rail) const { return card_of_[static_cast<std::size_t>(rail)]; }
  Side& side(int rank, int peer, int rail) { return ends_[rank].sides[peer][static_cast<std::size_t>(rail)]; }
  const Side& side(int rank, int peer, int rail) const {
    return ends_[rank].sides[peer][static_cast<std::size_t>(rail)];
  }
  /// Of the queue pair with a peer.
  int number(int rank, int peer, int rail) const;
  int peer_of(int rank, std::uint32_t queue_pair) const;
  int rail_of(int card, std::uint32_t queue_pair) const;
  void make_queues(int rank, int receives);

  comm::ByRank<VerbsNode>& nodes_;
  std::vector<int> card_of_;      // by rail
  std::vector<int> first_rails_;  // by card
  std::vector<int> turns_;        // rails, as they take turns
  comm::ByRank<Ends> ends_;       // by rank
  int first_ = 0;
  std::int64_t under_way_ = 0;
};

}  // namespace tsunagi::libraries
