// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca.hpp"

#include <algorithm>

#include "models/host/root_complex.hpp"
#include "models/pcie/tlp.hpp"
#include "net/ceilings.hpp"

namespace tsunagi::libraries {

void describe(TcaConfig& c, config::Describer& d) {
  d.field("core", c.core, "the core that runs a node's rank");
  d.field("memory", c.memory, "the memory with a node's receive buffer");
}

Tca::Tca(const TcaConfig& c, Machine& m) {
  for (peach2::Peach2* chip : m.all<peach2::Peach2>()) {
    const std::string name = chip->name().substr(0, chip->name().rfind('.') + 1);
    const auto rank = static_cast<std::size_t>(chip->config().node);
    if (rank >= nodes_.size()) nodes_.resize(rank + 1);
    if (nodes_[rank].chip != nullptr)
      throw config::error_at(
          "/machine", chip->name() + " and " + nodes_[rank].chip->name() + " are both node " + std::to_string(rank));
    nodes_[rank] = {chip, &m.get<host::Core>(name + c.core), &m.get<host::Memory>(name + c.memory)};
  }
  if (nodes_.empty()) throw config::error_at("/library", "library tca needs a machine with PEACH2 chips");
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].chip == nullptr) throw config::error_at("/machine", "no PEACH2 is node " + std::to_string(i));
  programmed_.resize(nodes_.size());
  check_reachable();
}

void Tca::check_reachable() const {
  for (const Node& from : nodes_) {
    for (const Node& to : nodes_) {
      peach2::Peach2* at = from.chip;
      for (std::size_t hops = 0; at != nullptr && at != to.chip && hops <= nodes_.size(); ++hops)
        at = at->next_towards(to.chip->config().node);
      if (at != to.chip)
        throw config::error_at("/machine", "node " + std::to_string(to.chip->config().node) +
                                               " cannot be reached from " + from.chip->name() +
                                               ": its routes lead nowhere or in a circle");
    }
  }
}

namespace {

/// The driver keeps its status words on the last page of what the window shows of the memory.
constexpr Bytes status_page{4096};

std::uint64_t unsigned_of(Bytes b) { return static_cast<std::uint64_t>(b.count()); }

}  // namespace

Bytes Tca::largest_message() const {
  return std::min(nodes_.front().chip->map().region_size(), nodes_.front().memory->config().size) - status_page;
}

std::uint64_t Tca::status_end(int from) const {
  return unsigned_of(largest_message()) + 8 * static_cast<std::uint64_t>(from + 1);
}

void Tca::send(comm::Fiber& f, int from, int to, const comm::Buffer& b) {
  if (b.method == "dma")
    send_dma(f, from, to, b);
  else
    send_pio(f, from, to, b);
}

void Tca::send_pio(comm::Fiber& f, int from, int to, const comm::Buffer& b) {
  const Node& me = node(from);
  const std::uint64_t number = ++messages_;
  step(f, from, "store the message", [&] {
    me.core->store(f, me.chip->map().address(to, peach2::Region::host, unsigned_of(b.offset)), b.size, number,
                   static_cast<std::uint32_t>(number));
  });
}

void Tca::program_dma(comm::Fiber& f, int from, int to, const comm::Buffer& b) {
  using peach2::Registers;
  const Node& me = node(from);
  const peach2::AddressMap& map = me.chip->map();
  const auto set = [&](std::uint64_t reg, std::uint64_t value) {
    me.core->store(f, map.address(from, peach2::Region::chip, reg), 8_B, value, 0);
  };
  set(Registers::of_descriptor(0, 0) + Registers::source, unsigned_of(b.offset));
  set(Registers::of_descriptor(0, 0) + Registers::destination,
      map.address(to, peach2::Region::host, unsigned_of(b.offset)));
  set(Registers::of_descriptor(0, 0) + Registers::length, unsigned_of(b.size));
  set(Registers::of_channel(0) + Registers::status, map.address(to, peach2::Region::host, status_end(from) - 8));
  programmed_[static_cast<std::size_t>(from)] = {to, b.offset, b.size};
}

void Tca::send_dma(comm::Fiber& f, int from, int to, const comm::Buffer& b) {
  using peach2::Registers;
  const Node& me = node(from);
  const Programmed& now = programmed_[static_cast<std::size_t>(from)];
  if (now.to != to || now.offset != b.offset || now.size != b.size)
    step(f, from, "set the DMA registers", [&] { program_dma(f, from, to, b); });
  const std::uint64_t control =
      me.chip->map().address(from, peach2::Region::chip, Registers::of_channel(0) + Registers::control);
  step(f, from, "ring the doorbell", [&] { me.core->store(f, control, 8_B, 1, 0); });
}

void Tca::recv(comm::Fiber& f, int to, int from, const comm::Buffer& b) {
  const Node& me = node(to);
  const std::uint64_t end = b.method == "dma" ? status_end(from) : unsigned_of(b.offset + b.size);
  std::uint64_t& seen = seen_[{to, end}];
  step(f, to, b.method == "dma" ? "poll the status" : "poll the last word",
       [&] { me.core->poll(f, *me.memory, end, seen + 1); });
  seen = me.memory->word_ending_at(end).value;
}

namespace {

void add_port_ceilings(std::vector<comm::Ceiling>& out, const std::string& name, const net::Port& port,
                       const flow::Packet& p, Bytes payload) {
  const net::WireSpec& wire = port.channel().wire();
  const net::TxSpec& tx = port.spec().tx;
  out.push_back({"link payload, " + name, net::payload_ceiling(wire, p, payload)});
  out.push_back({"whole words of the hard IP, " + name, net::word_ceiling(wire, tx, p, payload)});
  out.push_back({"datapath beats, " + name, net::datapath_ceiling(wire, tx, p, payload)});
  out.push_back({"posted credit loop, " + name, net::credit_ceiling(wire, port.channel().receiver(), p, payload)});
}

}  // namespace

std::vector<comm::Ceiling> Tca::read_ceilings(const Node& me) const {
  // The chip's port N is wired to the root complex, whose completions come down that link.
  const net::Port& north = me.chip->ports()[peach2::north];
  const auto* rc = dynamic_cast<const host::RootComplex*>(&north.channel().destination());
  if (rc == nullptr) return {};
  const host::RootComplexConfig& host = rc->config();
  const peach2::DmaConfig& dma = me.chip->config().dma;
  const net::WireSpec& wire = north.channel().wire();
  flow::Packet completion;
  completion.header<pcie::Tlp>() = {pcie::TlpType::completion_with_data, true, {}, 0};
  // Shortest time that a tag is taken: request out, memory, the completions one after the other, back.
  const Bytes whole = std::min(host.completion_size, wire.max_payload);
  const std::int64_t pieces = units_of(dma.max_read_request, whole);
  const Time data = wire.rate.time(wire.framing->size(completion, whole).total() * pieces);
  const Time loop = north.spec().tx.pipeline.latency() + 2 * wire.flight + host.read_latency +
                    me.memory->config().read_latency + host.completion_latency + data +
                    north.spec().rx.pipeline.latency();
  const Bytes window = std::min(dma.max_read_request * dma.tags, dma.buffer);
  return {{"completions, " + rc->name(), net::payload_ceiling(wire, completion, whole)},
          {"tags x MRRS over the round trip, " + me.chip->name(), Rate::bytes_in(window.count(), loop.fs())}};
}

std::vector<comm::Ceiling> Tca::ceilings(int from, int to, const std::string& method) const {
  const Node& me = node(from);
  const bool dma = method == "dma";
  flow::Packet write;
  write.header<pcie::Tlp>() = pcie::Tlp{};
  std::vector<comm::Ceiling> out;
  if (dma) out = read_ceilings(me);
  for (const peach2::Peach2* at = me.chip; at != node(to).chip; at = at->next_towards(to)) {
    const net::Port& port = *at->port_towards(to);
    const Bytes payload = dma ? port.max_payload() : std::min(port.max_payload(), host::Core::line);
    add_port_ceilings(out, at->name() + "." + port.name(), port, write, payload);
  }
  const net::Port& last = node(to).chip->ports()[peach2::north];
  add_port_ceilings(out, node(to).chip->name() + ".n", last, write,
                    dma ? last.max_payload() : std::min(last.max_payload(), host::Core::line));
  return out;
}

std::unique_ptr<comm::Communicator> make_tca(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<Tca>(c.as<TcaConfig>(), m);
}

}  // namespace tsunagi::libraries
