// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "config/message.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "topo/graph.hpp"
#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// Whose user driver posts work requests.
enum class Provider : std::uint8_t {
  mlx4,  // libmlx4: cards up to ConnectX-3
  mlx5,  // libmlx5: since ConnectX-4
};

/// What a node uses, and how its queue pairs are set up.
struct VerbsNodeConfig {
  std::string core = "core0";
  std::string memory = "memory";
  std::vector<std::string> rails = {"hca.port1"};
  infiniband::Service service = infiniband::Service::reliable_connection;
  Provider provider = Provider::mlx4;
  Bytes mtu = 2_KiB;
  Bytes inline_limit = 220_B;
  int depth = 128;
  int receive_depth = 0;
  std::int64_t post_cycles = 150;
  std::int64_t poll_cycles = 100;
  int timeout_code = 14;
  int retry_count = 7;
  int rnr_retry_count = 7;
};
/// All but the service, which libraries that have a choice describe.
void describe(VerbsNodeConfig& c, config::Describer& d);
/// What is odd about it on a machine, but works: wires that could carry larger packets than the library ever sends.
std::vector<config::Message> oddities(const VerbsNodeConfig& c, const topo::Graph& machine);

/// Slots at each rank for each peer, which it polls in its memory and into which the peer writes short messages.
struct FastPathConfig {
  int slots = 0;  // a peer; 0: none
  Bytes slot = 5_KiB;
  int after = 10;
};
void describe(FastPathConfig& c, config::Describer& d);

/// By which rail a message goes for which one is enough.
enum class RailPolicy : std::uint8_t {
  use_first,
  fixed_mapping,  // the ports of the first rail's card take turns
  round_robin,    // all rails do
};

/// How the bytes of long messages get to their receiver.
enum class LongMessages : std::uint8_t {
  rput,  // written by the sender when the receiver has said where to
  rget,  // read by the receiver
  r3,    // sent in pieces through buffers
};

/// How two-sided messages go over verbs.
struct VerbsMessagesConfig {
  Bytes buffer;  // of a message and its header; at least as large as these
  Bytes eager_limit = 8_KiB;
  int slots = 256;
  int unexpected = 1024;
  Bytes header = 64_B;  // of a message, at least MessageHeader::least
  Bytes control;        // the same of a ready-to-send or clear-to-send, if that is longer
  Bytes repeated;       // messages up to that go with a short header if theirs is that of the one before
  std::int64_t send_cycles = 0;
  std::int64_t arrival_cycles = 0;
  Time register_call;  // memory for a card, the first time
  Time register_page;
  FastPathConfig fast_path;
  bool all_rails = false;  // or the first alone
  RailPolicy rail_policy = RailPolicy::use_first;
  Bytes stripe_above = 16_KiB;  // longer messages, and pieces of them, are cut over all rails
  LongMessages rendezvous = LongMessages::rput;
  Bytes r3_limit;               // messages up to that go in pieces whatever the others do
  Bytes r3_window = 512_KiB;    // of pieces on their way to a peer
  Bytes largest_write = 2_GiB;  // longer ones take several (InfiniBand: messages of up to 2 GiB)
};

struct VerbsConfig : VerbsNodeConfig {
  VerbsMessagesConfig messages;
};
void describe(VerbsConfig& c, config::Describer& d);

}  // namespace tsunagi::libraries
