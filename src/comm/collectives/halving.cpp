// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/halving.hpp"

namespace tsunagi::comm {

Folded::Folded(Participant& me, const Places& places)
    : me_(me), places_(places), active_(active(me.size())), rest_(me.size() - active_) {
  const int place = places_.of(me_.rank());
  number_ = !pairs() ? place - rest_ : place % 2 == 0 ? place / 2 : -1;
}

Bytes Folded::temporary(int ranks, Bytes n, Bytes element, bool halves) {
  const int active_ranks = active(ranks);
  if (ranks == 1) return {};
  if (!halves || ranks > active_ranks) return n;
  return Blocks::split(active_ranks, n, element).size(0, active_ranks / 2);
}

void Folded::fold(const Buffer& have, const Buffer& temporary) {
  if (number_ < 0) return me_.send(partner(), have);
  if (!pairs()) return;
  const Buffer theirs = part(temporary, Bytes::zero(), have.size);
  me_.recv(partner(), theirs);
  me_.combine(have, theirs, Participant::Operand::right);
}

void Folded::unfold(const Buffer& have) {
  if (!pairs()) return;
  if (number_ < 0)
    me_.recv(partner(), have);
  else
    me_.send(partner(), have);
}

std::vector<std::pair<int, int>> Folded::halve(const Buffer& have, const Blocks& blocks, const Buffer& temporary) {
  std::vector<std::pair<int, int>> mine{{0, active_}};
  for (int distance = 1; distance < active_; distance *= 2) {
    const auto [first, last] = mine.back();
    const int middle = (first + last) / 2;
    const bool lower = (number_ & distance) == 0;
    const std::pair keep = lower ? std::pair(first, middle) : std::pair(middle, last);
    const std::pair give = lower ? std::pair(middle, last) : std::pair(first, middle);
    const Buffer kept = blocks.of(have, keep.first, keep.second);
    const Buffer theirs = part(temporary, Bytes::zero(), kept.size);
    const int peer = rank_of(number_ ^ distance);
    me_.sendrecv(peer, blocks.of(have, give.first, give.second), peer, theirs);
    me_.combine(kept, theirs, lower ? Participant::Operand::right : Participant::Operand::left);
    mine.push_back(keep);
  }
  return mine;
}

}  // namespace tsunagi::comm
