// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/words.hpp"

#include <algorithm>

#include "units/bytes.hpp"

namespace tsunagi::host {

namespace {

constexpr std::uint64_t line_size = 64;

ByteRange range_of(std::uint64_t address, Bytes n) { return {address, address + unsigned_of(n)}; }

}  // namespace

void Words::write(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when) {
  if (!p.contents) return;
  const flow::Contents::Part part = p.contents.part(p.payload * i, p.payload_of(i));
  if (part.bytes.size == 0) return;
  store_.write(address + unsigned_of(part.at), part.bytes, {when, p.id, p.hops});
  agenda_.arm_by(visible_, store_.next());
}

void Words::copy(flow::ContentsPool& pool, std::uint64_t to, std::uint64_t from, Bytes n, const Mark& mark) {
  const Time behind = mark.since + Time::from_fs(1);
  std::vector<flow::Contents> read;  // all of them before any is written: they may overlap
  for (Bytes at; at < n; at += flow::Contents::most)
    read.push_back(store_.read(pool, range_of(from + unsigned_of(at), std::min(n - at, flow::Contents::most)), behind));
  for (std::size_t i = 0; i < read.size(); ++i)
    if (read[i])
      store_.write(to + unsigned_of(flow::Contents::most) * i + unsigned_of(read[i].offset()), read[i].bytes(), mark);
  while (store_.waits() && store_.next() < behind) make_visible();
  if (!store_.waits()) agenda_.disarm(visible_);
}

void Words::make_visible() {
  const ByteRange written = store_.settle_one();
  if (store_.waits()) agenda_.arm(visible_, store_.next());
  // A word that begins before a line ends in the next one.
  for (std::uint64_t line = written.begin / line_size; line <= (written.end + 6) / line_size; ++line) {
    const auto watching = watching_.find(line);
    if (watching == watching_.end()) continue;
    for (Word* w : watching->second) {
      if (!w->place.touches(written)) continue;
      update(*w);
      w->changed.notify();
    }
  }
}

void Words::update(Word& w) {
  const Mark newest = store_.mark(w.place);
  if (newest.since != w.since) w.before = w.value;
  w.value = store_.word(w.place);
  w.since = newest.since;
  w.writer = newest.writer;
  w.hops = newest.hops;
}

Word& Words::ending_at(std::uint64_t end, Bytes width) {
  const auto [it, made] = words_.try_emplace(end << 3 | (unsigned_of(width) - 1));
  Word& w = it->second;
  if (made) {
    w.place = {end - unsigned_of(width), end};
    watching_[(end - 1) / line_size].push_back(&w);
    update(w);
  }
  return w;
}

std::vector<std::uint8_t> Words::bytes(std::uint64_t address, Bytes n) const {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(n.count()));
  store_.copy(range_of(address, n), out.data());
  return out;
}

flow::Contents Words::read(flow::ContentsPool& pool, std::uint64_t address, Bytes n, Time read) const {
  flow::Contents found = store_.read(pool, range_of(address, n));
  if (found) found.sight().read = read;
  return found;
}

bool Words::has(std::uint64_t address, Bytes n) const { return store_.has(range_of(address, n)); }

}  // namespace tsunagi::host
