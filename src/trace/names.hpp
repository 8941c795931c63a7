// SPDX-License-Identifier: Apache-2.0
// What things are called in every kind of trace.
#pragma once

#include <string>

#include "comm/listener.hpp"
#include "net/listener.hpp"

namespace tsunagi::trace {

/// "pipeline", "memory"...
const char* stage_name(net::Stage stage);
/// "ack", "credit update"...
const char* overhead_name(net::Overhead kind);
/// "nothing", "credit", "replay space".
const char* blocked_by_name(net::BlockedBy by);
/// "posted 256 B"; without a payload "posted".
std::string packet_name(const net::ChannelInfo& channel, flow::FlowClass flow_class, Bytes payload);
/// "send 8 B".
std::string call_name(const comm::Call& c);
/// "broadcast 8 B"; of no bytes "barrier".
std::string together_name(const comm::Together& t);

}  // namespace tsunagi::trace
