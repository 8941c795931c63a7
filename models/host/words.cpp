// SPDX-License-Identifier: Apache-2.0
#include "models/host/words.hpp"

namespace tsunagi::host {

void Words::write(std::uint64_t end, std::uint64_t value, Time when, std::uint64_t writer) {
  pending_.push_back({when, end, value, writer});
  if (pending_.size() == 1) agenda_.arm(visible_, when);
}

void Words::make_visible() {
  const Pending done = pending_.take_front();
  if (!pending_.empty()) agenda_.arm(visible_, pending_.front().when);
  Word& w = words_[done.end];
  w.value = done.value;
  w.since = agenda_.now();
  w.writer = done.writer;
  w.changed.notify();
}

}  // namespace tsunagi::host
