// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/explained.hpp"
#include "support/order.hpp"
#include "support/random/random_machine.hpp"

namespace tsunagi::test {

namespace {

constexpr std::uint64_t status_base = 1 << 30;      // flags lie above every transfer's bytes
constexpr std::uint64_t mark = 0x0101010101010101;  // below it until its last byte is there
constexpr std::uint64_t table_base = 3u << 30;      // and tables of descriptors above them

std::string node_name(int i) { return "node" + std::to_string(i) + "."; }

/// A transfer's bytes: where they come from and where they go, as the sender's chip sees it.
peach2::Descriptor descriptor(const RandomMachine& m, int from, const Transfer& t) {
  const peach2::Peach2Config& c = m.nodes[static_cast<std::size_t>(from)].chip;
  const peach2::AddressMap map(c.window_base, c.window_size, c.nodes);
  peach2::Descriptor d;
  d.source = t.from_chip ? map.address(from, peach2::Region::chip, peach2::ChipRegion::packet_memory + t.source).value()
                         : t.source;
  d.destination = map.address(t.to, peach2::Region::host, t.destination).value();
  d.length = t.size;
  d.burst = t.burst;
  d.gap = t.gap;
  d.source_strided = t.source_strided;
  d.destination_strided = t.destination_strided;
  return d;
}

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
      b.program("flow " + std::to_string(i), [this, i, &f](Fiber& fiber) {
        fiber.wait_until(f.start);
        f.dma ? by_dma(fiber, f, i) : by_exerciser(fiber, f, i);
      });
    }
  }

 private:
  host::Memory& memory(int node) { return bench_.machine().get<host::Memory>(node_name(node) + "memory"); }
  static std::uint64_t bytes(Bytes n) { return static_cast<std::uint64_t>(n.count()); }
  std::uint64_t address(int from, int to, std::uint64_t offset, peach2::Region region = peach2::Region::host) {
    return bench_.machine().get<peach2::Peach2>(node_name(from) + "peach2").map().address(to, region, offset).value();
  }
  static Time seen(Fiber& fiber, host::Memory& memory, std::uint64_t end, std::uint64_t value) {
    host::Word& w = memory.word_ending_at(end);
    while (w.value < value) fiber.wait(w.changed, "a write to " + memory.name());
    return w.since;
  }
  std::string label(std::size_t flow, std::size_t transfer) {
    return fmt::format("flow {} transfer {}", flow, transfer);
  }

  /// One transfer behind the other without a pause; whoever waits for them is another program.
  void by_exerciser(Fiber& fiber, const Flow& f, std::size_t index) {
    auto& exerciser = bench_.machine().get<bench::Exerciser>(node_name(f.from) + "exerciser");
    const Time start = fiber.now();
    for (const Transfer& t : f.transfers) exerciser.write(fiber, address(f.from, t.to, t.destination), t.size, mark);
    for (std::size_t k = 0; k < f.transfers.size(); ++k) {
      const Transfer& t = f.transfers[k];
      out_.transfers.push_back(
          {label(index, k), t.size, start, seen(fiber, memory(t.to), t.destination + bytes(t.size), mark)});
    }
  }

  /// Writes what the source of a transfer is to say, bytes that are all different.
  void say(Fiber& fiber, host::Core& core, const Flow& f, const Transfer& t) {
    if (t.said == 0_B) return;
    std::vector<std::uint8_t> said(static_cast<std::size_t>(t.said.count()));
    for (std::size_t i = 0; i < said.size(); ++i) said[i] = static_cast<std::uint8_t>(1 + (i + bytes(t.size)) % 251);
    core.store(fiber, descriptor(m_, f.from, t).source + bytes(t.said_at), {said.data(), said.size()});
  }

  void by_dma(Fiber& fiber, const Flow& f, std::size_t index) {
    using peach2::Registers;
    auto& core = bench_.machine().get<host::Core>(node_name(f.from) + "core0");
    const auto set = [&](std::uint64_t reg, std::uint64_t value) {
      core.store(fiber, address(f.from, f.from, reg, peach2::Region::chip), 8_B, value, 0);
    };
    const auto set_descriptor = [&](int i, const peach2::Descriptor& d) {
      const std::uint64_t at = Registers::of_descriptor(0, i);
      set(at + Registers::source, d.source);
      set(at + Registers::destination, d.destination);
      set(at + Registers::length, bytes(d.length));
      set(at + Registers::stride, bytes(d.burst) | bytes(d.gap) << 32);
      set(at + Registers::flags, (d.source_strided ? Registers::source_strided : 0) |
                                     (d.destination_strided ? Registers::destination_strided : 0));
    };
    std::uint64_t table = table_base + 4096 * index;
    const auto chain_descriptor = [&](const peach2::Descriptor& d, bool last) {
      for (const std::uint64_t word : peach2::encode({d, last ? 0 : table + 32})) {
        core.store(fiber, table, 8_B, word, 0);
        table += 8;
      }
    };
    std::uint64_t rung = 0;
    for (std::size_t k = 0; k < f.transfers.size();) {
      const Time start = fiber.now();
      const std::uint64_t first = table;
      int d = 0;
      Bytes size;
      for (bool more = true; more; ++k, ++d) {
        const Transfer& t = f.transfers[k];
        more = !t.rings;
        say(fiber, core, f, t);
        if (f.chained)
          chain_descriptor(descriptor(m_, f.from, t), !more);
        else
          set_descriptor(d, descriptor(m_, f.from, t));
        size += t.size;
      }
      const int to = f.transfers[k - 1].to;
      const std::uint64_t status = status_base + 64 * index;
      set(Registers::of_channel(0) + Registers::status, address(f.from, to, status));
      if (f.chained)
        set(Registers::of_channel(0) + Registers::chain, first);
      else
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
    if (e.address >= unsigned_of(area) && e.address < status_base && !by_address.emplace(e.address, &e).second)
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
        const peach2::Descriptor d = descriptor(m, f.from, t);
        peach2::Layout there = d.to();
        there.base = t.destination;
        Bytes moved;
        while (moved < t.size) {
          const std::uint64_t at = there.address_of(moved);
          const auto e = by_address.find(at);
          if (e == by_address.end() || e->second->length > there.run(moved, t.size - moved)) break;
          if (f.dma && e->second->origin_offset != d.from().address_of(moved))
            faults.push_back(fmt::format("node{}: {:#x} got the source's {:#x}", node, at, e->second->origin_offset));
          data = std::max(data, e->second->when);
          moved += e->second->length;
          ++used;
        }
        if (moved != t.size)
          faults.push_back(
              fmt::format("node{}: flow {} stops after {} of {} B", node, i, moved.count(), t.size.count()));
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

/// A number of all bytes that lie at a transfer's destination.
std::uint64_t said(const host::Memory& memory, const Transfer& t) {
  const Bytes span = t.burst == 0_B ? t.size : (t.burst + t.gap) * (t.size / t.burst);
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::uint8_t b : memory.bytes(t.destination, span)) hash = (hash ^ b) * 0x100000001b3;
  return hash;
}

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

RunOf run(const RandomMachine& m, int max_train, bool reversed, const std::string& findings) {
  Bench b;
  wire_up(b, m);
  b.build(max_train, m.seed, findings);
  b.sim().agenda().reverse_ties(reversed);
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
    out.findings = foresight.findings();
    return out;
  }
  std::sort(out.transfers.begin(), out.transfers.end(),
            [](const Arrived& x, const Arrived& y) { return x.label < y.label; });
  if (max_train == 1) {
    if (const std::string s = unexplained(b.history()); !s.empty()) out.faults.push_back("unexplained: " + s);
    if (const std::string s = wrong_order(b.history()); !s.empty()) out.faults.push_back(s);
  }
  for (const auto& w : b.machine().wires()) {
    out.wires.push_back(direction_text(w->name() + " >", w->forward().counters()));
    out.wires.push_back(direction_text(w->name() + " <", w->backward().counters()));
  }
  for (int i = 0; i < static_cast<int>(m.nodes.size()); ++i) {
    if (!m.nodes[static_cast<std::size_t>(i)].host) continue;
    const auto& extents = b.machine().get<host::Memory>(node_name(i) + "memory").extents();
    for (const host::Extent& e : extents)
      out.extents.push_back(fmt::format("node{} {:#x} + {} at {} fs", i, e.address, e.length.count(), e.when.fs()) +
                            fmt::format(", last word {:#x}", e.value));
    check_extents(m, i, extents, out.faults);
    const auto& memory = b.machine().get<host::Memory>(node_name(i) + "memory");
    for (const Flow& f : m.flows)
      for (const Transfer& t : f.transfers)
        if (t.to == i) out.extents.push_back(fmt::format("node{} {:#x} says {:#x}", i, t.destination, said(memory, t)));
  }
  return out;
}

}  // namespace tsunagi::test
