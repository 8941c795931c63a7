// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "comm/envelope.hpp"
#include "comm/fiber.hpp"
#include "units/time.hpp"

namespace tsunagi::comm {

/// What happens to a message, in this order; of two with the same bytes `completed` may also follow `delivered`.
enum class Milestone : std::uint8_t {
  posted,     // the rank called
  started,    // the first packet was taken by the network interface
  delivered,  // the last byte is at the receiver
  completed,  // the sender may reuse the buffer
};

/// A message under way. Copies mean the same message; its record is recycled when the library and all
/// holders have let go. The library tells milestones, also ones that lie ahead.
class Request {
 public:
  Request() = default;
  Request(const Request& o) : state_(o.state_) {
    if (state_ != nullptr) ++state_->holders;
  }
  Request(Request&& o) noexcept : state_(std::exchange(o.state_, nullptr)) {}
  Request& operator=(Request o) noexcept {
    std::swap(state_, o.state_);
    return *this;
  }
  ~Request() {
    if (state_ != nullptr && --state_->holders == 0) state_->free->push_back(state_);
  }

  bool valid() const { return state_ != nullptr; }
  /// When; Time::max(): not known yet.
  Time at(Milestone m) const { return state_->times[static_cast<std::size_t>(m)]; }
  /// Library: the milestone is reached at `t` (now or later).
  void reach(Milestone m, Time t) const {
    state_->times[static_cast<std::size_t>(m)] = t;
    if (state_->told.awaited()) state_->told.notify();
  }
  /// Of a receive, when it has completed: what it got.
  const Status& status() const { return state_->status; }
  void set_status(const Status& s) { state_->status = s; }
  /// Of a two-sided message on its way, while somebody hears of it: for observers.
  struct Sent {
    std::uint64_t message = 0;  // its number
    int to = 0;
    Bytes size;
    Time handed;  // when its bytes were handed to the library
  };
  const Sent& sent() const { return state_->sent; }
  void set_sent(const Sent& s) const { state_->sent = s; }
  /// Notified whenever a milestone gets known.
  Event& told() const { return state_->told; }
  /// Blocks the fiber until the milestone is reached.
  void wait(Fiber& f, Milestone m) const {
    constexpr const char* what[] = {"a message to be posted", "a message to start", "a message to be delivered",
                                    "a message to complete"};
    while (at(m) == Time::max()) f.wait(state_->told, what[static_cast<std::size_t>(m)]);
    f.wait_until(at(m));
  }

 private:
  friend class RequestPool;
  struct State {
    std::array<Time, 4> times;
    Status status;
    Sent sent;
    Event told;
    std::vector<State*>* free = nullptr;
    int holders = 0;
  };
  explicit Request(State* s) : state_(s) { ++s->holders; }
  State* state_ = nullptr;
};

/// Makes requests of recycled records; must outlive them.
class RequestPool {
 public:
  RequestPool() = default;
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  Request make(Time posted) {
    if (free_.empty()) grow();
    Request::State* s = free_.back();
    free_.pop_back();
    s->times = {posted, Time::max(), Time::max(), Time::max()};
    s->status = {};
    s->sent = {};
    return Request(s);
  }

 private:
  void grow() {
    constexpr std::size_t block = 256;
    blocks_.push_back(std::make_unique<Request::State[]>(block));
    free_.reserve(block * blocks_.size());
    for (std::size_t i = 0; i < block; ++i) {
      blocks_.back()[i].free = &free_;
      free_.push_back(&blocks_.back()[i]);
    }
  }
  std::vector<std::unique_ptr<Request::State[]>> blocks_;
  std::vector<Request::State*> free_;
};

}  // namespace tsunagi::comm
