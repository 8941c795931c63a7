// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/byte_store.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "flow/byte_masks.hpp"

namespace tsunagi::host {

namespace {

ByteRange common(ByteRange a, ByteRange b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }
ByteRange around(ByteRange a, ByteRange b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }
Bytes bytes_of(std::uint64_t n) { return Bytes(static_cast<std::int64_t>(n)); }
/// A bit for each of `n` bytes (1 .. 64) from byte `first` on.
std::uint64_t bits(std::uint64_t first, std::uint64_t n) { return ~std::uint64_t{0} >> (64 - n) << first; }

/// Of a write that waits, what it says of some bytes of its range.
flow::Contents::Part of(const flow::Contents& bytes, ByteRange all, ByteRange some) {
  return bytes.part(bytes_of(some.begin - all.begin), bytes_of(some.end - some.begin));
}

}  // namespace

template <class F>
void ByteStore::each_line(ByteRange r, F f) const {
  r = common(r, all_);
  for (std::uint64_t at = r.begin; at < r.end;) {
    const std::uint64_t page_end = (at / page_size + 1) * page_size;
    const auto page = pages_.find(at / page_size);
    for (const std::uint64_t end = std::min(r.end, page_end); page != pages_.end() && at < end;) {
      const std::uint64_t first = at / line_size * line_size;
      const ByteRange part{at, std::min(end, first + line_size)};
      if (const auto& line = page->second.lines[first % page_size / line_size]) f(first, *line, part);
      at = part.end;
    }
    at = page_end;
  }
}

void ByteStore::Marks::set(std::uint8_t words, const Mark& mark) {
  if (each_ == nullptr && (words_ & ~words) == 0) {
    one_ = mark;
    words_ = words;
    return;
  }
  if (each_ == nullptr) {
    each_ = std::make_unique<Each>();
    for (std::size_t i = 0; i < each_->size(); ++i)
      if ((words_ >> i & 1) != 0) (*each_)[i] = one_;
  }
  for (std::size_t i = 0; i < each_->size(); ++i)
    if ((words >> i & 1) != 0) (*each_)[i] = mark;
}

void ByteStore::Marks::newest(std::uint64_t first, std::uint64_t last, Mark& newest) const {
  const auto see = [&newest](const Mark& m) {
    if (m.writer != 0 && m.since >= newest.since) newest = m;
  };
  if (each_ != nullptr)
    for (std::uint64_t i = first; i <= last; ++i) see((*each_)[i]);
  else if ((words_ & bits(first, last - first + 1)) != 0)
    see(one_);
}

ByteStore::Line& ByteStore::line_at(std::uint64_t address) {
  auto& line = pages_[address / page_size].lines[address % page_size / line_size];
  if (!line) line = std::make_unique<Line>();
  return *line;
}

bool ByteStore::behind(const Waiting& a, const Waiting& b) const {
  if (a.when != b.when || ties_ == Ties::by_order) return a.when > b.when;
  const auto place = [](const Waiting& w) { return std::make_pair(w.range.begin, w.range.end); };
  if (place(a) != place(b)) return place(a) > place(b);
  for (auto i = a.bytes.size().count() - 1; i >= 0; --i)
    if (a.bytes.bytes().data[i] != b.bytes.bytes().data[i]) return a.bytes.bytes().data[i] > b.bytes.bytes().data[i];
  return false;
}

void ByteStore::write(std::uint64_t address, flow::ByteView bytes, const Mark& mark) {
  if (bytes.size == 0) return;
  const ByteRange range{address, address + bytes.size};
  all_ = around(all_, range);
  Waiting w{mark.since, range, mark, {}};
  w.bytes.add(pool_, Bytes::zero(), bytes);
  waiting_.push_back(std::move(w));
  for (std::size_t i = waiting_.size() - 1; i > 0 && behind(waiting_[i - 1], waiting_[i]); --i)
    std::swap(waiting_[i - 1], waiting_[i]);
}

void ByteStore::preset(std::uint64_t address, flow::ByteView bytes) {
  if (bytes.size == 0) return;
  flow::Contents all;
  all.add(pool_, Bytes::zero(), bytes);
  keep({address, address + bytes.size}, all.bytes(), {});
}

ByteRange ByteStore::settle_one() {
  const Waiting w = waiting_.take_front();
  keep(w.range, w.bytes.bytes(), w.mark);
  return w.range;
}

void ByteStore::keep(ByteRange r, flow::ByteView bytes, const Mark& mark) {
  all_ = around(all_, r);
  for (std::uint64_t at = r.begin; at < r.end;) {
    const std::uint64_t in_line = at % line_size;
    const std::uint64_t n = std::min(r.end - at, line_size - in_line);
    Line& line = line_at(at);
    const flow::ByteView part = bytes.part(at - r.begin, n);
    flow::merge(line.bytes.data() + in_line, part);
    const std::uint64_t said = flow::bits_of_said(part.said, n) << in_line;
    line.known |= said;
    std::uint8_t words = 0;
    for (std::uint64_t i = 0; i < line_size / 8; ++i)
      if ((said >> 8 * i & 0xff) != 0) words = static_cast<std::uint8_t>(words | 1u << i);
    line.marks.set(words, mark);
    at += n;
  }
}

void ByteStore::forget(ByteRange r) {
  each_line(r, [](std::uint64_t first, const Line& line, ByteRange part) {
    auto& mine = const_cast<Line&>(line);
    const std::uint64_t n = part.end - part.begin;
    std::memset(mine.bytes.data() + (part.begin - first), 0, n);
    mine.known &= ~bits(part.begin - first, n);
  });
}

ByteStore::Kept ByteStore::kept(ByteRange r, Time t) const {
  Kept out;
  const auto see = [&out](ByteRange part) {
    out.range = out.empty ? part : around(out.range, part);
    out.empty = false;
  };
  each_line(r, [&](std::uint64_t first, const Line& line, ByteRange part) {
    const std::uint64_t known = line.known & bits(part.begin - first, part.end - part.begin);
    if (known != 0)
      see({first + static_cast<std::uint64_t>(__builtin_ctzll(known)),
           first + line_size - static_cast<std::uint64_t>(__builtin_clzll(known))});
  });
  for (std::size_t i = 0; i < waiting_.size() && waiting_[i].when < t; ++i) {
    const Waiting& w = waiting_[i];
    if (!w.range.touches(r)) continue;
    const ByteRange some = common(w.range, r);
    const flow::Contents::Part part = of(w.bytes, w.range, some);
    const std::uint64_t first = some.begin + unsigned_of(part.at);
    if (part.bytes.size > 0) see({first, first + part.bytes.size});
  }
  return out;
}

flow::Contents ByteStore::read(flow::ContentsPool& pool, ByteRange r, Time t) const {
  if (!r.touches(all_)) return {};
  const Kept found = kept(r, t);
  if (found.empty) return {};
  const ByteRange all = found.range;
  flow::Contents out(pool, bytes_of(all.begin - r.begin), bytes_of(all.end - all.begin));
  each_line(all, [&](std::uint64_t first, const Line& line, ByteRange part) {
    std::array<std::uint8_t, line_size> said;
    flow::said_of_bits(line.known, said.data());
    const std::uint64_t at = part.begin - first;
    out.add(pool, bytes_of(part.begin - r.begin), {line.bytes.data() + at, part.end - part.begin, said.data() + at});
  });
  Mark newest = mark(all);
  for (std::size_t i = 0; i < waiting_.size() && waiting_[i].when < t; ++i) {
    const Waiting& w = waiting_[i];
    if (!w.range.touches(all)) continue;
    const ByteRange some = common(w.range, all);
    const flow::Contents::Part part = of(w.bytes, w.range, some);
    if (part.bytes.size == 0) continue;
    out.add(pool, bytes_of(some.begin - r.begin) + part.at, part.bytes);
    newest = w.mark;
  }
  out.sight() = {newest.writer, newest.since, {}};
  return out;
}

std::uint64_t ByteStore::word(ByteRange r) const {
  std::uint8_t bytes[8];
  copy(r, bytes);
  return flow::read_word(bytes, r.end - r.begin);
}

Mark ByteStore::mark(ByteRange r) const {
  Mark newest;
  each_line(r, [&](std::uint64_t first, const Line& line, ByteRange part) {
    line.marks.newest((part.begin - first) / 8, (part.end - 1 - first) / 8, newest);
  });
  return newest;
}

void ByteStore::copy(ByteRange r, std::uint8_t* to) const {
  if (r.begin == r.end) return;
  std::memset(to, 0, r.end - r.begin);
  each_line(r, [&](std::uint64_t first, const Line& line, ByteRange part) {
    std::memcpy(to + (part.begin - r.begin), line.bytes.data() + (part.begin - first), part.end - part.begin);
  });
}

}  // namespace tsunagi::host
