// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_rails.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::libraries {

VerbsRails::VerbsRails(comm::ByRank<VerbsNode>& nodes, int rails, RailPolicy policy, int receives)
    : nodes_(nodes), ends_(nodes.size()) {
  const VerbsNode& n = nodes.front();
  for (int rail = 0; rail < rails; ++rail) {
    const auto first = std::find_if(first_rails_.begin(), first_rails_.end(),
                                    [&](int other) { return &n.card(other) == &n.card(rail); });
    card_of_.push_back(static_cast<int>(first - first_rails_.begin()));
    if (first == first_rails_.end()) first_rails_.push_back(rail);
    if (rail == 0 || policy == RailPolicy::round_robin ||
        (policy == RailPolicy::fixed_mapping && card_of_.back() == card_of_.front()))
      turns_.push_back(rail);
  }
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank) make_queues(rank, receives);
}

void VerbsRails::make_queues(int rank, int receives) {
  VerbsNode& n = nodes_[rank];
  const auto ranks = static_cast<int>(nodes_.size());
  for (const int rail : first_rails_) {
    Card c;
    const auto of_card = static_cast<int>(std::count(card_of_.begin(), card_of_.end(), card_of(rail)));
    c.sends = n.make_completions(n.config().depth * ranks * of_card, rail);
    c.receives = n.make_completions(receives + 1, rail);
    c.shared = n.make_receives(receives, rail);
    ends_[rank].cards.push_back(std::move(c));
  }
  ends_[rank].sides.resize(static_cast<std::size_t>(ranks));
  for (int rail = 0; rail < rails(); ++rail)
    for (int peer = 0; peer < ranks; ++peer) {
      Side s;
      if (peer != rank) s.queue = n.make_sends(rail);
      ends_[rank].sides[peer].push_back(std::move(s));
    }
}

int VerbsRails::number(int rank, int peer, int rail) const {
  const auto others = static_cast<int>(nodes_.size()) - 1;
  return first_ + nodes_[rank].earlier_on_card(rail) * others + (peer < rank ? peer : peer - 1);
}

void VerbsRails::connect(int first) {
  first_ = first;
  const auto ranks = static_cast<int>(nodes_.size());
  for (int rank = 0; rank < ranks; ++rank)
    for (int rail = 0; rail < rails(); ++rail)
      for (int peer = 0; peer < ranks; ++peer) {
        if (peer == rank) continue;
        const Card& c = card(rank, card_of(rail));
        nodes_[rank].connect(side(rank, peer, rail).queue, nodes_[peer], number(peer, rank, rail), c.sends, c.receives,
                             c.shared);
      }
}

int VerbsRails::peer_of(int rank, std::uint32_t queue_pair) const {
  const int i = (static_cast<int>(queue_pair) - first_) % (static_cast<int>(nodes_.size()) - 1);
  return i < rank ? i : i + 1;
}

/// Rails of a card have the numbers of their queue pairs one behind the other.
int VerbsRails::rail_of(int card, std::uint32_t queue_pair) const {
  const int earlier = (static_cast<int>(queue_pair) - first_) / (static_cast<int>(nodes_.size()) - 1);
  int rail = first_rails_[static_cast<std::size_t>(card)];
  while (card_of(rail) != card || nodes_.front().earlier_on_card(rail) != earlier) ++rail;
  return rail;
}

int VerbsRails::take_turn(int rank) {
  Ends& e = ends_[rank];
  e.turn = (e.turn + 1) % turns_.size();
  return turns_[e.turn];
}

void VerbsRails::post(Fiber& f, int from, int to, int rail, const infiniband::WorkRequest& w, Posted what,
                      flow::ByteView last, flow::ByteView first) {
  Side& s = side(from, to, rail);
  nodes_[from].post(f, s.queue, w, last, first);
  s.posted.push_back(std::move(what));
  ++card(from, card_of(rail)).under_way;
  ++under_way_;
}

bool VerbsRails::any_sent(int rank) const {
  const std::vector<Card>& cards = ends_[rank].cards;
  return std::any_of(cards.begin(), cards.end(), [&](const Card& c) { return nodes_[rank].any(c.sends); });
}

VerbsRails::Posted VerbsRails::take_sent(Fiber& f, int rank) {
  int i = 0;
  while (!nodes_[rank].any(card(rank, i).sends)) ++i;
  Card& c = card(rank, i);
  const infiniband::Completion done = nodes_[rank].poll(f, c.sends);
  Side& s = side(rank, peer_of(rank, done.queue_pair), rail_of(i, done.queue_pair));
  ++s.queue.completed;
  --c.under_way;
  --under_way_;
  return s.posted.take_front();
}

void VerbsRails::preset_receive(int rank, int i, int buffer, std::uint64_t address, Bytes n) {
  Card& c = card(rank, i);
  c.buffer_of[static_cast<std::uint16_t>(c.shared.posted)] = buffer;
  nodes_[rank].preset_receive(c.shared, address, n);
}

void VerbsRails::post_receive(Fiber& f, int rank, int i, int buffer, std::uint64_t address, Bytes n) {
  Card& c = card(rank, i);
  c.buffer_of[static_cast<std::uint16_t>(c.shared.posted)] = buffer;
  nodes_[rank].post_receive(f, c.shared, address, n);
}

bool VerbsRails::any_received(int rank) const {
  const std::vector<Card>& cards = ends_[rank].cards;
  return std::any_of(cards.begin(), cards.end(), [&](const Card& c) { return nodes_[rank].any(c.receives); });
}

VerbsRails::Received VerbsRails::take_received(Fiber& f, int rank) {
  int i = 0;
  while (!nodes_[rank].any(card(rank, i).receives)) ++i;
  Card& c = card(rank, i);
  Received r;
  r.at = nodes_[rank].memory().word_ending_at(nodes_[rank].next_entry(c.receives).end, 8_B).since;
  const infiniband::Completion done = nodes_[rank].poll(f, c.receives);
  const auto posted = c.buffer_of.find(done.index);
  r.buffer = posted->second;
  c.buffer_of.erase(posted);
  r.peer = peer_of(rank, done.queue_pair);
  r.length = done.length;
  return r;
}

void VerbsRails::add_words(int rank, std::vector<host::Core::Polled>& words) const {
  for (const Card& c : ends_[rank].cards) words.push_back(nodes_[rank].next_entry(c.receives));
  for (const Card& c : ends_[rank].cards)
    if (c.under_way > 0) words.push_back(nodes_[rank].next_entry(c.sends));
}

bool VerbsRails::ran_out(int rank) const {
  const std::vector<Card>& cards = ends_[rank].cards;
  return std::any_of(cards.begin(), cards.end(), [](const Card& c) { return c.shared.posted == c.receives.polled; });
}

std::vector<host::Core::Polled> VerbsRails::last_receives(int rank) const {
  std::vector<host::Core::Polled> words;
  for (const Card& c : ends_[rank].cards)
    if (const std::uint64_t left = c.shared.posted - c.receives.polled; left > 0)
      words.push_back(nodes_[rank].next_entry(c.receives, left - 1));
  return words;
}

}  // namespace tsunagi::libraries
