// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/accounts.hpp"
#include "comm/listener.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Accounts for the steps that a library and its parts do, and tells an observer, if there is one, of each.
class Steps {
 public:
  /// `accounts` outlives this.
  explicit Steps(Accounts& accounts) : accounts_(accounts) {}
  /// Who hears of them from now on.
  void set_listener(Listener& listener) { listener_ = &listener; }
  Listener* listener() const { return listener_; }
  /// Does a step of a rank that accounts and observers know by `name`, a literal.
  template <class F>
  void operator()(const Fiber& f, int rank, const char* name, F&& body) const {
    span(f, rank, name, 1, body);
  }
  /// Goes on with a step of that name that has been counted before.
  template <class F>
  void go_on(const Fiber& f, int rank, const char* name, F&& body) const {
    span(f, rank, name, 0, body);
  }
  /// Counts messages and their copies.
  void sent(Bytes payload, std::int64_t messages = 1) const { accounts_.sent(payload, messages); }
  void copied(Copier by, Bytes n, std::int64_t copies = 1) const { accounts_.copied(by, n, copies); }

 private:
  template <class F>
  void span(const Fiber& f, int rank, const char* name, std::int64_t calls, F&& body) const {
    const Time begin = f.now();
    body();
    const Time end = f.now();
    accounts_.step(name, end - begin, calls);
    if (listener_ != nullptr) listener_->step({rank, name, begin, end});
  }

  Accounts& accounts_;
  Listener* listener_ = nullptr;
};

}  // namespace tsunagi::comm
