// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "comm/messages/envelope.hpp"
#include "fiber/fiber.hpp"
#include "units/time.hpp"

namespace tsunagi::comm {

/// What happens to a message, in this order; of two with the same bytes `completed` may also follow `delivered`. One is
/// either delivered or lost.
enum class Milestone : std::uint8_t {
  posted,     // the rank called
  started,    // the first packet was taken by the network interface
  delivered,  // the last byte is at the receiver
  completed,  // the sender may reuse the buffer
  lost,       // all that arrives of it is at the receiver, and something does not
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
    if (state_ != nullptr && --state_->holders == 0) state_->store->take_back(state_);
  }

  bool valid() const { return state_ != nullptr; }
  /// Whether both mean the same message.
  bool operator==(const Request& o) const { return state_ == o.state_; }
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
                                    "a message to complete", "a message to be lost"};
    while (at(m) == Time::max()) f.wait(state_->told, what[static_cast<std::size_t>(m)]);
    f.wait_until(at(m));
  }
  /// Blocks the fiber until it is delivered, or lost.
  void wait_settled(Fiber& f) const {
    while (std::min(at(Milestone::delivered), at(Milestone::lost)) == Time::max())
      f.wait(state_->told, "a message to be delivered");
    f.wait_until(std::min(at(Milestone::delivered), at(Milestone::lost)));
  }

 private:
  friend class RequestPool;
  struct Store;
  struct State {
    std::array<Time, 5> times;
    Status status;
    Sent sent;
    Event told;
    Store* store = nullptr;
    int holders = 0;
  };
  /// The records of a pool. It goes with the pool or, if there are requests then (a run that was given up has messages
  /// under way), with the last of them.
  struct Store {
    static constexpr std::size_t block = 256;
    void take_back(State* s) {
      free.push_back(s);
      if (closed && all_home()) delete this;
    }
    bool all_home() const { return free.size() == block * blocks.size(); }
    void grow() {
      blocks.push_back(std::make_unique<State[]>(block));
      free.reserve(block * blocks.size());
      for (std::size_t i = 0; i < block; ++i) {
        blocks.back()[i].store = this;
        free.push_back(&blocks.back()[i]);
      }
    }
    std::vector<std::unique_ptr<State[]>> blocks;
    std::vector<State*> free;
    bool closed = false;
  };
  explicit Request(State* s) : state_(s) { ++s->holders; }
  State* state_ = nullptr;
};

/// Makes requests of recycled records. They may outlive it.
class RequestPool {
 public:
  RequestPool() = default;
  ~RequestPool() {
    if (store_->all_home())
      delete store_;
    else
      store_->closed = true;
  }
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  Request make(Time posted) {
    if (store_->free.empty()) store_->grow();
    Request::State* s = store_->free.back();
    store_->free.pop_back();
    s->times = {posted, Time::max(), Time::max(), Time::max(), Time::max()};
    s->status = {};
    s->sent = {};
    return Request(s);
  }

 private:
  Request::Store* store_ = new Request::Store;
};

}  // namespace tsunagi::comm
