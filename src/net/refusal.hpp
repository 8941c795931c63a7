// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "net/device.hpp"

namespace tsunagi::net {

/// How a request that nobody has is answered.
struct Refusal {
  int port = 0;           // that it came by
  int source = 0;         // queue there, by which the answer leaves
  Time latency;           // from the request's tail to its answer
  const char* what = "";  // the answer, for observers; a literal
  /// Turns the request into its answer; null: it has none, as posted writes.
  void (*answer)(flow::Packet&) = nullptr;
};

/// A request, or a train of them, that nobody has, for the reason `why`. Each is complained of
/// (sim::Simulation::complain: an error where all programs are ours); then it is answered, or dropped.
void refuse(Device& at, Delivery d, const Refusal& how, const std::string& why);

}  // namespace tsunagi::net
