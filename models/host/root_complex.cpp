// SPDX-License-Identifier: Apache-2.0
#include "models/host/root_complex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/host/memory/memory.hpp"
#include "models/host/refusal.hpp"
#include "models/host/root_complex_tlp.hpp"
#include "models/pcie/framing.hpp"
#include "models/pcie/refusal.hpp"
#include "models/pcie/segmentation.hpp"
#include "models/pcie/way_back.hpp"
#include "units/parse.hpp"

namespace tsunagi::host {

namespace {

// A request remembers the way back (pcie::push_port); what a root complex pushes is below that.
constexpr int way_base = 128;
// The way back of peer-to-peer reads: no port, but the unit that issues them.
constexpr int own_reads = way_base - 1;
constexpr int far_memory_reads = way_base - 2;  // those of another socket's memory
using pcie::most_addresses;
constexpr const char* behind_writes = "behind earlier posted writes";

}  // namespace

void describe(RemoteConfig& c, config::Describer& d) {
  using namespace config;
  d.field("name", c.name, "name of the port that leads there; several ranges may share one", required);
  d.field("window_base", c.window_base, "first address", required, within(0_B, most_addresses));
  d.field("window_size", c.window_size, "bytes", required, within(4_KiB, most_addresses));
}

void describe(BridgePortConfig& c, config::Describer& d) {
  using namespace config;
  d.field("name", c.name, "name of the port that leads there", required);
  d.field("window_base", c.window_base, "first address behind it", required, within(0_B, most_addresses));
  d.field("window_size", c.window_size, "bytes", required, within(4_KiB, most_addresses));
  d.field("write_lines", c.write_lines, "lines of 64 B of writes from there that wait for the memory, at most",
          within(64, 65536), ideal(65536));
}

namespace {

/// Of reads of another socket's memory: what they take is that of other reads of memory.
PeerConfig far_memory(const RootComplexConfig& c) {
  PeerConfig far;
  far.reads = std::max(1, c.remote_reads);
  far.read_recovery = 0_ns;
  far.latency = Time::from_fs((c.read_latency + c.completion_latency).fs() / 2);  // there and back
  return far;
}

/// Whole pages, and no address twice.
void check_ranges(const RootComplexConfig& c, config::Describer& d) {
  std::vector<pcie::Window> all{{"memory", c.memory_base, c.memory_size}};
  for (const pcie::SlotConfig& s : c.slots) all.push_back(window_of(s));
  for (const RemoteConfig& r : c.remotes) all.push_back({r.name, r.window_base, r.window_size});
  for (const BridgePortConfig& b : c.bridges) all.push_back({b.name, b.window_base, b.window_size});
  check_windows(all, d);
}

}  // namespace

void describe(RootComplexConfig& c, config::Describer& d) {
  using namespace config;
  d.field("cores", c.cores, "core ports: core0, core1, ...", within(1, 64));
  d.field(
      "core_writes", c.core_writes,
      "writes of each core, a line of 64 B at most, that are in here until a link has taken them; 0: no limit, so that "
      "stores run ahead of a slow link",
      within(0, 65536), ideal(0));
  d.field("memory_base", c.memory_base, "first address that belongs to the memory port", within(0_B, most_addresses));
  d.field("memory_size", c.memory_size, "addresses from there on that belong to it", within(1_MiB, most_addresses));
  d.field("posted_latency", c.posted_latency,
          "from one port to another for a posted write, and for a core's read of a slot and its completion",
          at_most(10_us), ideal(0_ns));
  d.field("read_latency", c.read_latency, "from a slot to the memory for a read request", at_most(10_us), ideal(0_ns));
  d.field("completion_latency", c.completion_latency, "from the memory to a slot for a completion", at_most(10_us),
          ideal(0_ns));
  d.field("remote_latency", c.remote_latency, "between a port to another socket and a core or the memory, one way",
          at_most(1_us), ideal(0_ns));
  d.field("completion_size", c.completion_size,
          "largest completion that is built of consecutive cache lines of host memory; the link's max payload bounds "
          "it too",
          one_of({64, 128, 256, 512}), ideal(512));
  d.field("read_completion_boundary", c.read_completion_boundary, "completions end at multiples of this (RCB)",
          one_of({64, 128}));
  d.require(c.read_completion_boundary <= c.completion_size,
            "\"completion_size\" must not be below \"read_completion_boundary\"");
  describe(c.peer, d);
  d.field("remote_reads", c.remote_reads,
          "lines of 64 B of another socket's memory that slots read at a time, at most; 0: no limit", within(0, 1024),
          ideal(0));
  describe(c.ordered_writes, d);
  d.object("iommu", c.iommu, "translation of the addresses that slots ask for");
  d.object("buffers", c.buffers, "receive buffer of each slot's port");
  d.list("slots", c.slots, "PCIe slots");
  d.list("remotes", c.remotes, "addresses that belong to other sockets");
  d.list("bridges", c.bridges, "I/O bridges (PCI-X) on ports of the host's own bus");
  d.require(c.cores + c.slots.size() + c.remotes.size() + c.bridges.size() < far_memory_reads,
            "a root complex has at most 125 ports");
  check_ranges(c, d);
}

RootComplex::RootComplex(DeviceArgs args, const RootComplexConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      max_train_(args.max_train),
      first_remote_(c.cores + 1 + static_cast<int>(c.slots.size())),
      peer_reads_(*this, args.pool, config_.peer, own_reads,
                  [this](int in, int out, net::Delivery d) { send(in, out, std::move(d)); }),
      far_memory_(far_memory(c)),
      far_reads_(*this, args.pool, far_memory_, far_memory_reads,
                 [this](int in, int out, net::Delivery d) { send(in, out, std::move(d)); }),
      ordered_writes_(c.ordered_writes) {
  std::vector<std::string> remotes;
  for (const RemoteConfig& r : c.remotes) {
    auto known = std::find(remotes.begin(), remotes.end(), r.name);
    if (known == remotes.end()) known = remotes.insert(known, r.name);
    remote_ports_.push_back(first_remote_ + static_cast<int>(known - remotes.begin()));
  }
  first_bridge_ = first_remote_ + static_cast<int>(remotes.size());
  const int sources = first_bridge_ + static_cast<int>(c.bridges.size());
  enum Kind : int { core, remote, memory, slot, first_bridge };
  const auto spec = [&](int kind) {
    net::PortSpec s;
    s.protocol = kind == slot ? "pcie" : "on_chip";
    s.needed = kind == memory;
    s.sources = sources;
    s.rx.trains = kind != slot || c.iommu.entries == 0;  // each request is looked up at its own time
    if (kind == slot) {
      s.role = net::LinkRole::root_complex;
      s.expects = pcie::completions_up_to(std::max(c.peer.read_size, 8_B));  // of a core: a word
      s.sends = pcie::completions_up_to(std::max(c.completion_size, c.peer.read_size));
      s.rx.buffers = pcie::buffer_credits(c.buffers);
    }
    constexpr std::int32_t all = flow::Credits::infinite;
    const auto hold = [&](flow::Credits writes) { s.rx.buffers = {writes, {all, all}, {all, all}}; };
    if (kind == core && c.core_writes > 0) hold({c.core_writes, all});
    if (kind >= first_bridge) hold({all, c.bridges[static_cast<std::size_t>(kind - first_bridge)].write_lines});
    return s;
  };
  const auto add = [&](std::string port_name, int kind) {
    if (find_port(port_name) >= 0)
      throw config::error_at("/machine", name() + ": two ports are called \"" + port_name + "\"");
    add_port(std::move(port_name), args.specs.of(c, kind, [&] { return spec(kind); }));
  };
  ports().reserve(static_cast<std::size_t>(sources));
  for (int i = 0; i < c.cores; ++i) add("core" + std::to_string(i), core);
  add("memory", memory);
  for (const pcie::SlotConfig& s : c.slots) add(s.name, slot);
  for (const std::string& r : remotes) add(r, remote);
  for (std::size_t i = 0; i < c.bridges.size(); ++i) add(c.bridges[i].name, first_bridge + static_cast<int>(i));
  least_latency_ = std::min({c.posted_latency, c.read_latency, c.completion_latency, c.peer.latency,
                             c.remotes.empty() ? c.posted_latency : c.remote_latency});
  peer_qpi_free_.resize(static_cast<std::size_t>(sources));
  posted_until_.resize(ports().size() * ports().size());
  if (c.iommu.entries != 0)
    iommu_ =
        std::make_unique<Iommu>(*this, c.iommu, sources, [this](int in, net::Delivery d) { route(in, std::move(d)); });
}

Time RootComplex::next_offer(int /*port*/, int source) const {
  if (iommu_ || peer_reads_.busy() || far_reads_.busy()) return now();  // what is here may still be sent
  const Time arrival = ports()[static_cast<std::size_t>(source)].next_arrival();
  return arrival == Time::max() ? arrival : arrival + least_latency_;
}

Time RootComplex::next_offer(int port) const {
  Time next = Time::max();
  for (std::size_t in = 0; in < ports().size(); ++in) next = std::min(next, next_offer(port, static_cast<int>(in)));
  return next;
}

std::string RootComplex::leftover() const {
  if (iommu_ && iommu_->busy()) return "requests wait for their translation";
  if (far_reads_.busy()) return "reads of another socket's memory are under way";
  return peer_reads_.busy() ? "peer-to-peer reads are under way" : "";
}

void RootComplex::receive(int in, net::Delivery&& d) {
  if (is_slot(in)) to_transaction(*d.packet);
  Transaction& t = d.packet->header<Transaction>();
  if (transaction_class(t.type) == answer_class) return forward_answer(in, std::move(d));
  if (is_remote(in) && t.agent == Agent::card) t.agent = Agent::far_card;
  if (iommu_ && is_slot(in)) return iommu_->request(in, std::move(d));
  route(in, std::move(d));
}

void RootComplex::route(int in, net::Delivery d) {
  // A train whose packets belong to several windows is no train here.
  while (d.packet->count > 1) {
    const flow::Packet& p = *d.packet;
    const std::int64_t together = units_of(same_window_for(Address(p.address)), p.stride);
    if (together >= p.count) break;
    route_together(in, net::split_front(d, static_cast<std::int32_t>(together)));
  }
  route_together(in, std::move(d));
}

void RootComplex::route_together(int in, net::Delivery d) {
  const TransactionType type = d.packet->header<Transaction>().type;
  const Address address(d.packet->address);
  const int out = port_to(address);
  if (out < 0 || !port(out).connected()) return refuse(in, std::move(d), route_refusal(out, address));
  const bool across = peer_across(in, out, address);
  if (across && config_.peer.across_qpi == AcrossQpi::refused)
    throw std::runtime_error(peer_refusal(port(in).channel().destination(), address));
  if (type != TransactionType::read) return forward_write(in, out, across, std::move(d));
  if (is_io(in) && (is_io(out) || across))
    return peer_reads_.request(in, out, across, std::move(d), posted_until(in, out));
  if (config_.remote_reads > 0 && is_io(in) && is_remote(out))
    return far_reads_.request(in, out, false, std::move(d), posted_until(in, out));
  forward_read(in, out, std::move(d));
}

void RootComplex::send(int in, int out, net::Delivery&& d) {
  if (is_slot(out)) to_tlp(*d.packet);
  port(out).send(in, std::move(d));
}

void RootComplex::refuse(int in, net::Delivery d, const std::string& why) {
  if (!is_slot(in)) return host::refuse(*this, in, in, std::move(d), config_.posted_latency, why);
  to_tlp(*d.packet);
  pcie::refuse(*this, in, in, std::move(d), config_.posted_latency, why);
}

Time RootComplex::latency(TransactionType type, int in, int out) const {
  if (is_remote(in) || is_remote(out))
    if (!is_io(in) && !is_io(out)) return config_.remote_latency;
  switch (type) {
    case TransactionType::read:
      return is_io(out) ? config_.posted_latency : config_.read_latency;
    case TransactionType::write:
      return config_.posted_latency;
    default:
      return is_io(in) ? config_.posted_latency : config_.completion_latency;
  }
}

void RootComplex::pass_write(int in, int out, net::Delivery& d) {
  const Time arrived = d.schedule.front().head;
  const Time more = latency(TransactionType::write, in, out);
  tell(d.packet->id, 0, net::Stage::pipeline, "posted write", arrived, arrived + more);
  for (net::Span& s : d.schedule) s = {s.head + more, s.tail + more};
}

void RootComplex::pass(int in, int out, net::Delivery& d, const char* what, Time latency) const {
  const Time ready = d.schedule.front().head + latency;
  const Transaction& t = d.packet->header<Transaction>();
  const auto of = static_cast<pcie::TlpClass>(transaction_class(t.type));  // the same three, in the same order
  const bool passes = pcie::tlp_may_pass(pcie::Ordered{of, {t.relaxed_ordering, false}, 0}, pcie::Ordered{});
  const Time behind = passes ? Time::zero() : posted_until(in, out);
  tell(d.packet->id, 0, net::Stage::pipeline, what, d.schedule.front().head, ready);
  tell(d.packet->id, 0, net::Stage::pipeline, behind_writes, ready, behind);
  for (net::Span& s : d.schedule) s = {std::max(s.head + latency, behind), std::max(s.tail + latency, behind)};
}

void RootComplex::forward_write(int in, int out, bool across, net::Delivery d) {
  if (!across) {
    own_lines(in, out, d);
    pass_write(in, out, d);
    posted_until(in, out) = d.schedule.back().head;
    return send(in, out, std::move(d));
  }
  const Time arrived = d.schedule.front().head;
  Time& free = peer_qpi_free_[static_cast<std::size_t>(in)];
  for (std::int32_t i = 0; i < d.packet->count; ++i) {
    net::Span& s = d.schedule[static_cast<std::size_t>(i)];
    // Who need not be seen in order does not wait for acknowledgements.
    const bool relaxed = d.packet->header<Transaction>().relaxed_ordering;
    const Time begin = relaxed ? s.tail : std::max(s.tail, free);
    if (!relaxed) free = begin + config_.peer.qpi_write_time * units_of(d.packet->payload_of(i), 64_B);
    s.head = s.tail = begin + config_.posted_latency + config_.peer.qpi_latency;
  }
  tell(d.packet->id, 0, net::Stage::pipeline, "peer-to-peer write across QPI", arrived, d.schedule.front().head);
  posted_until(in, out) = d.schedule.back().head;
  send(in, out, std::move(d));
}

void RootComplex::own_lines(int in, int out, net::Delivery& d) {
  const flow::Packet& p = *d.packet;
  const bool to_memory = is_io(in) && !is_io(out) && out >= memory_port();
  if (!to_memory || !ordered_writes_.limits(is_remote(out)) || p.header<Transaction>().relaxed_ordering) return;
  const Time arrived = d.schedule.front().head;
  for (std::int32_t i = 0; i < p.count; ++i) {
    net::Span& s = d.schedule[static_cast<std::size_t>(i)];
    const Time waited = ordered_writes_.place(in, s.head, units_of(p.payload_of(i), 64_B), is_remote(out)) - s.head;
    s = {s.head + waited, s.tail + waited};
  }
  tell(p.id, 0, net::Stage::pipeline, "ownership of earlier lines", arrived, d.schedule.front().head);
}

void RootComplex::forward_read(int in, int out, net::Delivery d) {
  // What comes from another socket has been cut there; a core reads a word.
  const bool whole = is_remote(in) || !(is_io(in) || out == memory_port());
  if (!whole) return read_memory(in, out, std::move(d));
  pass(in, out, d, "read request", latency(TransactionType::read, in, out));
  pcie::push_port(d.packet->header<Transaction>().requester.way, in, way_base);
  send(in, out, std::move(d));
}

void RootComplex::read_memory(int in, int out, net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Time passed = d.schedule.back().tail + latency(TransactionType::read, in, out);
  const Time ready = std::max(passed, posted_until(in, out));
  // One request to the memory for each completion that will go back.
  Bytes left = asked_bytes(p);
  const Bytes whole = std::min(config_.completion_size, port(in).max_payload());
  for (std::uint64_t at = p.address; left > Bytes::zero();) {
    const auto [piece, alike] = pcie::next_completions(whole, at, left, max_train_);
    net::Delivery read;
    read.packet = pool().clone(p);
    tell(read.packet->id, p.id, net::Stage::pipeline, "read request", d.schedule.back().tail, passed);
    tell(read.packet->id, 0, net::Stage::pipeline, behind_writes, passed, ready);
    set_read(*read.packet, at, static_cast<std::int32_t>(alike), piece);
    pcie::push_port(read.packet->header<Transaction>().requester.way, in, way_base);
    read.schedule = net::Schedule::at(ready, alike);
    send(in, out, std::move(read));
    at += static_cast<std::uint64_t>((piece * alike).count());
    left -= piece * alike;
  }
  d.slot.release(net::Schedule::at(ready));
}

void RootComplex::forward_answer(int in, net::Delivery d) {
  const int out = pcie::pop_port(d.packet->header<Transaction>().requester.way, way_base);
  if (out == own_reads) {
    const int to = peer_reads_.asked_by(*d.packet);
    return peer_reads_.complete(in, std::move(d), posted_until(in, to));
  }
  if (out == far_memory_reads) {
    const int to = far_reads_.asked_by(*d.packet);
    return far_reads_.complete(in, std::move(d), posted_until(in, to));
  }
  if (out >= static_cast<int>(ports().size())) throw std::runtime_error(name() + ": an answer came for nobody's read");
  pass(in, out, d, "completion", latency(TransactionType::answer_with_data, in, out));
  send(in, out, std::move(d));
}

}  // namespace tsunagi::host
