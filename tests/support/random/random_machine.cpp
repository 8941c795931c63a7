// SPDX-License-Identifier: Apache-2.0
#include "support/random/random_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "units/parse.hpp"

namespace tsunagi::test {

namespace {

pcie::LinkConfig random_link(Dice& dice, Bytes mps, bool errors) {
  pcie::LinkConfig c;
  const auto generation = dice.number(1, 3);
  if (generation == 1) c.rate = TransferRate(2'500'000'000);
  if (generation == 3) c = gen3_x8();
  c.lanes = dice.any({1, 2, 4, 8, 8, 8, 16});
  c.flight = Time::from_fs(dice.number(1'000, dice.one_in(3) ? 300'000'000 : 20'000'000));
  c.max_payload_size = mps;
  c.acks = !dice.one_in(4);
  c.credit_updates = !dice.one_in(4);
  c.skip_ordered_sets = !dice.one_in(4);
  c.internal_delay = dice.number(0, 200);
  c.skip_interval = dice.number(400, 6000);
  c.dllp_processing = Time::from_fs(dice.one_in(2) ? 0 : dice.number(1, 50'000'000));
  c.replay_buffer = dice.one_in(3) ? 0_B : Bytes(dice.number(mps.count() + 24, 16 * 1024));
  if (errors) c.bit_error_rate = static_cast<double>(dice.number(1, 100)) * 1e-8;
  return c;
}

pcie::BufferConfig random_buffers(Dice& dice, Bytes mps) {
  const auto units = mps.count() / 16;
  const auto headers = [&] { return dice.one_in(4) ? 0 : dice.number(1, dice.one_in(2) ? 4 : 64); };
  const auto data = [&] { return dice.one_in(4) ? 0 : dice.number(units, dice.one_in(2) ? 4 * units : 1024); };
  return {headers(), data(), headers(), 0, headers(), data()};
}

peach2::Peach2Config random_chip(Dice& dice, int node, int nodes, bool ring, Bytes mps) {
  peach2::Peach2Config c;
  c.node = node;
  c.nodes = nodes;
  if (dice.one_in(3)) c.clock = Frequency(dice.number(100'000'000, 400'000'000));
  c.datapath_width = dice.any({8_B, 16_B, 16_B, 32_B});
  c.hard_ip_cycles = static_cast<int>(dice.number(0, 60));
  c.route_cycles = static_cast<int>(dice.number(0, 10));
  c.transmit_fifo = Bytes(dice.number(0, 2048));
  c.buffers = random_buffers(dice, mps);
  c.dma.channels = 1;
  c.dma.step_cycles = static_cast<int>(dice.number(1, 60));
  c.dma.tags = static_cast<int>(dice.number(1, 8));
  c.dma.max_read_request = Bytes(std::int64_t{128} << dice.number(0, 5));
  c.dma.buffer = Bytes(dice.number(4096, 64 * 1024));
  // Through the ring's last link only neighbours talk: no circle of full buffers can form.
  const int last = nodes - 1;
  if (ring && node == 0) c.routes.push_back({peach2::west, last, last});
  if (ring && node == last) c.routes.push_back({peach2::east, 0, 0});
  if (node < last) c.routes.push_back({peach2::east, node + 1, last});
  if (node > 0) c.routes.push_back({peach2::west, 0, node - 1});
  return c;
}

Flow random_flow(Dice& dice, RandomMachine& m, bool dma, int from, int count, Bytes low, Bytes high) {
  static constexpr std::int64_t page = 4096;
  Flow f;
  f.dma = dma;
  f.from = from;
  f.start = Time::from_fs(dice.one_in(2) ? 0 : dice.number(0, 2'000'000'000));
  const int index = static_cast<int>(m.flows.size());
  for (int i = 0; i < count; ++i) {
    Transfer t;
    const auto hosts = std::count_if(m.nodes.begin(), m.nodes.end(), [](const RandomNode& n) { return n.host; });
    const bool other = hosts > (m.nodes[static_cast<std::size_t>(from)].host ? 1 : 0);
    do t.to = static_cast<int>(dice.number(0, static_cast<std::int64_t>(m.nodes.size()) - 1));
    while (!m.nodes[static_cast<std::size_t>(t.to)].host || (other && t.to == from));
    if (!f.transfers.empty() && (m.meet != Meet::others || dice.one_in(2))) t.to = f.transfers.back().to;
    t.size = Bytes(dice.one_in(2) ? dice.number(low.count(), high.count()) : std::int64_t{1} << dice.number(3, 15));
    t.size = std::clamp(t.size, low, high);
    const auto offset = [&]() -> std::uint64_t {
      if (dice.one_in(3)) return 0;
      return static_cast<std::uint64_t>(dice.one_in(2) ? 64 * dice.number(0, page / 64) : dice.number(0, page));
    };
    t.source = offset();
    t.destination =
        static_cast<std::uint64_t>(area.count()) * static_cast<std::uint64_t>(index * 32 + i + 1) + offset();
    t.rings = !dma || i + 1 == count || (i + 1) % peach2::Registers::descriptors == 0 || dice.one_in(2);
    f.transfers.push_back(t);
  }
  return f;
}

void add_flows(Dice& dice, RandomMachine& m) {
  const int nodes = static_cast<int>(m.nodes.size());
  if (m.meet != Meet::others) {
    const int from = m.meet == Meet::nobody && !m.nodes.back().host
                         ? nodes - 1
                         : static_cast<int>(dice.one_in(2) ? 0 : dice.number(0, nodes - 1));
    RandomNode& n = m.nodes[static_cast<std::size_t>(from)];
    n.exerciser = m.meet == Meet::nobody;
    m.flows.push_back(
        random_flow(dice, m, m.meet == Meet::requests, from, static_cast<int>(dice.number(1, 6)), 8_B, 64_KiB));
    return;
  }
  const auto flows = dice.number(2, 4);
  const bool from_ends = dice.one_in(2);
  std::vector<int> busy(m.nodes.size());  // bit 0: its exerciser sends, bit 1: its DMA channel
  for (std::int64_t i = 0; i < flows; ++i) {
    const int from = from_ends && i < 2 ? (i == 0 ? 0 : nodes - 1) : static_cast<int>(dice.number(0, nodes - 1));
    int& taken = busy[static_cast<std::size_t>(from)];
    const bool dma =
        m.nodes[static_cast<std::size_t>(from)].host && (dice.one_in(2) ? (taken & 2) == 0 : (taken & 1) != 0);
    if ((taken & (dma ? 2 : 1)) != 0) continue;
    taken |= dma ? 2 : 1;
    if (!dma) m.nodes[static_cast<std::size_t>(from)].exerciser = true;
    m.flows.push_back(random_flow(dice, m, dma, from, static_cast<int>(dice.number(1, 3)), 64_KiB, 256_KiB));
  }
}

/// Cuts a transfer into bursts with gaps on one side or both; its span stays within its area.
void stride(Dice& dice, Transfer& t) {
  constexpr Bytes room = area - 8_KiB;
  const std::int64_t words = t.size / 4_B;
  const std::int64_t fewest = std::max<std::int64_t>(1, words / 100);
  t.burst = 4_B * std::min<std::int64_t>(dice.number(fewest, std::max(fewest, words)), 65'535);
  const std::int64_t bursts = t.size / t.burst;
  t.size = t.burst * bursts;
  const std::int64_t most = std::min<std::int64_t>((room - t.size) / (4_B * bursts), dice.one_in(2) ? 256 : 65'535);
  t.gap = 4_B * dice.number(0, most);
  const auto sides = dice.number(1, 3);
  t.source_strided = (sides & 1) != 0;
  t.destination_strided = (sides & 2) != 0;
}

/// What else the DMA controller can do; of dice of its own, so that the rest of the machines is what it was before.
void add_features(RandomMachine& m) {
  Dice dice(m.seed + 1'000'000);
  for (RandomNode& n : m.nodes) {
    n.chip.dma.descriptor_cycles = static_cast<int>(dice.number(0, dice.one_in(2) ? 64 : 16));
    n.chip.dma.prefetch = static_cast<int>(dice.number(1, dice.one_in(2) ? 8 : 2));
    n.chip.memory.packet_memory_cycles = static_cast<int>(dice.number(1, 100));
  }
  for (Flow& f : m.flows) {
    if (!f.dma) continue;
    f.chained = dice.one_in(2);
    for (Transfer& t : f.transfers) {
      if (dice.one_in(3)) stride(dice, t);
      t.from_chip = dice.one_in(5);
    }
  }
}

/// What programs write into the sources of DMA before it begins: a flag, a command, or more than packets hold.
void add_contents(RandomMachine& m) {
  Dice dice(m.seed + 2'000'000);
  for (Flow& f : m.flows)
    for (Transfer& t : f.transfers) {
      if (!f.dma || dice.one_in(2)) continue;
      t.said = Bytes(dice.one_in(2) ? 8 : dice.number(1, dice.one_in(2) ? 200 : 6000));
      t.said = std::min(t.said, t.size);
      t.said_at = dice.one_in(2) ? t.size - t.said : Bytes(dice.number(0, (t.size - t.said).count()));
    }
}

/// Packets of `mps` that every chip's posted buffer holds; many if all are without bound.
std::int64_t least_room(const RandomMachine& m, Bytes mps) {
  std::int64_t least = 64;
  for (const RandomNode& n : m.nodes) {
    if (n.chip.buffers.posted_headers > 0) least = std::min<std::int64_t>(least, n.chip.buffers.posted_headers);
    if (n.chip.buffers.posted_data > 0) least = std::min(least, n.chip.buffers.posted_data * 16 / mps.count());
  }
  return least;
}

}  // namespace

RandomMachine random_machine(std::uint64_t seed, Meet meet) {
  Dice dice(seed);
  RandomMachine m;
  m.seed = seed;
  m.meet = meet;
  const int nodes = static_cast<int>(dice.number(2, 5));
  m.ring = nodes > 2 && dice.one_in(2);
  m.errors = dice.one_in(5);
  const Bytes mps = dice.any({128_B, 256_B, 512_B});
  for (int i = 0; i < nodes; ++i) {
    RandomNode n;
    n.chip = random_chip(dice, i, nodes, m.ring, mps);
    n.root.completion_size = std::min(mps, dice.any({64_B, 128_B, 256_B}));
    n.root.posted_latency = Time::from_fs(dice.number(0, 300'000'000));
    n.root.read_latency = Time::from_fs(dice.number(0, 300'000'000));
    n.root.completion_latency = Time::from_fs(dice.number(0, 300'000'000));
    n.root.buffers = random_buffers(dice, mps);
    n.root.slots = {{"slot0", 512_GiB, 512_GiB}, {"slot1", 256_GiB, 1_MiB}};
    n.memory.read_latency = Time::from_fs(dice.number(0, 200'000'000));
    n.memory.write_latency = Time::from_fs(dice.number(0, 50'000'000));
    n.memory.record = true;
    n.slot = random_link(dice, mps, m.errors);
    n.card = random_link(dice, std::min(mps, dice.any({128_B, 256_B, 512_B})), m.errors);
    n.east = random_link(dice, mps, m.errors);
    m.nodes.push_back(n);
  }
  const std::int64_t bubble = std::min<std::int64_t>(least_room(m, mps) - 1, 8);
  for (RandomNode& n : m.nodes) n.chip.bubble = static_cast<int>(dice.number(0, bubble));
  if (meet != Meet::requests && dice.one_in(2)) {
    m.nodes.back().host = false;
    m.nodes.back().exerciser = true;
  }
  add_flows(dice, m);
  add_features(m);
  add_contents(m);
  return m;
}

namespace {

std::string link_text(const pcie::LinkConfig& c) {
  return fmt::format(
      "{} Hz x{} flight {} fs MPS {} acks {} updates {} skips {} ({}/{}) internal {} process {} fs replay {} BER {}",
      c.rate.per_second(), c.lanes, c.flight.fs(), c.max_payload_size.count(), c.acks, c.credit_updates,
      c.skip_ordered_sets, c.skip_interval, c.skip_symbols, c.internal_delay, c.dllp_processing.fs(),
      c.replay_buffer.count(), c.bit_error_rate);
}

std::string buffer_text(const pcie::BufferConfig& b) {
  return fmt::format("P {}/{} NP {}/{} CPL {}/{}", b.posted_headers, b.posted_data, b.non_posted_headers,
                     b.non_posted_data, b.completion_headers, b.completion_data);
}

}  // namespace

std::string RandomMachine::text() const {
  std::string s = fmt::format("seed {}, {} of {} nodes{}\n", seed, ring ? "ring" : "chain", nodes.size(),
                              errors ? ", bit errors" : "");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const RandomNode& n = nodes[i];
    const peach2::Peach2Config& c = n.chip;
    s += fmt::format(
        "node{}:{}{}\n  chip {} Hz, {} B wide, hard IP {}, route {}, fifo {}, buffers {}; DMA steps {} load {} "
        "prefetch {} tags {} MRRS {} buffer {}, chip memory {}\n",
        i, n.host ? " host" : "", n.exerciser ? " exerciser" : "", c.clock.hz(), c.datapath_width.count(),
        c.hard_ip_cycles, c.route_cycles, c.transmit_fifo.count(), buffer_text(c.buffers), c.dma.step_cycles,
        c.dma.descriptor_cycles, c.dma.prefetch, c.dma.tags, c.dma.max_read_request.count(), c.dma.buffer.count(),
        c.memory.packet_memory_cycles);
    if (n.host)
      s += fmt::format("  root: completions {}, posted {} fs, read {} fs, back {} fs, buffers {}; memory read {} fs\n",
                       n.root.completion_size.count(), n.root.posted_latency.fs(), n.root.read_latency.fs(),
                       n.root.completion_latency.fs(), buffer_text(n.root.buffers), n.memory.read_latency.fs());
    s += "  n: " + link_text(n.slot) + "\n";
    if (n.host && n.exerciser) s += "  card: " + link_text(n.card) + "\n";
    if (i + 1 < nodes.size() || ring) s += "  e: " + link_text(n.east) + "\n";
  }
  for (const Flow& f : flows) {
    s += fmt::format("{} of node{} from {} fs:",
                     f.chained ? "chained DMA"
                     : f.dma   ? "DMA"
                               : "exerciser",
                     f.from, f.start.fs());
    for (const Transfer& t : f.transfers)
      s +=
          fmt::format(" [{} B {}{:#x} -> node{} {:#x}{}{}{}]", t.size.count(), t.from_chip ? "chip " : "", t.source,
                      t.to, t.destination,
                      t.burst == 0_B ? ""
                                     : fmt::format(" bursts {} gaps {}{}{}", t.burst.count(), t.gap.count(),
                                                   t.source_strided ? " from" : "", t.destination_strided ? " to" : ""),
                      t.said == 0_B ? "" : fmt::format(" says {} B from {}", t.said.count(), t.said_at.count()),
                      t.rings ? "" : " +");
    s += "\n";
  }
  return s;
}

}  // namespace tsunagi::test
