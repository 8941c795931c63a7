// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/request.hpp"
#include "models/router/terminal.hpp"

namespace tsunagi::libraries {

/// What a terminal sends: lends the space of its buffer to the packets, and tells its request how they leave.
class Leaving : public net::SlotOwner {
 public:
  explicit Leaving(std::uint32_t n) : number(n) {}
  void slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t) override {
    if (request.at(comm::Milestone::started) == Time::max()) request.reach(comm::Milestone::started, slot_now());
    unsent -= static_cast<std::int64_t>(when.size());
    if (unsent == 0) request.reach(comm::Milestone::completed, when.back().tail);
  }
  Time slot_now() const override { return from->simulation().now(); }

  const std::uint32_t number;
  router::Terminal* from = nullptr;
  comm::Request request;
  std::int64_t unsent = 0;  // packets, before routers copy them
};

/// Things that are `Leaving`, by the numbers that their packets carry, which are used again.
template <class T>
class UnderWay {
 public:
  /// One for the `n` bytes that `from` is to send next.
  T& take(router::Terminal& from, Bytes n, const comm::Request& request) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
      all_.push_back(std::make_unique<T>(free_.back()));
    }
    T& t = *all_[free_.back()];
    free_.pop_back();
    t.from = &from;
    t.unsent = from.packets_of(n);
    t.request = request;
    return t;
  }
  T& operator[](std::uint32_t number) { return *all_[number]; }
  void give_back(const T& t) { free_.push_back(t.number); }

 private:
  std::vector<std::unique_ptr<T>> all_;
  std::vector<std::uint32_t> free_;
};

/// What has come to a rank and was not taken: when the last byte of each is there, by sender.
struct Inbox {
  std::multimap<int, Time> waiting;
  Event changed;

  /// Returns when the next one of rank `from` is there.
  void take(Fiber& f, int from, const char* what) {
    for (;;) {
      const auto first = waiting.lower_bound(from);
      const bool told = first != waiting.end() && first->first == from;
      if (told && first->second <= f.now()) {
        waiting.erase(first);
        return;
      }
      // Of a packet the head is there before the tail, of a train long before.
      f.wait_any({&changed}, told ? first->second : Time::max(), what + (" of rank " + std::to_string(from)));
    }
  }
};

}  // namespace tsunagi::libraries
