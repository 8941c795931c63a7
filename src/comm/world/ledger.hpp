// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/world/values.hpp"

namespace tsunagi::comm {

/// Which bytes lie where, in terms of who had them first: checks what programs and algorithms do with data that nobody
/// simulates. Costs no simulated time. A value is what a rank said once, or two values combined by a reduction, in that
/// order (`Values`). Bytes of an area that is not contiguous count as if they lay in a row. Pure.
class Ledger {
 public:
  /// Consecutive bytes of one value.
  struct Piece {
    Bytes size;
    Values::Number value = Values::nothing;
    Bytes offset;  // in the value
    bool operator==(const Piece& o) const { return size == o.size && value == o.value && offset == o.offset; }
  };
  using Pieces = std::vector<Piece>;

  /// Rank `rank` has written `b`: byte i of it is byte `offset` + i of value `text` ("3" of rank 3).
  void fill(int rank, const Buffer& b, const std::string& text, Bytes offset = {});
  /// What lies in `b`.
  Pieces read(int rank, const Buffer& b) const;
  /// From now on there lies that.
  void write(int rank, const Buffer& b, const Pieces& what);
  /// `into` becomes left with right combined, element by element: the same bytes of two values. Throws
  /// std::runtime_error if they are different ones.
  void combine(int rank, const Buffer& into, const Pieces& left, const Pieces& right);
  /// "(0+1)[64, 128)": what the pieces are.
  std::string text(const Pieces& what) const;
  /// Throws std::runtime_error unless `b` holds bytes from `offset` of value `text` on; says who it is asked for.
  void expect(int rank, const Buffer& b, const std::string& value, Bytes offset, const std::string& who) const;
  /// The value that all bytes of `b` are of, at the same offsets as in `b` from `offset` on; throws if they are not.
  std::string value(int rank, const Buffer& b, Bytes offset) const;
  /// Whether a piece is of "0", "1", ... `ranks` - 1 combined, each once and nothing else, in whatever order.
  bool everybody_once(const Piece& p, int ranks) const { return values_.everybody_once(p.value, ranks); }

 private:
  using Place = std::map<std::int64_t, Piece>;  // by where it begins; they do not overlap
  /// The places of a rank that anything is known of.
  using Places = std::vector<std::pair<std::string, Place>>;
  template <class P>
  static auto find(P& places, const Buffer& b);
  const Place* find(int rank, const Buffer& b) const;
  Place& place(int rank, const Buffer& b);
  static void cut(Place& p, std::int64_t at);
  static void read(const Place* p, const Stretch& s, Pieces& out);
  static void write(Place& p, const Stretch& s, const Pieces& what);
  /// Whether one piece has all of `s`, from `offset` of that value on.
  bool is(const Place* p, const Stretch& s, const std::string& value, Bytes offset) const;

  std::vector<Places> ranks_;
  Values values_;
};

}  // namespace tsunagi::comm
