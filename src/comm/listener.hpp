// SPDX-License-Identifier: Apache-2.0
// What an observer of rank programs is told.
#pragma once

#include <string>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::comm {

/// One call of a rank's program, told when it returns.
struct Call {
  /// `finish`: waits until what it sent to others has left; no message ends with it.
  enum class Kind { send, receive, finish };
  int rank = 0;
  Kind kind = Kind::send;
  int peer = 0;
  Bytes size;
  std::string method;  // as the program named it; may be empty
  Time begin;
  Time end;
};

constexpr const char* name_of(Call::Kind k) {
  constexpr const char* names[] = {"send", "receive", "finish"};
  return names[static_cast<int>(k)];
}

/// One named step of a library inside a call, told when it is over. Steps of a rank do not overlap.
struct Step {
  int rank = 0;
  const char* name = "";  // "ring the doorbell": a literal
  Time begin;
  Time end;
};

/// Hears of calls and steps.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void call(const Call& c) = 0;
  virtual void step(const Step& s) = 0;
};

}  // namespace tsunagi::comm
