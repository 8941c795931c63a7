// SPDX-License-Identifier: Apache-2.0
// What an observer of rank programs is told.
#pragma once

#include <string>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::comm {

/// One call of a rank's program, told when it returns.
struct Call {
  enum class Kind { send, receive };
  int rank = 0;
  Kind kind = Kind::send;
  int peer = 0;
  Bytes size;
  std::string method;  // as the program named it; may be empty
  Time begin;
  Time end;
};

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
