// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// How blocks hand data on.
///  - simple: slices of a chunk, and a flag behind each when a fence is over.
///  - ll ("low latency"): lines that carry their flag beside the data, which the neighbour's threads poll.
///  - ll128: the same with longer lines; where a line of 128 B arrives as a whole.
enum class RingProtocol : std::uint8_t { ll, ll128, simple };
enum class RingAlgorithm : std::uint8_t { ring, tree };
constexpr int ring_protocols = 3;
const char* name_of(RingProtocol p);
const char* name_of(RingAlgorithm a);

/// One of the protocols.
struct RingProtocolConfig {
  Bytes buffer;         // of a connection, at its receiver
  int threads = 512;    // of a block
  Bytes thread_bytes;   // fewer channels take part where a thread would have less
  Time base_latency;    // what the tuning model reckons with: of a call,
  Time step_latency;    // of a step of it,
  Rate rate;            // of the bus
  bool enabled = true;  // as the model's choice
};

struct RingConfig {
  int channels = 2;
  int prologue_loads = 8;
  int steps = 8;
  int chunk_steps = 4;
  int slice_steps = 2;
  Bytes line = 16_B;  // of LL, and what of it is data
  Bytes line_data = 8_B;
  Bytes line_128 = 128_B;  // of LL128
  Bytes line_128_data = 120_B;
  RingProtocolConfig ll{512_KiB, 512, 32_B, 6600_ns, 1_us, Rate::bytes_per_second(6'000'000'000), true};
  RingProtocolConfig ll128{4800_KiB, 640, 8_B, 14_us, 1900_ns, Rate::bytes_per_second(11'040'000'000), false};
  RingProtocolConfig simple{4_MiB, 512, 64_B, 8400_ns, 5700_ns, Rate::bytes_per_second(12'000'000'000), true};
  /// What is taken whatever the model says; empty: its choice.
  std::string protocol;
  RingAlgorithm algorithm = RingAlgorithm::ring;

  const RingProtocolConfig& of(RingProtocol p) const {
    return p == RingProtocol::ll ? ll : p == RingProtocol::ll128 ? ll128 : simple;
  }
  /// Bytes that a line has, and how many of them are data: of `simple` all.
  Bytes line_of(RingProtocol p) const { return p == RingProtocol::ll ? line : line_128; }
  Bytes data_of(RingProtocol p) const { return p == RingProtocol::ll ? line_data : line_128_data; }
};
void describe(RingConfig& c, config::Describer& d);

}  // namespace tsunagi::libraries
