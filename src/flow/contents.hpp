// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::flow {

class ContentsPool;

/// Bytes that lie somewhere else.
struct ByteView {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
  const std::uint8_t* said = nullptr;  // of each byte: 0xff, or 0 if it says nothing and is 0 itself; null: all say

  ByteView part(std::size_t first, std::size_t n) const {
    return {data + first, n, said == nullptr ? nullptr : said + first};
  }
};

/// The number that `n` (at most 8) bytes from `from` on say, the first one its lowest byte (little-endian, on any
/// host).
inline std::uint64_t read_word(const std::uint8_t* from, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = n; i > 0; --i) value = value << 8 | from[i - 1];
  return value;
}
/// Writes the lower `n` (at most 8) bytes of `value` to `to`, the lowest one first.
inline void write_word(std::uint8_t* to, std::uint64_t value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

/// Writes `more` over what lies from `to` on, as far as it says something.
void merge(std::uint8_t* to, ByteView more);

/// The eight bytes of a number.
struct WordBytes {
  explicit WordBytes(std::uint64_t value) { write_word(bytes, value, sizeof bytes); }
  operator ByteView() const { return {bytes, sizeof bytes}; }
  std::uint8_t bytes[8];
};

/// For observers, of bytes that were read: which packet wrote the newest of them, since when they can be seen, and when
/// they were read.
struct Sight {
  std::uint64_t writer = 0;
  Time since;
  Time read;
};

/// What some of the data bytes of a packet, or of a train, say: one block of up to 4 KiB, from data byte `offset` on,
/// the first that says something, to the last one. Commands, status words, flags and doorbells are such; bulk data says
/// nothing, and has none. Of each byte it is known whether it says anything, so that nothing depends on what travels
/// together. An owned value: a copy has a block of its own. Bytes that say nothing are 0.
class Contents {
 public:
  static constexpr Bytes most{4096};

  Contents() = default;  // no block
  /// `size` bytes, 1 .. `most`, the first and the last of which `add` is still to say. Throws std::logic_error for
  /// others.
  Contents(ContentsPool& pool, Bytes offset, Bytes size);
  Contents(const Contents& o) : block_(o.block_ == nullptr ? nullptr : copy(*o.block_)) {}
  Contents(Contents&& o) noexcept : block_(std::exchange(o.block_, nullptr)) {}
  Contents& operator=(const Contents& o) {
    if (block_ != o.block_) *this = Contents(o);
    return *this;
  }
  Contents& operator=(Contents&& o) noexcept {
    Block* taken = std::exchange(o.block_, nullptr);
    if (block_ != nullptr) give_back();
    block_ = taken;
    return *this;
  }
  ~Contents() { reset(); }
  void reset() {
    if (block_ != nullptr) give_back();
    block_ = nullptr;
  }

  explicit operator bool() const { return block_ != nullptr; }
  // Of the block; not without one.
  Bytes offset() const { return block_->offset; }
  Bytes size() const { return Bytes(block_->size); }
  Bytes end() const { return offset() + size(); }
  ByteView bytes() const { return {block_->bytes + block_->first, block_->size, block_->said()}; }
  Sight& sight() { return block_->sight; }
  const Sight& sight() const { return block_->sight; }

  /// The number that data bytes `at` .. `at + width` say; `width` 1 .. 8 B.
  std::uint64_t word(Bytes at, Bytes width = Bytes(8)) const;
  /// What data bytes `from` .. `from + n` say, from the first that says something to the last, and which the first is.
  struct Part {
    Bytes at;
    ByteView bytes;
  };
  Part part(Bytes from, Bytes n) const;
  /// Writes what data bytes `from` .. `from + n` say over what lies from `to` on.
  void copy(Bytes from, Bytes n, std::uint8_t* to) const;

  /// Data bytes from `at` on say this, of which the first and the last say something, unless they are in the block. It
  /// grows so that it holds them. Throws std::logic_error if that is more than `most`.
  void add(ContentsPool& pool, Bytes at, ByteView bytes);
  /// Data byte `x` is now `x + n`.
  void shift(Bytes n) {
    if (block_ != nullptr) block_->offset += n;
  }
  /// Takes what lies before data byte `n`; the rest counts from there.
  Contents take_front(Bytes n);

 private:
  friend class ContentsPool;
  struct Block {
    ContentsPool* pool;
    std::uint8_t* bytes;
    Bytes offset;         // data byte of the first one
    std::uint16_t first;  // of `bytes`
    std::uint16_t size;
    std::uint16_t capacity;
    Sight sight;
    std::uint8_t* said() { return bytes + capacity + first; }  // behind the bytes, as in a ByteView
  };
  static Block* take(ContentsPool& pool, Bytes offset, Bytes size);
  static Block* copy(Block& b);
  void give_back() noexcept;

  Block* block_ = nullptr;
};

/// Recycles blocks; counts those that are out.
class ContentsPool {
 public:
  ContentsPool() = default;
  ContentsPool(const ContentsPool&) = delete;
  ContentsPool& operator=(const ContentsPool&) = delete;
  std::int64_t outstanding() const { return out_; }

 private:
  friend class Contents;
  /// Blocks of one size. A flag of eight bytes shall not touch a page.
  struct Shelf {
    std::uint16_t capacity;
    std::size_t together;  // made at a time
    std::vector<Contents::Block*> free;
    std::vector<std::unique_ptr<Contents::Block[]>> blocks;
    std::vector<std::unique_ptr<std::uint8_t[]>> bytes;
  };
  Contents::Block* take(std::size_t size);
  void give_back(Contents::Block* b);
  void grow(Shelf& s);
  Shelf& shelf_of(std::size_t size) { return size <= small_.capacity ? small_ : large_; }

  Shelf small_{64, 64, {}, {}, {}};
  Shelf large_{4096, 4, {}, {}, {}};
  std::int64_t out_ = 0;
};

}  // namespace tsunagi::flow
