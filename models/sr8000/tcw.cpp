// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/tcw.hpp"

#include <stdexcept>

#include "flow/contents.hpp"

namespace tsunagi::sr8000 {

using flow::read_word;
using flow::write_word;

namespace {

enum Attribute : std::uint8_t { valid = 1, broadcast = 2, flagged = 4 };

}  // namespace

TcwBytes encode(const Tcw& t) {
  TcwBytes b{};
  b[0] = static_cast<std::uint8_t>(valid | (t.broadcast ? broadcast : 0) | (t.flagged ? flagged : 0));
  write_word(&b[2], t.field, 2);
  write_word(&b[4], t.destination, 4);
  write_word(&b[8], t.source, 8);
  write_word(&b[16], unsigned_of(t.length), 8);
  write_word(&b[24], t.offset, 8);
  write_word(&b[32], t.last, 4);
  write_word(&b[36], t.flag_field, 2);
  write_word(&b[40], t.flag_offset, 8);
  return b;
}

Tcw decode_tcw(const std::uint8_t* b) {
  if ((b[0] & valid) == 0) throw std::runtime_error("there is no transfer control word");
  Tcw t;
  t.broadcast = (b[0] & broadcast) != 0;
  t.flagged = (b[0] & flagged) != 0;
  t.field = static_cast<std::uint16_t>(read_word(&b[2], 2));
  t.destination = static_cast<std::uint32_t>(read_word(&b[4], 4));
  t.source = read_word(&b[8], 8);
  t.length = Bytes(static_cast<std::int64_t>(read_word(&b[16], 8)));
  t.offset = read_word(&b[24], 8);
  t.last = static_cast<std::uint32_t>(read_word(&b[32], 4));
  t.flag_field = static_cast<std::uint16_t>(read_word(&b[36], 2));
  t.flag_offset = read_word(&b[40], 8);
  if (t.length <= Bytes::zero()) throw std::runtime_error("a transfer control word asks for no data");
  return t;
}

}  // namespace tsunagi::sr8000
