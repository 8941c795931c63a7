// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi::libraries {

/// Where on the driver's page of a node lie the words that are polled, and those that are sent from there.
struct TcaWords {
  static constexpr std::uint64_t most_ranks = 16;
  /// What DMA of `send` says that rank `from` has sent.
  static constexpr std::uint64_t sent(int from) { return 8 * static_cast<std::uint64_t>(from); }
  /// What the own chip says of prepared puts.
  static constexpr std::uint64_t put_status = 0x80;
  /// Reads by proxy: what the chip writes when it is interrupted, what the driver's channel says, what it sends.
  static constexpr std::uint64_t interrupt = 0x90;
  static constexpr std::uint64_t proxy_status = 0x98;
  static constexpr std::uint64_t answer_source = 0xa0;
  /// What prepared puts of rank `from` say, and what those of this rank send.
  static constexpr std::uint64_t flag(int from) { return 0x100 + 8 * static_cast<std::uint64_t>(from); }
  static constexpr std::uint64_t flag_source = 0x200;
  /// Reads by proxy: what node `peer` answers, what rank `rank` asks for.
  static constexpr std::uint64_t answer(int peer) { return 0x300 + 8 * static_cast<std::uint64_t>(peer); }
  static constexpr std::uint64_t request(int rank) { return 0x400 + request_size * static_cast<std::uint64_t>(rank); }
  static constexpr std::uint64_t request_size = 32;
  static constexpr std::uint64_t end = 0x400 + request_size * most_ranks;
};
static_assert(TcaWords::sent(TcaWords::most_ranks) <= TcaWords::put_status);
static_assert(TcaWords::put_status + 8 <= TcaWords::interrupt && TcaWords::interrupt + 8 <= TcaWords::proxy_status);
static_assert(TcaWords::proxy_status + 8 <= TcaWords::answer_source &&
              TcaWords::answer_source + 8 <= TcaWords::flag(0));
static_assert(TcaWords::flag(TcaWords::most_ranks) <= TcaWords::flag_source);
static_assert(TcaWords::flag_source + 8 <= TcaWords::answer(0));
static_assert(TcaWords::answer(TcaWords::most_ranks) <= TcaWords::request(0) && TcaWords::end <= 4096);

}  // namespace tsunagi::libraries
