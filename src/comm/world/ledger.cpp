// SPDX-License-Identifier: Apache-2.0
#include "comm/world/ledger.hpp"

#include <algorithm>
#include <stdexcept>

namespace tsunagi::comm {

namespace {

/// Joins pieces that go on where the one before ends.
void append(Ledger::Pieces& to, const Ledger::Piece& p) {
  if (p.size == Bytes::zero()) return;
  if (!to.empty() && to.back().value == p.value && (p.value == 0 || to.back().offset + to.back().size == p.offset))
    to.back().size += p.size;
  else
    to.push_back(p);
}

}  // namespace

template <class P>
auto Ledger::find(P& places, const Buffer& b) {
  return std::find_if(places.begin(), places.end(),
                      [&](const auto& p) { return is_host(b.place) ? is_host(p.first) : p.first == b.place; });
}

const Ledger::Place* Ledger::find(int rank, const Buffer& b) const {
  const auto r = static_cast<std::size_t>(rank);
  if (r >= ranks_.size()) return nullptr;
  const auto it = find(ranks_[r], b);
  return it == ranks_[r].end() ? nullptr : &it->second;
}

Ledger::Place& Ledger::place(int rank, const Buffer& b) {
  const auto r = static_cast<std::size_t>(rank);
  if (r >= ranks_.size()) ranks_.resize(r + 1);
  const auto it = find(ranks_[r], b);
  return it == ranks_[r].end() ? ranks_[r].emplace_back(b.place, Place()).second : it->second;
}

void Ledger::cut(Place& p, std::int64_t at) {
  auto it = p.upper_bound(at);
  if (it == p.begin()) return;
  --it;
  const Bytes before(at - it->first);
  if (before == Bytes::zero() || before >= it->second.size) return;
  const Piece rest{it->second.size - before, it->second.value, it->second.offset + before};
  it->second.size = before;
  p.emplace(at, rest);
}

void Ledger::fill(int rank, const Buffer& b, const std::string& text, Bytes offset) {
  write(rank, b, {{b.size, values_.named(text), offset}});
}

void Ledger::read(const Place* p, const Stretch& s, Pieces& out) {
  std::int64_t at = s.offset.count();
  const std::int64_t end = (s.offset + s.size).count();
  if (p != nullptr) {
    auto it = p->upper_bound(at);
    if (it != p->begin()) --it;
    for (; it != p->end() && it->first < end; ++it) {
      const std::int64_t from = std::max(at, it->first);
      const std::int64_t to = std::min(end, it->first + it->second.size.count());
      if (to <= from) continue;
      append(out, {Bytes(from - at), 0, {}});
      append(out, {Bytes(to - from), it->second.value, it->second.offset + Bytes(from - it->first)});
      at = to;
    }
  }
  append(out, {Bytes(end - at), 0, {}});
}

Ledger::Pieces Ledger::read(int rank, const Buffer& b) const {
  Pieces out;
  const Place* place = find(rank, b);
  for_each_stretch(b, [&](const Stretch& s) { read(place, s, out); });
  return out;
}

void Ledger::write(Place& p, const Stretch& s, const Pieces& what) {
  std::int64_t at = s.offset.count();
  if (what.size() == 1 && what.front().value != 0 && what.front().size == s.size)
    if (const auto same = p.find(at); same != p.end() && same->second.size == s.size) {  // as where all is done again
      same->second = what.front();
      return;
    }
  cut(p, at);
  cut(p, at + s.size.count());
  p.erase(p.lower_bound(at), p.lower_bound(at + s.size.count()));
  for (const Piece& piece : what) {
    if (piece.value != 0) p.emplace(at, piece);
    at += piece.size.count();
  }
}

void Ledger::write(int rank, const Buffer& b, const Pieces& what) {
  Place& into = place(rank, b);
  if (is_contiguous(b)) return write(into, {b.offset, b.size}, what);
  auto piece = what.begin();
  Bytes used;  // of it
  for_each_stretch(b, [&](const Stretch& s) {
    Pieces its;
    for (Bytes done; done < s.size && piece != what.end();) {
      const Bytes n = std::min(s.size - done, piece->size - used);
      append(its, {n, piece->value, piece->value == 0 ? Bytes::zero() : piece->offset + used});
      done += n;
      if ((used += n) == piece->size) ++piece, used = {};
    }
    write(into, s, its);
  });
}

void Ledger::combine(int rank, const Buffer& into, const Pieces& left, const Pieces& right) {
  Pieces out;
  auto l = left.begin();
  auto r = right.begin();
  Bytes in_l;
  Bytes in_r;
  while (l != left.end() && r != right.end()) {
    if (l->value == 0 || r->value == 0)
      throw std::runtime_error("rank " + std::to_string(rank) + " combines " + text(left) + " with " + text(right));
    if (l->offset + in_l != r->offset + in_r)
      throw std::runtime_error("rank " + std::to_string(rank) + " combines different elements: " + text(left) +
                               " with " + text(right));
    const Bytes n = std::min(l->size - in_l, r->size - in_r);
    append(out, {n, values_.combined(l->value, r->value), l->offset + in_l});
    if ((in_l += n) == l->size) ++l, in_l = {};
    if ((in_r += n) == r->size) ++r, in_r = {};
  }
  write(rank, into, out);
}

std::string Ledger::text(const Pieces& what) const {
  std::string out;
  for (const Piece& p : what)
    out += (out.empty() ? "" : ", ") + values_.text(p.value) + "[" + std::to_string(p.offset.count()) + ", " +
           std::to_string((p.offset + p.size).count()) + ")";
  return out.empty() ? "no bytes" : out;
}

bool Ledger::is(const Place* p, const Stretch& s, const std::string& value, Bytes offset) const {
  if (p == nullptr) return false;
  auto it = p->upper_bound(s.offset.count());
  if (it == p->begin()) return false;
  --it;
  const Piece& piece = it->second;
  const Bytes before = s.offset - Bytes(it->first);
  return before + s.size <= piece.size && piece.offset + before == offset && values_.is(piece.value, value);
}

void Ledger::expect(int rank, const Buffer& b, const std::string& value, Bytes offset, const std::string& who) const {
  if (b.size == Bytes::zero()) return;
  if (is_contiguous(b) && is(find(rank, b), {b.offset, b.size}, value, offset)) return;
  const Pieces found = read(rank, b);
  if (found.size() == 1 && found.front().offset == offset && found.front().value != Values::nothing &&
      values_.is(found.front().value, value))
    return;
  throw std::runtime_error(who + ": rank " + std::to_string(rank) + " should have " + value + "[" +
                           std::to_string(offset.count()) + ", " + std::to_string((offset + b.size).count()) + ") at " +
                           std::to_string(b.offset.count()) + ", but has " + text(found));
}

std::string Ledger::value(int rank, const Buffer& b, Bytes offset) const {
  const Pieces found = read(rank, b);
  if (found.size() == 1 && found.front().value != Values::nothing && found.front().offset == offset)
    return values_.text(found.front().value);
  throw std::runtime_error("rank " + std::to_string(rank) + " should have one value from " +
                           std::to_string(offset.count()) + " on, but has " + text(found));
}

}  // namespace tsunagi::comm
