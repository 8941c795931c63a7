// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/barrier.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::sr8000 {

std::optional<flow::Cause> Barrier::come(int colour, const Box& box, Places places, int place, const flow::Cause& by) {
  auto w = std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const Waiting& each) { return each.colour == colour && each.box == box; });
  if (w == waiting_.end()) w = waiting_.insert(w, {box, colour, places.count(), place, by});
  if (by.when > w->last.when || (by.when == w->last.when && place < w->last_place)) {
    w->last = by;
    w->last_place = place;
  }
  come_[at(colour, place)] = true;
  if (--w->missing > 0) return {};
  for (int p = places.first; p <= places.last; ++p) come_[at(colour, p)] = false;
  const flow::Cause last = w->last;
  waiting_.erase(w);
  return last;
}

std::string Barrier::leftover() const {
  if (waiting_.empty()) return {};
  const Waiting& w = waiting_.front();
  return "a barrier of colour " + std::to_string(w.colour) + " of nodes " + std::to_string(w.box.first) + " to " +
         std::to_string(w.box.last) + " waits for " + std::to_string(w.missing) + " of its line";
}

}  // namespace tsunagi::sr8000
