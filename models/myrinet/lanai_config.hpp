// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/describe.hpp"
#include "models/dma/bus_config.hpp"
#include "models/myrinet/reliable/reliable_config.hpp"

namespace tsunagi::myrinet {

/// How software hands a send to the card.
enum class SendQueue : std::uint8_t { programmed_io, host_memory };

/// What the card's processor runs.
enum class Firmware : std::uint8_t { packets, reliable };

struct LanaiConfig {
  Frequency clock{225'000'000};
  int send_cycles = 300;
  int receive_cycles = 300;
  int dma_cycles = 50;
  Time send_latency = 100_ns;
  Time receive_latency = 100_ns;
  Bytes slack = 320_B;
  Bytes sram = 2_MiB;
  int send_buffers = 4;
  int receive_buffers = 8;
  int send_entries = 64;
  SendQueue send_queue = SendQueue::programmed_io;
  std::int64_t loss_ppm = 0;
  Firmware firmware = Firmware::packets;
  ReliableConfig reliable;
  Bytes bar_base = 512_GiB;
  Bytes window = 1_MiB;
  dma::BusConfig bus;
};
void describe(LanaiConfig& c, config::Describer& d);

}  // namespace tsunagi::myrinet
