// SPDX-License-Identifier: Apache-2.0
// What ranks do whose programs make no calls: before they wait for something else, while they do, and at their end.
#include "comm/messages/messages.hpp"

namespace tsunagi::comm {

void Messages::finish(Fiber& f, int rank) {
  if (ends_[static_cast<std::size_t>(rank)] == nullptr) return;
  progress_until(f, rank, {}, [&] { return end(rank).outbox.empty(); });
}

void Messages::stand_by(Fiber& f, int rank, Event& told, const std::function<bool()>& over) {
  Attendance* const others = transport_.attendance();
  if (others == nullptr) return TwoSided::stand_by(f, rank, told, over);
  while (!over()) {
    others->attend(f, rank, Attendance::To::what_others_need, told, over);
    while (!over() && turn(f, rank)) continue;
  }
}

void Messages::finalize(Fiber& f, int rank, Finale& all) {
  Attendance* const others = transport_.attendance();
  if (others == nullptr) return TwoSided::finalize(f, rank, all);
  finish(f, rank);
  for (;;) {
    all.rests(others->quiet());
    others->attend(f, rank, Attendance::To::everything, all.told(), [&all] { return all.over(); });
    if (all.over()) return;
    all.goes_on();
    while (turn(f, rank)) continue;
  }
}

}  // namespace tsunagi::comm
