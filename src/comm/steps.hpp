// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/fiber.hpp"
#include "comm/listener.hpp"

namespace tsunagi::comm {

/// Tells an observer, if there is one, of the steps that a library and its parts do.
class Steps {
 public:
  /// Who hears of them from now on.
  void set_listener(Listener& listener) { listener_ = &listener; }
  Listener* listener() const { return listener_; }
  /// Does a step of a rank that observers know by `name`, a literal.
  template <class F>
  void operator()(const Fiber& f, int rank, const char* name, F&& body) const {
    const Time begin = f.now();
    body();
    if (listener_ != nullptr) listener_->step({rank, name, begin, f.now()});
  }

 private:
  Listener* listener_ = nullptr;
};

}  // namespace tsunagi::comm
