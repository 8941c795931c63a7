// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "flow/packet.hpp"
#include "models/host/words.hpp"

namespace tsunagi::host {

/// One write as a recording memory saw it.
struct Extent {
  std::uint64_t address = 0;
  Bytes length;
  std::uint32_t origin = 0;
  std::uint64_t origin_offset = 0;
  std::uint64_t value = 0;  // what its last (up to eight) bytes say
  Time when;
};

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
  }
  Words& words() { return words_; }
  const Words& words() const { return words_; }
  const std::vector<Extent>& extents() const { return extents_; }

 private:
  Words words_;
  bool record_;
  std::vector<Extent> extents_;
};

}  // namespace tsunagi::host
