// SPDX-License-Identifier: Apache-2.0
// What things are called in every kind of trace.
#pragma once

#include <string>

#include "net/listener.hpp"

namespace tsunagi::trace {

/// "node0.peach2.e > node1.peach2.w".
std::string channel_name(const net::ChannelInfo& channel);
/// "posted", or "class 3" where the wire names none.
std::string class_name(const net::ChannelInfo& channel, flow::FlowClass flow_class);
/// "pipeline", "memory"...
const char* stage_name(net::Stage stage);
/// "ack", "credit update"...
const char* overhead_name(net::Overhead kind);
/// "nothing", "credit", "replay space".
const char* lack_name(net::Lack lack);

}  // namespace tsunagi::trace
