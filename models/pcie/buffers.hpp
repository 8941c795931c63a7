// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "flow/credits.hpp"

namespace tsunagi::pcie {

/// Receive buffer of a PCIe port in header and 16-byte data credits; 0 headers: infinite.
struct BufferConfig {
  std::int64_t posted_headers = 0;
  std::int64_t posted_data = 0;
  std::int64_t non_posted_headers = 0;
  std::int64_t non_posted_data = 0;
  std::int64_t completion_headers = 0;
  std::int64_t completion_data = 0;
};
void describe(BufferConfig& c, config::Describer& d);
/// The credits of each TLP class, as a port advertises them.
std::vector<flow::Credits> buffer_credits(const BufferConfig& c);

/// What a port `sends` or `expects` (net::PortSpec) if its completions carry at most that; zero: it has none with data.
std::vector<Bytes> completions_up_to(Bytes most);

}  // namespace tsunagi::pcie
