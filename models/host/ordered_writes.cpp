// SPDX-License-Identifier: Apache-2.0
#include "models/host/ordered_writes.hpp"

#include <algorithm>

namespace tsunagi::host {

void describe(OrderedWritesConfig& c, config::Describer& d) {
  using namespace config;
  d.field("ordered_write_lines", c.lines,
          "lines of 64 B of a slot's writes to memory without relaxed ordering whose ownership is asked for at a time; "
          "0: no limit",
          within(0, 4096), ideal(0));
  d.field("ordered_write_ownership", c.ownership, "until such a line is owned", at_most(10_us), ideal(0_ns));
  d.field("remote_write_lines", c.remote_lines, "the same number for memory of another socket", within(0, 4096),
          ideal(0));
  d.field("remote_write_ownership", c.remote_ownership, "until a line of another socket's memory is owned",
          at_most(10_us), ideal(0_ns));
}

Time OrderedWrites::place(int in, Time arrived, std::int64_t lines, bool remote) {
  const std::size_t at = 2 * static_cast<std::size_t>(in) + (remote ? 1 : 0);
  if (ports_.size() <= at) ports_.resize(at + 1);
  Lines& l = ports_[at];
  if (l.free.empty()) l.free.resize(static_cast<std::size_t>(remote ? config_.remote_lines : config_.lines));
  const Time takes = remote ? config_.remote_ownership : config_.ownership;
  Time begin = arrived;
  for (std::int64_t i = 0; i < lines; ++i) {
    Time& place = l.free[l.next];
    begin = std::max(begin, place);
    l.last = place = std::max(l.last, begin + takes);
    l.next = (l.next + 1) % l.free.size();
  }
  return begin;
}

}  // namespace tsunagi::host
