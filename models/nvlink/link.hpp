// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "net/specs.hpp"

namespace tsunagi::nvlink {

/// One NVLink link: two sub-links, one a direction. From its generation follow rate and lanes, of which each can be
/// written itself.
struct LinkConfig {
  int generation = 3;
  TransferRate rate{50'000'000'000};  // of a lane
  int lanes = 4;                      // one direction
  Time flight = 1_ns;
  Bytes max_payload = 256_B;
  bool headers = true;
};
void describe(LinkConfig& c, config::Describer& d);

net::WireSpec link_spec(const config::AnyConfig& c);

}  // namespace tsunagi::nvlink
