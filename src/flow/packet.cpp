// SPDX-License-Identifier: Apache-2.0
#include "flow/packet.hpp"

namespace tsunagi::flow {

void Packet::say(Bytes at, ByteView bytes) {
  const Bytes first = std::max(at, Bytes::zero());
  const Bytes last = std::min(at + Bytes(static_cast<std::int64_t>(bytes.size)), total_payload());
  if (first >= last) return;
  contents.add(
      pool_->contents(), first,
      bytes.part(static_cast<std::size_t>((first - at).count()), static_cast<std::size_t>((last - first).count())));
}

}  // namespace tsunagi::flow
