// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/request.hpp"
#include "flow/ring.hpp"
#include "models/host/memory/write_listener.hpp"

namespace tsunagi::libraries {

/// An instrument at a rank's memory: tells requests when the messages are there that nobody receives. Each queue pair
/// that such messages come by has a place of its own, of equal size, where they arrive one behind the other.
class VerbsArrivals final : public host::WriteListener {
 public:
  VerbsArrivals(std::uint64_t base, Bytes place, int places)
      : base_(base), place_(place), expected_(static_cast<std::size_t>(places)) {}
  /// Message `number` of a queue pair, of `n` bytes, comes to place `place`.
  void expect(int place, std::uint32_t number, Bytes n, const comm::Request& request) {
    expected_[static_cast<std::size_t>(place)].push_back({number, n, request});
  }
  void written(std::uint64_t address, Bytes n, std::uint32_t origin, Time when) override {
    if (address < base_) return;
    const std::uint64_t at = (address - base_) / static_cast<std::uint64_t>(place_.count());
    if (at >= expected_.size() || expected_[at].empty()) return;
    Expected& e = expected_[at].front();
    if (e.number != origin) return;
    e.missing -= n;
    if (e.missing > Bytes::zero()) return;
    const comm::Request done = expected_[at].take_front().request;
    done.reach(comm::Milestone::delivered, when);
  }

 private:
  struct Expected {
    std::uint32_t number = 0;
    Bytes missing;
    comm::Request request;
  };
  std::uint64_t base_;
  Bytes place_;
  std::vector<flow::Ring<Expected>> expected_;  // by place
};

}  // namespace tsunagi::libraries
