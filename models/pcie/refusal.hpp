// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/pcie/tlp.hpp"
#include "net/device.hpp"

namespace tsunagi::pcie {

/// A request, or a train of them, that came by `port` and that nobody answers, for the reason `why`. A read is
/// completed, `latency` after its tail, by queue `source` of the port it came by, as an unsupported request (Base
/// Specification 2.3.1); a write is dropped (net::refuse).
void refuse(net::Device& at, int port, int source, net::Delivery d, Time latency, const std::string& why);

/// Throws std::runtime_error if completion `p` says that the read of `device` failed.
void require_success(const net::Device& device, const flow::Packet& p);

}  // namespace tsunagi::pcie
