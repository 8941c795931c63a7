// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "comm/listener.hpp"
#include "comm/messages/transport.hpp"
#include "comm/request.hpp"

namespace tsunagi::comm {

/// Tells an observer of two-sided messages: numbers them, and says what ranks with nothing to do waited for. Does
/// nothing as long as nobody listens; costs no simulated time.
class Witness {
 public:
  void set_listener(Listener& l) { listener_ = &l; }

  /// A new message gets its number.
  void begins(const Envelope& e, int to, const Request& r);
  /// The call that sends it returns.
  void sent(const Envelope& e, int to, const std::string& method, const Request& r, Time now);
  /// Rank `from` hands an envelope, or the bytes before it, to the library; `r`: of what goes with it, if valid.
  void handed(const Envelope& e, int from, int to, const Request& r, Time now);
  /// The message is here.
  void received(const Envelope& e, int rank, const std::string& method, Time posted, Time now);
  /// Its sender has been told that it was fetched.
  void released(const Envelope& e, int to);
  /// The rank's own work between messages.
  void step(int rank, const char* name, Time begin, Time end);

  /// The rank had nothing to do then. What comes next says what it waited for:
  void idle(int rank, Time begin, Time end);
  /// an envelope, of `peer`,
  void found(int rank, int peer, const Arrival& a);
  /// room for another one to `peer`,
  void has_room(int rank, int peer);
  /// or one of its own messages, that it has left.
  void left(int rank, const std::vector<Request>& waited, Time now);

 private:
  struct Idle {
    Time begin;
    Time end;
  };
  /// A message that has not been received, or whose sender waits until it hears that.
  struct Told {
    std::uint64_t number = 0;
    Time sent;      // when its sender handed over what it said last
    Time answered;  // when its receiver did
    bool fetched = false;
  };
  bool take_idle(int rank, Wait& w);

  Listener* listener_ = nullptr;
  std::uint64_t numbers_ = 0;
  std::map<std::tuple<int, int, std::uint32_t>, Told> told_;  // by source, target and sequence
  std::map<int, Idle> idle_;                                  // by rank
};

}  // namespace tsunagi::comm
