// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/host/transaction.hpp"
#include "net/device.hpp"

namespace tsunagi::host {

/// A transaction, or a train of them, that came by `port` and whose address nobody has, for the reason `why`. A read is
/// answered so, `latency` after its tail, by queue `source` of the port it came by; a write is dropped (net::refuse).
void refuse(net::Device& at, int port, int source, net::Delivery d, Time latency, const std::string& why);

/// Throws std::runtime_error if answer `p` says that the read of `device` failed.
void require_okay(const net::Device& device, const flow::Packet& p);

}  // namespace tsunagi::host
