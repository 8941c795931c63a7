// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/device.hpp"

namespace tsunagi::net {

/// Delays the heads of packets that cut through `at` to a wire that is faster than the one they come by, so that it
/// does not run dry between head and tail; before that it is free for others. To be done before they are queued at
/// `out`.
void await_tail(const Device& at, const Port& out, Delivery& d);

}  // namespace tsunagi::net
