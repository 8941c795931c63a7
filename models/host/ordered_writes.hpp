// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "units/time.hpp"

namespace tsunagi::host {

/// What a card's writes of memory without relaxed ordering wait for.
struct OrderedWritesConfig {
  int lines = 0;
  Time ownership;
  int remote_lines = 0;
  Time remote_ownership;
};
/// The fields stand in the root complex's own object: "ordered_write_lines", ...
void describe(OrderedWritesConfig& c, config::Describer& d);

/// Lines of 64 B that slots' posted writes ask for the ownership of. Requests overlap, so many lines of a slot at a
/// time; but who must keep the order of its writes (Base Specification 2.4.1) lets them be seen in that order, so that
/// a line gives its place to another one when it and all before it are owned.
class OrderedWrites {
 public:
  explicit OrderedWrites(const OrderedWritesConfig& c) : config_(c) {}
  /// Whether writes to this socket's memory, or that of another one, ever wait.
  bool limits(bool remote) const { return (remote ? config_.remote_lines : config_.lines) > 0; }
  /// When the last of `lines` lines (> 0) of a write has a place that came by port `in` at `arrived`; writes of a port
  /// in the order in which they come. Only where there are limits.
  Time place(int in, Time arrived, std::int64_t lines, bool remote);

 private:
  struct Lines {
    std::vector<Time> free;  // when a place is, around
    std::size_t next = 0;
    Time last;
  };
  OrderedWritesConfig config_;
  std::vector<Lines> ports_;  // of each port, for this socket and for another one in turn
};

}  // namespace tsunagi::host
