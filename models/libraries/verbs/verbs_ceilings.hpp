// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/ceiling.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// Payload rate of writes of `size` bytes, cut into packets of up to `mtu`, back to back on a wire.
Rate verbs_payload_rate(const net::WireSpec& wire, Bytes mtu, Bytes size);

/// What bounds transfers from one node to another by the first `rails` rails: the links' packets, and the writes that
/// the receiver's cards make of them. `method`: as library verbs names it.
std::vector<comm::Ceiling> verbs_ceilings(const VerbsNode& from, const VerbsNode& to, int rails,
                                          const std::string& method);

}  // namespace tsunagi::libraries
