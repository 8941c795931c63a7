// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/work_request.hpp"

#include <algorithm>

namespace tsunagi::infiniband {

using flow::read_word;
using flow::write_word;

namespace {

constexpr Bytes segment{16};

// Flags of a control segment.
enum Flag : std::uint8_t { signalled = 1, inlined = 2, immediate = 4, odd_round = 8, datagram = 16, valid = 32 };

/// Segments before the data.
Bytes head_of(const WorkRequest& r, const RequestForm& form) {
  Bytes n = segment;
  if (r.datagram) n += form.datagram;
  if (r.operation != Operation::send) n += segment;
  if (is_atomic(r.operation)) n += segment;
  return n;
}

}  // namespace

Bytes inline_offset(const WorkRequest& r, const RequestForm& form) { return head_of(r, form) + form.inline_header; }

Bytes size_of(const WorkRequest& r, const RequestForm& form) {
  Bytes n = head_of(r, form);
  if (!r.inlined) n += segment;
  if (r.inlined && r.length > Bytes::zero()) {
    // A header where the data begin, and one at the start of each 64 B behind.
    const Bytes of_line = Bytes(64) - form.inline_header;
    const Bytes first = of_line - Bytes(head_of(r, form).count() % 64);
    const Bytes behind = std::max(r.length - first, Bytes::zero());
    n += r.length + form.inline_header * (1 + units_of(behind, of_line));
  }
  return segment * units_of(n, segment);
}

std::vector<std::uint8_t> encode(const PlacedRequest& p, const RequestForm& form) {
  const WorkRequest& r = p.what;
  std::vector<std::uint8_t> out;
  out.reserve(static_cast<std::size_t>(size_of(r, form).count()));  // what is inline comes behind
  out.resize(static_cast<std::size_t>((r.inlined ? inline_offset(r, form) : size_of(r, form)).count()));
  out[0] = static_cast<std::uint8_t>(r.operation);
  out[1] = static_cast<std::uint8_t>(valid | (r.signalled ? signalled : 0) | (r.inlined ? inlined : 0) |
                                     (r.has_immediate ? immediate : 0) | (p.odd ? odd_round : 0) |
                                     (r.datagram ? datagram : 0));
  write_word(&out[2], p.index, 2);
  write_word(&out[4], r.immediate, 4);
  write_word(&out[8], p.queue_pair, 4);
  write_word(&out[12], static_cast<std::uint64_t>(r.length.count()), 4);
  std::size_t at = 16;
  if (r.datagram) {
    write_word(&out[at], r.lid, 4);
    write_word(&out[at + 4], r.queue_pair, 4);
    at += static_cast<std::size_t>(form.datagram.count());
  }
  if (r.operation != Operation::send) {
    write_word(&out[at], r.remote, 8);
    at += 16;
  }
  if (is_atomic(r.operation)) {
    write_word(&out[at], r.operand, 8);
    write_word(&out[at + 8], r.compare, 8);
    at += 16;
  }
  if (!r.inlined)
    write_word(&out[at + 8], r.local, 8);
  else if (form.inline_header >= Bytes(4))
    write_word(&out[at], static_cast<std::uint64_t>(r.length.count()), 4);
  return out;
}

PlacedRequest decode(const std::uint8_t* bytes, const RequestForm& form) {
  PlacedRequest p;
  WorkRequest& r = p.what;
  const std::uint8_t flags = bytes[1];
  r.operation = static_cast<Operation>(bytes[0]);
  r.signalled = (flags & signalled) != 0;
  r.inlined = (flags & inlined) != 0;
  r.has_immediate = (flags & immediate) != 0;
  r.datagram = (flags & datagram) != 0;
  p.valid = (flags & valid) != 0;
  p.odd = (flags & odd_round) != 0;
  p.index = static_cast<std::uint16_t>(read_word(bytes + 2, 2));
  r.immediate = static_cast<std::uint32_t>(read_word(bytes + 4, 4));
  p.queue_pair = static_cast<std::uint32_t>(read_word(bytes + 8, 4));
  r.length = Bytes(static_cast<std::int64_t>(read_word(bytes + 12, 4)));
  const std::uint8_t* at = bytes + 16;
  if (r.datagram) {
    r.lid = static_cast<std::uint32_t>(read_word(at, 4));
    r.queue_pair = static_cast<std::uint32_t>(read_word(at + 4, 4));
    at += form.datagram.count();
  }
  if (r.operation != Operation::send) {
    r.remote = read_word(at, 8);
    at += 16;
  }
  if (is_atomic(r.operation)) {
    r.operand = read_word(at, 8);
    r.compare = read_word(at + 8, 8);
    at += 16;
  }
  if (!r.inlined) r.local = read_word(at + 8, 8);
  return p;
}

std::array<std::uint8_t, 16> encode(const ReceiveRequest& r, bool odd) {
  std::array<std::uint8_t, 16> out{};
  write_word(&out[0], static_cast<std::uint64_t>(r.length.count()), 4);
  out[4] = static_cast<std::uint8_t>(valid | (odd ? odd_round : 0));
  write_word(&out[8], r.address, 8);
  return out;
}

bool decode(const std::uint8_t* bytes, bool odd, ReceiveRequest& r) {
  r.length = Bytes(static_cast<std::int64_t>(read_word(bytes, 4)));
  r.address = read_word(bytes + 8, 8);
  return (bytes[4] & valid) != 0 && ((bytes[4] & odd_round) != 0) == odd;
}

std::array<std::uint8_t, 32> encode(const Completion& c, bool odd) {
  std::array<std::uint8_t, 32> out{};
  write_word(&out[0], c.queue_pair, 4);
  write_word(&out[4], c.index, 2);
  out[6] = c.receive ? 1 : 0;
  out[7] = c.syndrome;
  write_word(&out[8], c.immediate, 4);
  out[12] = c.has_immediate ? 1 : 0;
  write_word(&out[16], static_cast<std::uint64_t>(c.length.count()), 4);
  write_word(&out[20], c.source, 4);
  out[31] = static_cast<std::uint8_t>(0x80 | (odd ? 1 : 0));
  return out;
}

Completion decode_completion(const std::uint8_t* bytes) {
  Completion c;
  c.queue_pair = static_cast<std::uint32_t>(read_word(bytes, 4));
  c.index = static_cast<std::uint16_t>(read_word(bytes + 4, 2));
  c.receive = bytes[6] != 0;
  c.syndrome = bytes[7];
  c.immediate = static_cast<std::uint32_t>(read_word(bytes + 8, 4));
  c.has_immediate = bytes[12] != 0;
  c.length = Bytes(static_cast<std::int64_t>(read_word(bytes + 16, 4)));
  c.source = static_cast<std::uint32_t>(read_word(bytes + 20, 4));
  return c;
}

}  // namespace tsunagi::infiniband
