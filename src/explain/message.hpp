// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "comm/listener.hpp"
#include "explain/history.hpp"

namespace tsunagi::explain {

/// Name of the device that runs a rank ("node0.core").
using Where = std::function<std::string(int rank)>;

/// Which message to explain: all are alike where nothing is said.
struct Wanted {
  std::optional<Bytes> size;
  std::string method;
};

/// A message: the call that sent it and the call that received it.
struct Message {
  comm::Call send;
  comm::Call receive;
  std::uint64_t last_item = 0;  // the step or packet that ended last at the receiver: where to start to walk back
  Time latency() const { return receive.end - send.begin; }
};

/// What ended last at the device `place`, not after `t`: a stage there, or, where none takes time, an arrival. 0: none.
std::uint64_t last_item(const History& history, const std::string& place, Time t);

/// The last message received, with the send of its number; where messages have none, the n-th receive of its ranks,
/// size and method belongs to the n-th such send. Throws
/// std::runtime_error, with a sentence for the user, if there is none or if its beginning is no longer in `history`.
Message last_message(const History& history, const Where& where, const Wanted& wanted = {});

}  // namespace tsunagi::explain
