// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/myrinet/link.hpp"

namespace tsunagi::myrinet {

/// A packet as the pieces in which it leaves its sender, alike ones together as trains. A packet that fits into one
/// piece is one; else the first has route and type alone, the last the check and what is left of the data.
class Worm {
 public:
  /// Of `n` bytes of data; no train has more than `most` pieces.
  Worm(const SourceRoute& route, std::uint32_t type, Bytes n, const LinkFraming& framing, std::int32_t most)
      : piece_(framing.piece()), left_(n), most_(most) {
    header_.route = route;
    header_.type = type;
    whole_ = Bytes(route.size) + type_size + n + crc_size <= piece_;
  }
  bool done() const { return header_.tail != 0; }
  /// Makes `p` the next one; not when all is done.
  void next(flow::Packet& p) {
    header_.head = begun_ ? 0 : 1;
    header_.tail = whole_ || (begun_ && left_ + crc_size <= piece_) ? 1 : 0;
    if (header_.tail != 0) {
      p.set_payload(left_);
    } else if (begun_) {
      // All but the last piece, which has room for the check.
      const std::int64_t full = units_of(left_ + crc_size, piece_) - 1;
      const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(full, most_));
      p.set_train(count, piece_, piece_);
    } else {
      p.set_payload(Bytes::zero());
    }
    begun_ = true;
    left_ -= p.total_payload();
    p.header<Header>() = header_;
  }

 private:
  Bytes piece_;
  Bytes left_;
  std::int32_t most_;
  Header header_ = {};
  bool whole_ = false;
  bool begun_ = false;
};

}  // namespace tsunagi::myrinet
