// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/packet.hpp"

namespace tsunagi::host {

/// Turns a host's transaction into the TLP that a root complex sends down a link, or back up the one that the request
/// came by (PCIe Base Specification 1.3.1: a root complex generates requests on the host's behalf, and completes those
/// of devices): in place, only the header. A write becomes a memory write, a read a memory read, an answer a completion
/// with data or without.
///
/// | transaction's status | completion status (Base Specification 2.2.9) |
/// | -------------------- | -------------------------------------------- |
/// | okay                 | successful completion                        |
/// | address error        | unsupported request                          |
/// | device error         | completer abort                              |
void to_tlp(flow::Packet& p);

/// The opposite: what a root complex makes of a TLP that came up a link.
void to_transaction(flow::Packet& p);

}  // namespace tsunagi::host
