// SPDX-License-Identifier: Apache-2.0
// What things are called in every kind of trace.
#pragma once

#include <string>

#include "net/listener.hpp"

namespace tsunagi::trace {

/// "pipeline", "memory"...
const char* stage_name(net::Stage stage);
/// "ack", "credit update"...
const char* overhead_name(net::Overhead kind);
/// "nothing", "credit", "replay space".
const char* blocked_by_name(net::BlockedBy by);

}  // namespace tsunagi::trace
