// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "comm/messages/envelope.hpp"
#include "flow/contents.hpp"

namespace tsunagi::libraries {

/// What lies behind a message's bytes in the buffers of two-sided messages over verbs: its envelope, how many slots the
/// sender gives back, and addresses of blocks of its memory, if it has any to tell of. Whole words of 8 B; the last one
/// says of what kind it is. One that repeats the header before it is that word alone (header caching of MVAPICH2 1.9b).
/// Where each field lies is this model's.
struct MessageHeader {
  static constexpr Bytes least{48};
  static constexpr Bytes most{64};
  static constexpr Bytes repeated{8};

  /// What it says that matching has nothing to do with.
  enum class Notice : std::uint8_t {
    none,
    slots,         // are given back; there is no envelope
    blocks,        // that the message of this envelope may go on in
    block_filled,  // a part of one of the message of this envelope; which, and of how many, says its target
    piece,         // of the message of this envelope; its bytes, and where they go to in it
    pieces_taken,  // as many bytes of them
  };
  comm::Envelope envelope;
  int credits = 0;  // slots given back, 0 .. 255
  Notice notice = Notice::none;
  std::vector<std::uint64_t> blocks = {};  // addresses of the sender's

  /// Bytes that it takes with its blocks.
  Bytes needed() const {
    return blocks.empty() ? least : most + Bytes(8) * static_cast<std::int64_t>(blocks.size() + 1);
  }

  /// Whether this one, of an eager message, can go as the last word alone behind `before`.
  bool repeats(const MessageHeader& before) const {
    return notice == Notice::none && before.notice == Notice::none && envelope.kind == comm::Envelope::Kind::eager &&
           before.envelope.kind == comm::Envelope::Kind::eager && envelope.source == before.envelope.source &&
           envelope.context == before.envelope.context && envelope.tag == before.envelope.tag &&
           credits == before.credits;
  }
  /// The last `n` bytes of it: at least `least`, or `repeated`; what there is beyond `most` says nothing.
  std::vector<std::uint8_t> encode(Bytes n) const {
    std::array<std::uint64_t, 8> words{};
    words[2] = static_cast<std::uint32_t>(envelope.source);
    words[3] = envelope.target;
    words[4] = std::uint64_t{envelope.send} | std::uint64_t{envelope.receive} << 32;
    words[5] = static_cast<std::uint64_t>(envelope.size.count());
    words[6] = static_cast<std::uint32_t>(envelope.context) | std::uint64_t{static_cast<std::uint32_t>(envelope.tag)}
                                                                  << 32;
    const bool alone = n == repeated;
    words[7] =
        static_cast<std::uint64_t>(envelope.kind) | static_cast<std::uint64_t>(notice) << notice_at |
        (blocks.empty() ? 0 : blocks_bit) | (alone ? repeated_bit : 0) | static_cast<std::uint64_t>(credits) << 8 |
        (alone ? static_cast<std::uint64_t>(envelope.size.count()) << 16 : 0) | std::uint64_t{envelope.sequence} << 32;
    std::vector<std::uint8_t> out(static_cast<std::size_t>(n.count()));
    for (std::size_t i = 0; i < std::min(out.size() / 8, words.size()); ++i)
      flow::write_word(&out[out.size() - 8 * (i + 1)], words[words.size() - 1 - i], 8);
    if (!blocks.empty()) {
      std::size_t at = out.size() - static_cast<std::size_t>(needed().count());
      for (const std::uint64_t b : blocks) {
        flow::write_word(&out[at], b, 8);
        at += 8;
      }
      flow::write_word(&out[at], blocks.size(), 8);
    }
    return out;
  }
  /// Whether the last word says that it is alone.
  static bool is_repeated(std::uint64_t last_word) { return (last_word & repeated_bit) != 0; }
  /// Of the last word alone, behind `before`.
  static MessageHeader decode(std::uint64_t last_word, const MessageHeader& before) {
    MessageHeader h = before;
    h.envelope.size = Bytes(static_cast<std::int64_t>(last_word >> 16 & 0xffff));
    h.envelope.sequence = static_cast<std::uint32_t>(last_word >> 32);
    return h;
  }
  /// Of what lies in front of its end: `bytes(n)` are the last n of that.
  template <class F>
  static MessageHeader read(F&& bytes) {
    MessageHeader h = decode(bytes(least));
    if ((flow::read_word(bytes(repeated).data(), 8) & blocks_bit) == 0) return h;
    h.blocks.resize(flow::read_word(bytes(most + Bytes(8)).data(), 8));
    const std::vector<std::uint8_t> all = bytes(h.needed());
    for (std::size_t i = 0; i < h.blocks.size(); ++i) h.blocks[i] = flow::read_word(&all[8 * i], 8);
    return h;
  }
  /// Of the last `least` bytes, but for blocks.
  static MessageHeader decode(const std::vector<std::uint8_t>& bytes) {
    const auto word = [&](std::size_t i) { return flow::read_word(&bytes[8 * i], 8); };
    MessageHeader h;
    comm::Envelope& e = h.envelope;
    e.source = static_cast<int>(word(0));
    e.target = word(1);
    e.send = static_cast<std::uint32_t>(word(2));
    e.receive = static_cast<std::uint32_t>(word(2) >> 32);
    e.size = Bytes(static_cast<std::int64_t>(word(3)));
    e.context = static_cast<int>(word(4) & 0xffffffff);
    e.tag = static_cast<int>(word(4) >> 32);
    e.kind = static_cast<comm::Envelope::Kind>(word(5) & 0x7);
    e.sequence = static_cast<std::uint32_t>(word(5) >> 32);
    h.notice = static_cast<Notice>(word(5) >> notice_at & 0x7);
    h.credits = static_cast<int>(word(5) >> 8 & 0xff);
    return h;
  }

 private:
  static constexpr int notice_at = 3;  // three bits each
  static constexpr std::uint64_t blocks_bit = 0x40;
  static constexpr std::uint64_t repeated_bit = 0x80;
};

}  // namespace tsunagi::libraries
