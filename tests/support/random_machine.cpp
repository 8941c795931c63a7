// SPDX-License-Identifier: Apache-2.0
#include "support/random_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/explained.hpp"
#include "units/parse.hpp"

namespace tsunagi::test {

namespace {

constexpr Bytes area{1 << 20};  // of a memory, for each transfer to it
constexpr std::uint64_t status_base = 1 << 30;

pcie::LinkConfig random_link(Dice& dice, Bytes mps, bool errors) {
  pcie::LinkConfig c;
  const auto generation = dice.number(1, 3);
  if (generation == 1) c.rate = Frequency(2'500'000'000);
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
  if (meet != Meet::requests && dice.one_in(2)) {
    m.nodes.back().host = false;
    m.nodes.back().exerciser = true;
  }
  add_flows(dice, m);
  return m;
}

namespace {

std::string link_text(const pcie::LinkConfig& c) {
  return fmt::format(
      "{} Hz x{} flight {} fs MPS {} acks {} updates {} skips {} ({}/{}) internal {} process {} fs replay {} BER {}",
      c.rate.hz(), c.lanes, c.flight.fs(), c.max_payload_size.count(), c.acks, c.credit_updates, c.skip_ordered_sets,
      c.skip_interval, c.skip_symbols, c.internal_delay, c.dllp_processing.fs(), c.replay_buffer.count(),
      c.bit_error_rate);
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
        "node{}:{}{}\n  chip {} Hz, {} B wide, hard IP {}, route {}, fifo {}, buffers {}; DMA steps {} tags {} MRRS {} "
        "buffer {}\n",
        i, n.host ? " host" : "", n.exerciser ? " exerciser" : "", c.clock.hz(), c.datapath_width.count(),
        c.hard_ip_cycles, c.route_cycles, c.transmit_fifo.count(), buffer_text(c.buffers), c.dma.step_cycles,
        c.dma.tags, c.dma.max_read_request.count(), c.dma.buffer.count());
    if (n.host)
      s += fmt::format("  root: completions {}, posted {} fs, read {} fs, back {} fs, buffers {}; memory read {} fs\n",
                       n.root.completion_size.count(), n.root.posted_latency.fs(), n.root.read_latency.fs(),
                       n.root.completion_latency.fs(), buffer_text(n.root.buffers), n.memory.read_latency.fs());
    s += "  n: " + link_text(n.slot) + "\n";
    if (n.host && n.exerciser) s += "  card: " + link_text(n.card) + "\n";
    if (i + 1 < nodes.size() || ring) s += "  e: " + link_text(n.east) + "\n";
  }
  for (const Flow& f : flows) {
    s += fmt::format("{} of node{} from {} fs:", f.dma ? "DMA" : "exerciser", f.from, f.start.fs());
    for (const Transfer& t : f.transfers)
      s += fmt::format(" [{} B {:#x} -> node{} {:#x}{}]", t.size.count(), t.source, t.to, t.destination,
                       t.rings ? "" : " +");
    s += "\n";
  }
  return s;
}

namespace {

std::string node_name(int i) { return "node" + std::to_string(i) + "."; }

void wire_up(Bench& b, const RandomMachine& m) {
  const int nodes = static_cast<int>(m.nodes.size());
  for (int i = 0; i < nodes; ++i) {
    const RandomNode& n = m.nodes[static_cast<std::size_t>(i)];
    const std::string name = node_name(i);
    b.device(name + "peach2", n.chip);
    if (n.host) {
      b.device(name + "core0", host::CoreConfig{});
      b.device(name + "rc", n.root);
      b.device(name + "memory", n.memory);
      b.wire(name + "core0.bus", name + "rc.core0", host::OnChipConfig{});
      b.wire(name + "rc.memory", name + "memory.bus", host::OnChipConfig{});
      b.wire(name + "rc.slot0", name + "peach2.n", n.slot);
    }
    if (n.exerciser) {
      bench::ExerciserConfig e;
      e.role = n.host ? net::LinkRole::endpoint : net::LinkRole::root_complex;
      b.device(name + "exerciser", e);
      if (n.host)
        b.wire(name + "exerciser.link", name + "rc.slot1", n.card);
      else
        b.wire(name + "exerciser.link", name + "peach2.n", n.slot);
    }
  }
  for (int i = 0; i + 1 < nodes || (m.ring && i < nodes); ++i)
    b.wire(node_name(i) + "peach2.e", node_name((i + 1) % nodes) + "peach2.w",
           m.nodes[static_cast<std::size_t>(i)].east);
}

/// Runs the flows of a built machine and keeps when what arrived.
class Senders {
 public:
  Senders(Bench& b, const RandomMachine& m, RunOf& out) : bench_(b), m_(m), out_(out) {
    for (std::size_t i = 0; i < m.flows.size(); ++i) {
      const Flow& f = m.flows[i];
      b.program("flow " + std::to_string(i), [this, i, &f](comm::Fiber& fiber) {
        fiber.wait_until(f.start);
        f.dma ? by_dma(fiber, f, i) : by_exerciser(fiber, f, i);
      });
    }
  }

 private:
  host::Memory& memory(int node) { return bench_.machine().get<host::Memory>(node_name(node) + "memory"); }
  static std::uint64_t bytes(Bytes n) { return static_cast<std::uint64_t>(n.count()); }
  std::uint64_t address(int from, int to, std::uint64_t offset, peach2::Region region = peach2::Region::host) {
    return bench_.machine().get<peach2::Peach2>(node_name(from) + "peach2").map().address(to, region, offset);
  }
  static Time seen(comm::Fiber& fiber, host::Memory& memory, std::uint64_t end, std::uint64_t value) {
    host::Word& w = memory.word_ending_at(end);
    while (w.value < value) fiber.wait(w.changed, "a write to " + memory.name());
    return w.since;
  }
  std::string label(std::size_t flow, std::size_t transfer) {
    return fmt::format("flow {} transfer {}", flow, transfer);
  }

  /// One transfer behind the other without a pause; whoever waits for them is another program.
  void by_exerciser(comm::Fiber& fiber, const Flow& f, std::size_t index) {
    auto& exerciser = bench_.machine().get<bench::Exerciser>(node_name(f.from) + "exerciser");
    const Time start = fiber.now();
    for (const Transfer& t : f.transfers) exerciser.write(fiber, address(f.from, t.to, t.destination), t.size, 1);
    for (std::size_t k = 0; k < f.transfers.size(); ++k) {
      const Transfer& t = f.transfers[k];
      out_.transfers.push_back(
          {label(index, k), t.size, start, seen(fiber, memory(t.to), t.destination + bytes(t.size), 1)});
    }
  }

  void by_dma(comm::Fiber& fiber, const Flow& f, std::size_t index) {
    using peach2::Registers;
    auto& core = bench_.machine().get<host::Core>(node_name(f.from) + "core0");
    const auto set = [&](std::uint64_t reg, std::uint64_t value) {
      core.store(fiber, address(f.from, f.from, reg, peach2::Region::chip), 8_B, value, 0);
    };
    std::uint64_t rung = 0;
    for (std::size_t k = 0; k < f.transfers.size();) {
      const Time start = fiber.now();
      int d = 0;
      Bytes size;
      for (bool more = true; more; ++k, ++d) {
        const Transfer& t = f.transfers[k];
        set(Registers::of_descriptor(0, d) + Registers::source, t.source);
        set(Registers::of_descriptor(0, d) + Registers::destination, address(f.from, t.to, t.destination));
        set(Registers::of_descriptor(0, d) + Registers::length, bytes(t.size));
        size += t.size;
        more = !t.rings;
      }
      const int to = f.transfers[k - 1].to;
      const std::uint64_t status = status_base + 64 * index;
      set(Registers::of_channel(0) + Registers::status, address(f.from, to, status));
      set(Registers::of_channel(0) + Registers::control, static_cast<std::uint64_t>(d));
      out_.transfers.push_back({label(index, k - 1), size, start, seen(fiber, memory(to), status + 8, ++rung)});
    }
  }

  Bench& bench_;
  const RandomMachine& m_;
  RunOf& out_;
};

std::string direction_text(const std::string& name, const net::ChannelCounters& c) {
  return fmt::format("{}: {} packets, {} + {} + {} B, {} replays", name, c.packets, c.payload.count(), c.header.count(),
                     c.framing.count(), c.replays);
}

/// Checks one memory: each byte of every transfer to it once, from the right source byte, no status before its data.
void check_extents(const RandomMachine& m, int node, const std::vector<host::Extent>& extents,
                   std::vector<std::string>& faults) {
  std::map<std::uint64_t, const host::Extent*> by_address;
  for (const host::Extent& e : extents)
    if (e.address < status_base && !by_address.emplace(e.address, &e).second)
      faults.push_back(fmt::format("node{}: {:#x} was written twice", node, e.address));
  std::size_t used = 0;
  for (std::size_t i = 0; i < m.flows.size(); ++i) {
    const Flow& f = m.flows[i];
    std::vector<Time> rung;  // when each status word came
    for (const host::Extent& e : extents)
      if (e.address == status_base + 64 * i) rung.push_back(e.when);
    Time data;  // last byte of the doorbell so far
    std::size_t bells = 0;
    for (const Transfer& t : f.transfers) {
      if (t.to == node) {
        const std::uint64_t end = t.destination + static_cast<std::uint64_t>(t.size.count());
        std::uint64_t at = t.destination;
        for (auto e = by_address.find(at); at < end && e != by_address.end() && e->first == at; ++e, ++used) {
          if (f.dma && e->second->origin_offset - t.source != at - t.destination)
            faults.push_back(fmt::format("node{}: {:#x} got the source's {:#x}", node, at, e->second->origin_offset));
          data = std::max(data, e->second->when);
          at += static_cast<std::uint64_t>(e->second->length.count());
        }
        if (at != end) faults.push_back(fmt::format("node{}: flow {} stops at {:#x} of {:#x}", node, i, at, end));
      }
      if (!f.dma || !t.rings) continue;
      if (t.to == node) {
        if (bells >= rung.size()) {
          faults.push_back(fmt::format("node{}: a status of flow {} is missing", node, i));
        } else if (rung[bells] < data) {
          faults.push_back(fmt::format("node{}: status {} of flow {} is there before its data", node, bells, i));
        }
        ++bells;
      }
    }
  }
  if (used != by_address.size())
    faults.push_back(fmt::format("node{}: {} writes belong to no transfer", node, by_address.size() - used));
}

}  // namespace

namespace {

/// Runs to the end; throws std::runtime_error if there is none or not all comes home.
void run_to_end(Bench& b) {
  if (!b.sim().run(1_s) || !b.sim().unfinished().empty()) {
    std::string text = "no progress:";
    for (const sim::Stuck& s : b.sim().unfinished()) text += " " + s.who + " waits for " + s.waits_for + ";";
    for (const std::string& s : b.machine().blocked()) text += " " + s + ";";
    for (const std::string& s : b.machine().leftovers()) text += " " + s + ";";
    throw std::runtime_error(text);
  }
  for (const std::string& s : b.machine().leftovers()) throw std::runtime_error("not all came home: " + s);
}

}  // namespace

RunOf run(const RandomMachine& m, int max_train, const std::string& lesson) {
  Bench b;
  wire_up(b, m);
  b.build(max_train, m.seed, lesson);
  RunOf out;
  const Senders senders(b, m, out);
  const net::Foresight& foresight = b.machine().foresight();
  try {
    run_to_end(b);
  } catch (const net::Foresight::Refuted&) {
  } catch (...) {
    if (!foresight.refuted()) throw;
  }
  if (foresight.refuted()) {
    out.lesson = foresight.lesson();
    return out;
  }
  std::sort(out.transfers.begin(), out.transfers.end(),
            [](const Arrived& x, const Arrived& y) { return x.label < y.label; });
  if (max_train == 1)
    if (const std::string s = unexplained(b.history()); !s.empty()) out.faults.push_back("unexplained: " + s);
  for (const Wire& w : b.machine().wires()) {
    out.wires.push_back(direction_text(w.name() + " >", w.forward->counters()));
    out.wires.push_back(direction_text(w.name() + " <", w.backward->counters()));
  }
  for (int i = 0; i < static_cast<int>(m.nodes.size()); ++i) {
    if (!m.nodes[static_cast<std::size_t>(i)].host) continue;
    const auto& extents = b.machine().get<host::Memory>(node_name(i) + "memory").extents();
    for (const host::Extent& e : extents)
      out.extents.push_back(fmt::format("node{} {:#x} + {} at {} fs", i, e.address, e.length.count(), e.when.fs()));
    check_extents(m, i, extents, out.faults);
  }
  return out;
}

}  // namespace tsunagi::test
