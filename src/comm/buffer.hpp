// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "units/bytes.hpp"

namespace tsunagi::comm {

/// An area of a rank's memory: from where, how much, where it lies ("gpu0"; empty: the rank's host memory), and by
/// which of the library's methods to move it (empty: the library's choice).
struct Buffer {
  Bytes offset;
  Bytes size;
  std::string place;
  std::string method;
  /// Where at the peer a message goes to, at the same offset; empty: its host memory.
  std::string target = {};
  /// Block-stride, as columns of a submatrix lie: blocks of that many bytes, of which the last may be shorter, so far
  /// apart from start to start; 0: contiguous. For copies, and for messages of libraries that take shapes
  /// (Library::takes_shapes).
  Bytes block = {};
  Bytes every = {};
  /// What a message of a window moves (a put or a get): libraries may have packets of their own for that.
  bool of_window = false;
};

inline bool is_contiguous(const Buffer& b) {
  return b.block == Bytes::zero() || b.block == b.every || b.size <= b.block;
}

/// As many bytes from the same place on, in a row.
inline Buffer in_one_piece(Buffer b) {
  b.block = b.every = {};
  return b;
}

/// Bytes of an area in a row.
struct Stretch {
  Bytes offset;
  Bytes size;
};

/// Those that begin with byte number `done` of the area's own bytes, of which it has more.
inline Stretch stretch_at(const Buffer& b, Bytes done) {
  if (is_contiguous(b)) return {b.offset + done, b.size - done};
  const std::int64_t before = done / b.block;
  const Bytes within = done - b.block * before;
  return {b.offset + b.every * before + within, std::min(b.block - within, b.size - done)};
}

/// From an area's first byte to its last, what lies between its blocks included.
inline Bytes extent(const Buffer& b) {
  if (b.size == Bytes::zero()) return b.size;
  const Stretch last = stretch_at(b, b.size - Bytes(1));
  return last.offset + last.size - b.offset;
}

/// Calls `f(Stretch)` for all of an area, in the order of its bytes.
template <class F>
void for_each_stretch(const Buffer& b, F&& f) {
  for (Bytes done; done < b.size;) {
    const Stretch s = stretch_at(b, done);
    f(s);
    done += s.size;
  }
}

/// Calls `f(offset in `to`, offset in `from`, bytes)` for what of two equally long areas lies in a row in both.
template <class F>
void for_each_stretch(const Buffer& to, const Buffer& from, F&& f) {
  for (Bytes done; done < from.size;) {
    const Stretch a = stretch_at(to, done);
    const Stretch b = stretch_at(from, done);
    const Bytes n = std::min(a.size, b.size);
    f(a.offset, b.offset, n);
    done += n;
  }
}

/// Whether a place is a rank's host memory.
inline bool is_host(const std::string& place) { return place.empty() || place == "host"; }

}  // namespace tsunagi::comm
