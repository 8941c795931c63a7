// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "flow/packet.hpp"
#include "models/host/memory/extents.hpp"
#include "models/host/memory/words.hpp"
#include "models/host/memory/write_listener.hpp"

namespace tsunagi::host {

/// What is kept of what was written to a memory: the bytes that packets' contents say and, with `record`, every extent.
class Written {
 public:
  Written(sim::Simulation& sim, bool record) : words_(sim), record_(record) {}
  /// Packet `i` of train `p` has written `address` onwards, and that can be seen from `when` on.
  void write(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when) {
    if (record_)
      extents_.push_back({address, p.payload_of(i), p.origin,
                          p.origin_offset + static_cast<std::uint64_t>((p.payload * i).count()), p.last_word_of(i),
                          when});
    words_.write(p, i, address, when);
    if (listener_ != nullptr) listener_->written(address, p.payload_of(i), p.origin, when);
  }
  void set_listener(WriteListener& l) { listener_ = &l; }
  /// A core has copied `n` bytes: what those at `from` say, those at `to` say from now on; where they say nothing, what
  /// is kept there stays as it is. `writer` is the core's step.
  void copy(flow::ContentsPool& pool, std::uint64_t to, std::uint64_t from, Bytes n, std::uint64_t writer, Time now) {
    if (record_)
      for (Extent& e : copied(extents_, to, from, n, now)) {
        const std::uint64_t end = e.address - to + from + unsigned_of(e.length);
        e.value = words_.number_before(end, std::min(e.length, Bytes(8)));
        extents_.push_back(e);
      }
    words_.copy(pool, to, from, n, {now, writer});
  }
  Words& words() { return words_; }
  const Words& words() const { return words_; }
  const std::vector<Extent>& extents() const { return extents_; }

 private:
  Words words_;
  bool record_;
  WriteListener* listener_ = nullptr;
  std::vector<Extent> extents_;
};

}  // namespace tsunagi::host
