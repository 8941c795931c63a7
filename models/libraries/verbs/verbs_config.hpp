// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "units/bytes.hpp"

namespace tsunagi::libraries {

struct VerbsConfig {
  std::string core = "core0";
  std::string memory = "memory";
  std::vector<std::string> rails = {"hca.port1"};
  infiniband::Service service = infiniband::Service::reliable_connection;
  Bytes mtu = 2_KiB;
  Bytes inline_limit = 220_B;
  int depth = 128;
  std::int64_t post_cycles = 150;
  std::int64_t poll_cycles = 100;
  int timeout_code = 14;
  int retry_count = 7;
  int rnr_retry_count = 7;
  Bytes eager_limit = 8_KiB;
  int slots = 256;
  int unexpected = 1024;
};
void describe(VerbsConfig& c, config::Describer& d);

}  // namespace tsunagi::libraries
