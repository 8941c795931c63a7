// SPDX-License-Identifier: Apache-2.0
#include "models/host/words.hpp"

#include "models/pcie/tlp.hpp"

namespace tsunagi::host {

void set_sight(flow::Packet& completion, const Sight& s) {
  completion.header<pcie::Tlp>().words = {s.writer, static_cast<std::uint64_t>(s.since.fs()),
                                          static_cast<std::uint64_t>(s.read.fs())};
}

Sight sight_of(const flow::Packet& completion) {
  const auto& words = completion.header<pcie::Tlp>().words;
  return {words[0], Time::from_fs(static_cast<std::int64_t>(words[1])),
          Time::from_fs(static_cast<std::int64_t>(words[2]))};
}

void Words::write(std::uint64_t end, std::uint64_t value, Time when, std::uint64_t writer, int hops) {
  pending_.push_back({when, end, value, writer, hops});
  if (pending_.size() == 1) agenda_.arm(visible_, when);
}

void Words::make_visible() {
  const Pending done = pending_.take_front();
  if (!pending_.empty()) agenda_.arm(visible_, pending_.front().when);
  Word& w = words_[done.end];
  w.value = done.value;
  w.since = agenda_.now();
  w.writer = done.writer;
  w.hops = done.hops;
  w.changed.notify();
}

Words::Pending Words::newest(std::uint64_t end) const {
  for (std::size_t i = pending_.size(); i > 0; --i)
    if (pending_[i - 1].end == end) return pending_[i - 1];
  const auto it = words_.find(end);
  if (it == words_.end()) return {};
  return {it->second.since, end, it->second.value, it->second.writer, it->second.hops};
}

void Words::tell(std::uint64_t address, Bytes n, Time read, flow::Packet& p) const {
  const std::uint64_t end = address + static_cast<std::uint64_t>(n.count());
  const Pending last = newest(end);
  p.value = last.value;
  if (n <= 8_B) return set_sight(p, {last.writer, last.when, read});
  auto& words = p.header<pcie::Tlp>().words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word_end = end - 8 * (words.size() - i);
    words[i] = word_end > address ? value_ending_at(word_end) : 0;
  }
}

}  // namespace tsunagi::host
