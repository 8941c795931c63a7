// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/infiniband/hca_traffic.hpp"

namespace tsunagi::test {

/// Any of these.
template <class T, std::size_t n>
T any(stats::RandomStream& r, const T (&values)[n]) {
  return values[static_cast<std::size_t>(r.below(static_cast<std::int64_t>(n)))];
}

struct RandomHca {
  HcaParts parts;
  TrafficConfig traffic;
};

inline void draw_slot(stats::RandomStream& r, HcaParts& p) {
  p.slot.lanes = any(r, {1, 4, 8, 16});
  if (r.chance(1, 2)) p.slot.rate = TransferRate(2'500'000'000);
  p.slot.max_payload_size = any(r, {128_B, 256_B});
  if (r.chance(1, 2)) {  // with acknowledgements, credits that fly, few of them
    p.slot.acks = p.slot.credit_updates = p.slot.skip_ordered_sets = true;
    p.rc.buffers = {4, 64, 2, 2, 4, 64};
    p.hca.buffers = {4, 64, 2, 2, 4, 64};
  }
  p.memory.read_latency = any(r, {10_ns, 60_ns, 2_us});
  p.rc.completion_size = any(r, {64_B, 256_B});
}

inline void draw_cable(stats::RandomStream& r, HcaParts& p) {
  using infiniband::Speed;
  p.cable.speed = any(r, {Speed::sdr, Speed::qdr, Speed::fdr10, Speed::edr});
  p.cable.width = any(r, {1, 4, 12});
  p.cable.mtu = any(r, {256_B, 1_KiB, 2_KiB, 4_KiB});
  p.verbs.mtu = r.chance(1, 4) ? 256_B : p.cable.mtu;
  p.cable.flight = any(r, {1_ns, 100_ns, 5_us});
  p.cable.credit_updates = r.chance(1, 2);
  p.cable.virtual_lanes = p.hca.virtual_lanes = p.service_levels = any(r, {1, 1, 2, 8});
  // A buffer of one packet, or of many.
  const int packet = static_cast<int>(units_of(p.cable.mtu + 64_B, infiniband::LinkFraming::credit_block));
  p.hca.lane_blocks = any(r, {packet, 3 * packet, 100'000});
}

inline void draw_card(stats::RandomStream& r, HcaParts& p) {
  p.hca.clock = any(r, {Frequency(50'000'000), Frequency(250'000'000), Frequency(1'000'000'000)});
  p.hca.decode_cycles = any(r, {0, 1, 10, 100});
  p.hca.packet_cycles = any(r, {1, 7, 50});
  p.hca.context_cycles = any(r, {0, 17, 200});
  p.hca.read_cycles = any(r, {0, 10, 300});
  p.hca.build_cycles = any(r, {0, 4, 50});
  p.hca.send_latency = any(r, {0_ns, 150_ns});
  p.hca.receive_latency = any(r, {0_ns, 250_ns});
  p.hca.pcie_latency = any(r, {0_ns, 50_ns});
  p.hca.send_buffer = any(r, {4_KiB, 5_KiB, 16_KiB, 1_MiB});
  p.hca.request_fetch = any(r, {64_B, 256_B, 4_KiB});
  p.hca.max_read_request = any(r, {128_B, 512_B, 4_KiB});
  p.hca.read_tags = any(r, {1, 2, 32});
  p.hca.reads_under_way = any(r, {1, 2, 16});
  p.hca.ask_interval = any(r, {1, 3, 256});
  p.hca.blueflame = any(r, {64_B, 256_B});
  p.hca.loss_ppm = any<std::int64_t>(r, {0, 1'000, 10'000, 50'000});
}

/// A legal pair of cards, such that what has to keep its order is in danger of losing it: slots slower than the cable,
/// buffers of one packet, one tag, one read under way; and traffic between them.
inline RandomHca random_hca(std::uint64_t seed) {
  stats::RandomStream r(seed, "hca");
  RandomHca out;
  HcaParts& p = out.parts;
  draw_slot(r, p);
  draw_cable(r, p);
  draw_card(r, p);
  p.verbs.inline_limit = any(r, {0_B, 28_B, 220_B});
  p.verbs.depth = any(r, {1, 2, 16, 128});
  // No answer takes longer than the smallest.
  p.verbs.timeout_code = any(r, {9, 12, 14});
  p.seed = seed;
  TrafficConfig& t = out.traffic;
  t.seed = seed;
  t.pairs = any(r, {1, 2, 3, 8});
  t.messages = 40;
  t.longest = any(r, {5001_B, 65537_B});
  t.shared_receives = r.chance(1, 2);
  t.receives = any(r, {1, 8, 64});
  p.hca.ports = any(r, {1, 1, 2});
  t.pause = any(r, {0_ns, 20_us});
  t.late = any(r, {0_ns, 10_us, 1_ms});
  return out;
}

/// The same with firmware in place of engines.
inline RandomHca random_firmware_hca(std::uint64_t seed) {
  RandomHca out = random_hca(seed);
  stats::RandomStream r(seed, "firmware");
  infiniband::FirmwareHcaConfig f;
  f.schedule_cycles = any(r, {0, 1, 50, 700});
  f.request_cycles = any(r, {0, 1, 100, 900});
  f.dma_cycles = any(r, {0, 1, 100, 900});
  f.packet_cycles = any(r, {0, 1, 50, 900});
  f.threads = any(r, {1, 2, 8});
  f.acknowledge_each_message = r.chance(1, 2);
  f.command_cycles = any(r, {0, 1, 300});
  f.range_cycles = any(r, {0, 20});
  f.context_cycles = any(r, {0, 60});
  f.context_size = any(r, {32_B, 256_B, 1_KiB});
  out.traffic.stops = any(r, {0, 5, 30});
  out.traffic.stop_pause = any(r, {1_us, 100_us, 3_ms});
  f.bus.max_read = any(r, {128_B, 512_B, 4_KiB});
  f.bus.reads = any(r, {1, 2, 32});
  f.bus.buffers = out.parts.hca.buffers;
  out.parts.firmware = f;
  out.parts.verbs.inline_limit = any(r, {0_B, 28_B, 48_B});
  out.parts.verbs.timeout_code = 14;  // packets may wait long for a processor
  return out;
}

}  // namespace tsunagi::test
