// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/history.hpp"
#include "explain/message.hpp"
#include "explain/path.hpp"

namespace tsunagi::explain {

/// A part of the critical path through the ranks.
struct Leg {
  enum class Kind : std::uint8_t {
    message,  // from `peer`, from when that handed it to its library until the rank goes on with it
    work,     // the rank's own: its program, its library
    leaving,  // the rank waits until its message to `peer` has left, which it handed over when this begins
    room,     // the rank waits until `peer` has room for another envelope
    late,     // the rank has not begun yet, others have
  };
  Kind kind = Kind::work;
  int rank = 0;
  int peer = -1;
  Time begin;
  Time end;
  comm::Envelope::Kind envelope = comm::Envelope::Kind::eager;  // of a message
  Bytes size = {};
  /// What it is the sum of: steps of work, kinds of stages of a message; those that take no time are left out.
  std::vector<std::pair<std::string, Time>> parts = {};
  /// Of a message, by the stages' names: how often, and how long together.
  struct Stage {
    std::string what;
    std::int64_t times = 0;
    Time took;
  };
  std::vector<Stage> stages = {};
  bool before = false;  // the rank was still in the call, or the iteration, before that one
  Time took() const { return end - begin; }
};
/// "message": the kind in JSON.
const char* name(Leg::Kind k);

/// What made a collective call, or an iteration, as long as it was: legs that tile the time from the begin of the first
/// rank to the end of the last one exactly, in order (PERT, after Malcolm et al. 1959; of message-passing programs:
/// Yang and Miller, ICDCS 1988).
struct CriticalPath {
  comm::Together call;  // as the rank made it that ended last; of several the first
  Time begin;
  Time end;
  std::vector<Leg> legs;
  std::vector<int> ranks;  // on the path, in its order; one may come again
  /// Of the others, how long before the last rank each ended.
  struct Slack {
    std::size_t ranks = 0;
    Time least;
    Time most;
  } slack;
  Time took() const { return end - begin; }
};

/// Of what the ranks did together last. Walks back from the end of the rank that ended last: through what it waited for
/// last to who sent that, when it did, and on from there. A rank that had not waited when the message came is late
/// itself: the path stays with it, also in what it did before without a pause, as long as others had begun. None: the
/// ranks did nothing together. Throws std::runtime_error, with a sentence for the user, if its beginning is no longer
/// in `history`.
std::optional<CriticalPath> critical_path(const History& history, const Where& where);

/// The longest leg that is a message, as a message of that length, and its path; none if there is none.
std::optional<std::pair<Message, Path>> longest_message(const History& history, const CriticalPath& path,
                                                        const Where& where);

/// As text of at most 100 columns: what was done, the ranks on its path, a line for each leg and one below it of what
/// that is the sum of, the slack of the others. Of many legs the first and the last.
std::string to_text(const CriticalPath& path);

/// The same with each leg, times in femtoseconds; a leg starts so long after the first rank began.
nlohmann::ordered_json to_json(const CriticalPath& path);

}  // namespace tsunagi::explain
