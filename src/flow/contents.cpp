// SPDX-License-Identifier: Apache-2.0
#include "flow/contents.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "flow/byte_masks.hpp"

namespace tsunagi::flow {

namespace {

std::size_t wide(Bytes n) { return static_cast<std::size_t>(n.count()); }

}  // namespace

Contents::Block* Contents::take(ContentsPool& pool, Bytes offset, Bytes size) {
  if (size <= Bytes::zero() || size > most) throw std::logic_error("contents of a packet are 1 B to 4 KiB");
  Block* b = pool.take(wide(size));
  b->offset = offset;
  return b;
}

Contents::Contents(ContentsPool& pool, Bytes offset, Bytes size) : block_(take(pool, offset, size)) {
  std::memset(block_->bytes, 0, wide(size));
  std::memset(block_->said(), 0, wide(size));
}

Contents::Block* Contents::copy(Block& b) {
  Block* made = b.pool->take(b.size);
  made->offset = b.offset;
  made->sight = b.sight;
  std::memcpy(made->bytes, b.bytes + b.first, b.size);
  std::memcpy(made->said(), b.said(), b.size);
  return made;
}

void Contents::give_back() noexcept { block_->pool->give_back(block_); }

Contents::Part Contents::part(Bytes from, Bytes n) const {
  if (block_ == nullptr) return {};
  Bytes first = std::max(from, offset());
  Bytes last = std::min(from + n, end());
  const std::uint8_t* said = block_->said();
  while (first < last && said[wide(first - offset())] == 0) first += Bytes(1);
  while (first < last && said[wide(last - offset()) - 1] == 0) last -= Bytes(1);
  if (first >= last) return {};
  return {first - from, bytes().part(wide(first - offset()), wide(last - first))};
}

void Contents::copy(Bytes from, Bytes n, std::uint8_t* to) const {
  if (const Part p = part(from, n); p.bytes.size > 0) merge(to + p.at.count(), p.bytes);
}

std::uint64_t Contents::word(Bytes at, Bytes width) const {
  const Part p = part(at, width);
  return p.bytes.size == 0 ? 0 : read_word(p.bytes.data, p.bytes.size) << 8 * wide(p.at);
}

void Contents::add(ContentsPool& pool, Bytes at, ByteView more) {
  if (more.size == 0) return;
  const Bytes more_end = at + Bytes(static_cast<std::int64_t>(more.size));
  if (block_ == nullptr) {
    block_ = take(pool, at, more_end - at);
    std::memcpy(block_->bytes, more.data, more.size);
    if (more.said == nullptr)
      std::memset(block_->said(), 0xff, more.size);
    else
      std::memcpy(block_->said(), more.said, more.size);
    return;
  }
  if (at < offset() || more_end > end()) {
    const Bytes first = std::min(at, offset());
    Contents grown(pool, first, std::max(more_end, end()) - first);
    const std::size_t to = wide(offset() - first);
    std::memcpy(grown.block_->bytes + to, bytes().data, block_->size);
    std::memcpy(grown.block_->said() + to, bytes().said, block_->size);
    grown.sight() = sight();
    *this = std::move(grown);
  }
  const std::size_t to = wide(at - offset());
  merge(block_->bytes + block_->first + to, more);
  if (more.said == nullptr)
    std::memset(block_->said() + to, 0xff, more.size);
  else
    join_said(block_->said() + to, more.said, more.size);
}

void merge(std::uint8_t* to, ByteView more) {
  if (more.said == nullptr)
    std::memcpy(to, more.data, more.size);
  else
    merge_said(to, more.data, more.said, more.size);
}

Contents Contents::take_front(Bytes n) {
  if (block_ == nullptr) return {};
  if (end() <= n) return std::move(*this);
  Contents front;
  if (n <= offset()) {  // as nearly always
    block_->offset -= n;
    return front;
  }
  front.add(*block_->pool, offset(), part(offset(), n - offset()).bytes);
  front.sight() = sight();
  const Part behind = part(n, end() - n);
  block_->first = static_cast<std::uint16_t>(behind.bytes.data - block_->bytes);
  block_->size = static_cast<std::uint16_t>(behind.bytes.size);
  block_->offset = behind.at;
  return front;
}

Contents::Block* ContentsPool::take(std::size_t size) {
  Shelf& s = shelf_of(size);
  if (s.free.empty()) grow(s);
  Contents::Block* b = s.free.back();
  s.free.pop_back();
  b->first = 0;
  b->size = static_cast<std::uint16_t>(size);
  b->sight = {};
  ++out_;
  return b;
}

void ContentsPool::give_back(Contents::Block* b) {
  --out_;
  shelf_of(b->capacity).free.push_back(b);
}

void ContentsPool::grow(Shelf& s) {
  s.blocks.push_back(std::make_unique<Contents::Block[]>(s.together));
  s.bytes.push_back(std::make_unique<std::uint8_t[]>(2 * s.together * s.capacity));
  for (std::size_t i = s.together; i > 0; --i) {
    Contents::Block& b = s.blocks.back()[i - 1];
    b.pool = this;
    b.capacity = s.capacity;
    b.bytes = s.bytes.back().get() + 2 * (i - 1) * s.capacity;
    s.free.push_back(&b);
  }
}

}  // namespace tsunagi::flow
