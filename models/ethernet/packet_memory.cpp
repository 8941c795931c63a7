// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/packet_memory.hpp"

#include "units/parse.hpp"

namespace tsunagi::ethernet {

void describe_memory(PacketMemoryConfig& c, Bytes largest, config::Describer& d) {
  using namespace config;
  d.field("memory", c.size, "packet memory that all ports share", within(64_B, 1_GiB), ideal(1_GiB));
  d.field("port_limit", c.port_limit, "what may wait there for one output at most; 0: as much as there is",
          within(0_B, 1_GiB), ideal(0_B));
  d.field("cell", c.cell, "unit in which it is given to frames", within(1_B, 16_KiB));
  const Bytes frame = c.cell * units_of(largest, c.cell);
  const std::string needs = " holds no frame of " + to_string(largest) + ", which takes " + to_string(frame) +
                            " (\"largest_frame\", in whole cells)";
  d.require(c.size >= frame, "\"memory\" of " + to_string(c.size) + needs);
  d.require(c.port_limit == Bytes::zero() || c.port_limit >= frame,
            "\"port_limit\" of " + to_string(c.port_limit) + needs);
  d.require(c.port_limit <= c.size, "\"port_limit\" is more than the \"memory\"");
}

PacketMemory::PacketMemory(const PacketMemoryConfig& c, int ports)
    : cell_(c.cell),
      size_(c.size / c.cell),
      limit_((c.port_limit > Bytes::zero() ? c.port_limit : c.size) / c.cell),
      by_input_(static_cast<std::size_t>(ports)),
      by_output_(static_cast<std::size_t>(ports)) {}

void PacketMemory::catch_up(Time now) {
  while (!leaving_.empty() && leaving_.front().when <= now) {
    const Leaving l = leaving_.take_front();
    used_ -= l.cells;
    by_input_[static_cast<std::size_t>(l.in)] -= l.cells;
    by_output_[static_cast<std::size_t>(l.out)] -= l.cells;
  }
}

bool PacketMemory::take(int in, int out, std::int64_t n, Time now) {
  catch_up(now);
  std::int64_t& waiting = by_output_[static_cast<std::size_t>(out)];
  if (used_ + n > size_ || waiting + n > limit_) return false;
  used_ += n;
  waiting += n;
  by_input_[static_cast<std::size_t>(in)] += n;
  return true;
}

bool PacketMemory::empty() const {
  std::int64_t left = used_;
  for (std::size_t i = 0; i < leaving_.size(); ++i) left -= leaving_[i].cells;
  return left == 0;
}

}  // namespace tsunagi::ethernet
