// SPDX-License-Identifier: Apache-2.0
#include "support/bench.hpp"

#include "models/catalog.hpp"
#include "models/host/root_complex_tlp.hpp"
#include "support/explained.hpp"
#include "support/order.hpp"

namespace tsunagi::test {

namespace {

/// What packet `i` says, from its first byte that says anything to the last.
std::vector<std::uint8_t> bytes_of(const flow::Packet& p, std::int32_t i) {
  const flow::ByteView said = p.contents.part(p.payload * i, p.payload_of(i)).bytes;
  return {said.data, said.data + said.size};
}

}  // namespace

Probe::Probe(DeviceArgs args, const ProbeConfig& c) : Device(args.sim, args.pool, args.name), config_(c) {
  for (const net::PortSpec& p : c.ports) add_port(p);
}

void Probe::receive(int in, net::Delivery&& d) {
  if (is_bus(in)) host::to_tlp(*d.packet);
  std::uint64_t address = d.packet->address;
  net::Schedule left;
  const Bytes completed = pcie::completed_bytes(*d.packet);
  for (std::int32_t i = 0; i < d.packet->count; ++i) {
    const net::Span& s = d.schedule[static_cast<std::size_t>(i)];
    arrivals_.push_back({in, d.packet->id, address, d.packet->payload_of(i), d.packet->last_word_of(i),
                         bytes_of(*d.packet, i), pcie::tlp_class(*d.packet), Bytes(completed.count() / d.packet->count),
                         d.packet->header<pcie::Tlp>().requester, now(), s.head, s.tail});
    address += static_cast<std::uint64_t>(d.packet->payload.count());
    const Time hold = arrivals_.size() <= config_.holds.size() ? config_.holds[arrivals_.size() - 1] : config_.hold;
    const Time leaves = config_.fifo ? std::max(last_left_, s.tail + hold) : s.tail + hold;
    left.push_back({leaves, leaves});
    last_left_ = leaves;
  }
  if (config_.leaks)
    kept_.push_back(std::move(d));
  else
    d.slot.release(left);
}

void Probe::send(flow::PacketPtr p, int source, int out, std::optional<net::Span> span) {
  net::Delivery d;
  d.packet = std::move(p);
  d.schedule = span ? net::Schedule(*span) : net::Schedule::at(now());
  send(std::move(d), source, out);
}

void Probe::send(net::Delivery d, int source, int out) {
  if (is_bus(out)) host::to_transaction(*d.packet);
  port(out).send(source, std::move(d));
}

void Probe::write(std::uint64_t address, Bytes n, int source, int out, std::optional<net::Span> span) {
  flow::PacketPtr p = pcie::memory_write(pool(), address, n);
  if (value_) p->say_last(*value_);
  send(std::move(p), source, out, span);
}

void Probe::write_bytes(std::uint64_t address, const std::vector<std::uint8_t>& bytes, int source) {
  flow::PacketPtr p = pcie::memory_write(pool(), address, Bytes(static_cast<std::int64_t>(bytes.size())));
  p->say(0_B, {bytes.data(), bytes.size()});
  send(std::move(p), source, 0, {});
}

void Probe::read_train(std::uint64_t address, int count, Bytes each) {
  net::Delivery d;
  d.packet = pcie::memory_read(pool(), address, each);
  pcie::set_read(*d.packet, address, count, each);
  d.schedule = net::Schedule::at(now(), count);
  send(std::move(d), 0, 0);
}

void Probe::write_train(std::uint64_t address, int count, Bytes each, Bytes last, int source) {
  net::Delivery d;
  d.packet = pcie::memory_write(pool(), address, each);
  d.packet->set_train(count, each, last);
  d.schedule = net::Schedule::at(now(), count);
  send(std::move(d), source, 0);
}

void Probe::read(std::uint64_t address, Bytes n, int source, int out) {
  flow::PacketPtr p = pcie::memory_write(pool(), address, 0_B);
  p->header<pcie::Tlp>().type = pcie::TlpType::memory_read;
  pcie::set_read(*p, address, 1, n);
  send(std::move(p), source, out, {});
}

void Probe::complete(std::uint64_t address, Bytes n, int source, int out) {
  flow::PacketPtr p = pcie::memory_write(pool(), address, n);
  p->header<pcie::Tlp>().type = pcie::TlpType::completion_with_data;
  send(std::move(p), source, out, {});
}

void Probe::answer(const Arrival& read, Bytes n) {
  flow::PacketPtr p = pcie::memory_write(pool(), read.address, n);
  p->parent = read.id;
  p->header<pcie::Tlp>().type = pcie::TlpType::completion_with_data;
  p->header<pcie::Tlp>().requester = read.requester;
  send(std::move(p), 0, read.port, {});
}

void Probe::expect_at(std::size_t i, Time t) const {
  REQUIRE(arrivals_.size() > i);
  CHECK(arrivals_[i].head == t);
  CHECK(arrivals_[i].told == t);
}

Relay::Relay(DeviceArgs args, const RelayConfig& c) : Device(args.sim, args.pool, args.name) {
  for (const net::PortSpec& p : c.ports) add_port(p);
}

Bench::Bench(sim::Kernel kernel) : sim_("tsunagi", kernel) {}

topo::End Bench::end(const std::string& text) const {
  const auto dot = text.rfind('.');
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].name == text.substr(0, dot)) return {static_cast<std::uint32_t>(i), text.substr(dot + 1)};
  throw std::logic_error("no device " + text);
}

void Bench::connect(const std::string& a, const std::string& b, config::AnyConfig wire) {
  graph_.links.push_back({{std::move(wire), "/links/" + std::to_string(graph_.links.size())}, end(a), end(b)});
}

void Bench::build(int max_train, std::uint64_t seed, const std::string& findings) {
  ModelCatalog catalog = model_catalog();
  catalog.devices.push_back(
      {config::kind<ProbeConfig>("probe", "a test's device"), [](DeviceArgs args, const config::AnyConfig& c) {
         return std::make_unique<Probe>(std::move(args), c.as<ProbeConfig>());
       }});
  catalog.devices.push_back(
      {config::kind<RelayConfig>("relay", "a test's device"), [](DeviceArgs args, const config::AnyConfig& c) {
         return std::make_unique<Relay>(std::move(args), c.as<RelayConfig>());
       }});
  catalog.devices.push_back(
      {config::kind<DmaCardConfig>("dma_card", "a test's device"), [](DeviceArgs args, const config::AnyConfig& c) {
         return std::make_unique<DmaCard>(std::move(args), c.as<DmaCardConfig>());
       }});
  catalog.wires.push_back({config::kind<SpecConfig>("spec", "a test's wire"),
                           [](const config::AnyConfig& c) { return c.as<SpecConfig>().spec; }});
  machine_ = std::make_unique<Machine>(sim_, graph_, catalog, seed, max_train, findings);
  if (sim_.shares_kernel()) sim_.end_construction();
  if (max_train > 1) return;
  history_ = std::make_unique<explain::History>(machine_->channels());
  machine_->listen(*history_);
}

void Bench::at(Time t, std::function<void()> f) {
  sim_.spawn("at", [t, f = std::move(f)](Fiber& fiber) {
    fiber.wait_until(t);
    f();
  });
}

std::string Bench::failure() {
  try {
    sim_.run(1_s);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no failure";
}

void Bench::run(Time limit) {
  REQUIRE(sim_.run(limit));
  if (history_ == nullptr) return;
  CHECK(unexplained(*history_) == "");
  CHECK(wrong_order(*history_) == "");
}

std::string extents_text(const host::Memory& memory) {
  std::string text;
  for (const host::Extent& e : memory.extents())
    text += std::to_string(e.address) + "@" + std::to_string(e.when.fs()) + " ";
  return text;
}

}  // namespace tsunagi::test
