// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "comm/messages/envelope.hpp"
#include "flow/contents.hpp"

namespace tsunagi::libraries {

/// An envelope as it lies in memory: one cache line, which arrives as a whole. Its last word counts the envelopes of a
/// pair of ranks, from 1 on: what lay there before never says the same.
class EnvelopeLine {
 public:
  static constexpr Bytes size{64};

  EnvelopeLine(const comm::Envelope& e, std::uint64_t number) {
    put(0, static_cast<std::uint64_t>(e.kind) | pair(e.source, 0) << 16);
    put(1, pair(e.context, e.tag));
    put(2, static_cast<std::uint64_t>(e.size.count()));
    put(3, e.sequence);
    put(4, std::uint64_t{e.send} | std::uint64_t{e.receive} << 32);
    put(5, e.target);
    put(7, number);
  }
  flow::ByteView bytes() const { return {bytes_.data(), bytes_.size()}; }

  static comm::Envelope decode(const std::vector<std::uint8_t>& line) {
    const auto word = [&](std::size_t i) { return flow::read_word(&line[8 * i], 8); };
    comm::Envelope e;
    e.kind = static_cast<comm::Envelope::Kind>(word(0) & 0xffff);
    e.source = static_cast<int>(word(0) >> 16);
    e.context = static_cast<int>(word(1) & 0xffffffff);
    e.tag = static_cast<int>(word(1) >> 32);
    e.size = Bytes(static_cast<std::int64_t>(word(2)));
    e.sequence = static_cast<std::uint32_t>(word(3));
    e.send = static_cast<std::uint32_t>(word(4));
    e.receive = static_cast<std::uint32_t>(word(4) >> 32);
    e.target = word(5);
    return e;
  }

 private:
  static std::uint64_t pair(int low, int high) {
    return static_cast<std::uint32_t>(low) | std::uint64_t{static_cast<std::uint32_t>(high)} << 32;
  }
  void put(std::size_t i, std::uint64_t value) { flow::write_word(&bytes_[8 * i], value, 8); }
  std::array<std::uint8_t, 64> bytes_{};
};

}  // namespace tsunagi::libraries
