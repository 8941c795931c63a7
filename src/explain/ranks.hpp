// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explain/history.hpp"
#include "explain/message.hpp"

namespace tsunagi::explain {

/// Waits of one name within a step: for a tag, for buffer space, for a poll.
struct StepWait {
  std::string name;
  Time begin;  // of the first
  Time end;    // of the last
  Time took;   // in sum; what several wait for at a time counts once
};

/// A named step of the library, or a time between such steps, called "in the library".
struct StepView {
  std::string name;
  Time begin;
  Time end;
  std::vector<StepWait> waits;
};

/// A call, tiled by its steps: their lengths sum to the call's.
struct CallView {
  comm::Call call;
  std::vector<StepView> steps;
  Time uncovered;  // in no named step
};

/// What a rank's program did while a message was under way.
struct RankView {
  int rank = 0;
  std::vector<CallView> calls;
};

/// The sender's and the receiver's view, or, if they are one rank, its own: all calls that overlap with the message's
/// time.
std::vector<RankView> views(const History& history, const Message& message, const Where& where);

/// One or two side by side as text of at most 100 columns, in order of time counted from the message's begin; steps
/// that come often are summed by name. Below it what each call is the sum of.
std::string side_by_side(const std::vector<RankView>& views, const Message& message);

/// The same, times in femtoseconds, begins counted from the message's begin.
nlohmann::ordered_json to_json(const RankView& view, const Message& message);

}  // namespace tsunagi::explain
