// SPDX-License-Identifier: Apache-2.0
// What an observer of rank programs is told.
#pragma once

#include <cstdint>
#include <string>

#include "comm/messages/envelope.hpp"
#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::comm {

/// One call of a rank's program, told when it returns.
struct Call {
  /// `finish`: waits until what it sent to others has left; no message ends with it. `wait`: not told, but found by who
  /// looks at the steps between other calls.
  enum class Kind { send, receive, finish, wait };
  int rank = 0;
  Kind kind = Kind::send;
  int peer = 0;
  Bytes size;
  std::string method;  // as the program named it; may be empty
  Time begin;
  Time end;
  // Of two-sided messages. A receive begins when it is posted.
  std::uint64_t message = 0;  // its send and its receive have the same number; 0: none
  int context = 0;            // of its group; collectives use another one than programs
  int tag = any_tag;
};

constexpr const char* name_of(Call::Kind k) {
  constexpr const char* names[] = {"send", "receive", "finish", "wait"};
  return names[static_cast<int>(k)];
}

/// One named step of a library inside a call, told when it is over. Steps of a rank do not overlap.
struct Step {
  int rank = 0;
  const char* name = "";  // "ring the doorbell": a literal
  Time begin;
  Time end;
};

/// A rank had nothing to do in two-sided calls until something came; told when it goes on.
struct Wait {
  /// An envelope, with the bytes behind it; its own message, until that has left; room at its peer.
  enum class For : std::uint8_t { envelope, leaving, room };
  int rank = 0;
  For what = For::envelope;
  int peer = 0;  // who sent the envelope, gets the message, or made room
  Time begin;
  Time end;
  // Of an envelope and of a message that leaves:
  Envelope::Kind kind = Envelope::Kind::eager;  // `finished` stands for the bytes before it
  std::uint64_t message = 0;
  Bytes size;    // of what travelled: nothing but a word from rank to rank has none
  Time posted;   // when its sender handed it to the library
  Time arrived;  // before `begin`: nobody had to wait for it
};

/// What all ranks of a group do together, a collective call or an iteration, as one of them did it; told at its end.
/// Context, name and number say which one it is.
struct Together {
  int rank = 0;
  const char* name = "";  // "broadcast": a literal
  std::string algorithm;  // may be empty
  int context = 0;        // of the group
  std::uint64_t number = 0;
  int ranks = 0;  // of the group
  int root = -1;  // a rank of the world; -1: none
  Bytes size;     // what decides on algorithms (CollectiveCall::weight)
  Time begin = {};
  Time end = {};
};

/// Hears of what ranks do.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void call(const Call& c) = 0;
  virtual void step(const Step& s) = 0;
  virtual void wait(const Wait& /*w*/) {}
  virtual void together(const Together& /*t*/) {}
};

}  // namespace tsunagi::comm
