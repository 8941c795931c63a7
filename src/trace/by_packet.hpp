// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "flow/framing.hpp"
#include "units/bytes.hpp"

namespace tsunagi::trace {

/// What is made of a packet's class and payload, kept for the next one: the packets of a wire are of a few sizes. Where
/// they are of many, some are made again.
template <class Value>
class ByPacket {
 public:
  template <class Make>
  const Value& of(flow::FlowClass flow_class, Bytes payload, Make make) {
    for (const Entry& e : entries_)
      if (e.payload == payload && e.flow_class == flow_class) return e.value;
    Entry made{flow_class, payload, make()};
    if (entries_.size() < most) return entries_.emplace_back(std::move(made)).value;
    return (entries_[next_++ % most] = std::move(made)).value;
  }

 private:
  static constexpr std::size_t most = 16;
  struct Entry {
    flow::FlowClass flow_class;
    Bytes payload;
    Value value;
  };

  std::vector<Entry> entries_;
  std::size_t next_ = 0;
};

}  // namespace tsunagi::trace
