// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/describe.hpp"
#include "net/specs.hpp"

namespace tsunagi::pcie {

enum class Coding : std::uint8_t { none, c8b10b, c128b130b, c1b1b };

/// A PCI Express link. From its generation follow rate, coding, flit mode, internal delay and SKP ordered sets, of
/// which each can be written itself.
struct LinkConfig {
  int generation = 2;
  TransferRate rate{5'000'000'000};  // of a lane
  int lanes = 8;
  Coding coding = Coding::c8b10b;
  bool flit_mode = false;
  Time flight = 1_ns;
  int retimers = 0;
  Time retimer_latency = 10_ns;  // of each
  Bytes max_payload_size = 256_B;
  bool tlp_header = true;
  bool tlp_framing = true;
  bool acks = true;
  bool credit_updates = true;
  bool skip_ordered_sets = true;
  /// Internal delay in the limits of ACK and UpdateFC latency, in symbol times.
  std::int64_t internal_delay = 70;
  /// Symbol times between SKP ordered sets and symbols of one, a lane.
  std::int64_t skip_interval = 1538;
  std::int64_t skip_symbols = 4;
  Time dllp_processing = 0_ns;
  Bytes replay_buffer = 16_KiB;
  double bit_error_rate = 0;
};
void describe(LinkConfig& c, config::Describer& d);

/// A flit (Base Specification 6.0, 4.2.3): bytes of TLPs, of link-layer packets, CRC and error correction.
constexpr Bytes flit_tlps{236}, flit_dllps{6}, flit_crc{8}, flit_fec{6};
constexpr Bytes flit_size = flit_tlps + flit_dllps + flit_crc + flit_fec;

/// Payload-and-overhead byte rate after coding: lanes x rate x (8/10 or 128/130) / 8 bits; in flit mode that of the
/// bytes that flits have for TLPs, 236 of 256. Exact.
Rate link_rate(const LinkConfig& c);

/// Probability that a flit has more wrong bytes than its error correction makes good, if each bit is wrong with
/// probability `bit_error_rate`: its bytes belong to three codes in turn, each of which corrects one (Base
/// Specification 6.0, 4.2.3: 3-way interleaved ECC).
double flit_error_rate(double bit_error_rate);

/// Latest time from reception of a TLP to its ACK, and from a release to its UpdateFC:
/// ((MPS + 28) x AckFactor / lanes + internal delay) symbol times
/// (Base Specification 3.5.3.1 and 2.6.1.2; AckFactor 1.4, 2.5 or 3.0 by width and MPS). In flit mode the internal
/// delay alone: the next flit tells.
Time ack_latency_limit(const LinkConfig& c);

net::WireSpec link_spec(const config::AnyConfig& c);

}  // namespace tsunagi::pcie
