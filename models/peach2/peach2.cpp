// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/peach2.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/pcie/refusal.hpp"
#include "models/pcie/tlp.hpp"
#include "models/peach2/placement.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::peach2 {

namespace {

const std::vector<config::Choice>& port_names() {
  static const std::vector<config::Choice> names = {{"n", north, "north: the host"},
                                                    {"e", east, "east: next in the ring"},
                                                    {"w", west, "west: previous in the ring"},
                                                    {"s", south, "south: the other ring"}};
  return names;
}

bool is_power_of_two(std::int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

}  // namespace

void describe(RouteConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("port", c.port, port_names(), "where the packets leave", required);
  d.field("first", c.first, "first destination node", required, within(0, 15));
  d.field("last", c.last, "last destination node", required, within(0, 15));
  d.require(c.first <= c.last, "\"first\" must not exceed \"last\"");
}

void describe(Peach2Config& c, config::Describer& d) {
  using namespace config;
  d.field("node", c.node, "this chip's node number in the sub-cluster; topology tca sets it", within(0, 15));
  d.field("nodes", c.nodes, "nodes of the sub-cluster; topology tca sets it", within(1, 16));
  d.field("window_base", c.window_base, "first address of the shared window", at_most(largest_given));
  d.field("window_size", c.window_size, "bytes of the shared window", within(1_MiB, Bytes(std::int64_t{1} << 44)));
  d.field("clock", c.clock, "clock of chip and hard IP", within(Frequency(1'000'000), Frequency(2'000'000'000)),
          ideal(Frequency(2'000'000'000)));
  d.field("datapath_width", c.datapath_width, "bytes a clock on the internal bus", within(4_B, 256_B), ideal(256_B));
  d.field("hard_ip_cycles", c.hard_ip_cycles, "latency of the PCIe hard IP, one direction, in cycles", within(0, 200),
          ideal(0));
  d.field("route_cycles", c.route_cycles, "from a received header to its output port, in cycles", within(0, 100),
          ideal(0));
  d.field("transmit_fifo", c.transmit_fifo, "bytes that wait in a port's hard IP before the datapath is held",
          within(0_B, 64_KiB), ideal(64_KiB));
  d.choice("south_role", c.south_role,
           {{"endpoint", static_cast<std::int64_t>(net::LinkRole::endpoint), "S is an endpoint"},
            {"root_complex", static_cast<std::int64_t>(net::LinkRole::root_complex), "S is a root complex"}},
           "role of port S, as configured into the FPGA; topology tca sets it");
  d.field("bubble", c.bubble,
          "what enters a ring by E or W leaves so much free that this many packets of max payload can always move on, "
          "whatever the sizes of others (if the buffers hold that much); 0: nothing, rings can deadlock",
          within(0, 64));
  d.object("buffers", c.buffers, "receive buffer of each port");
  d.object("dma", c.dma, "DMA controller");
  d.object("memory", c.memory, "the chip's own memory");
  d.field("gpu0_base", c.gpu0_base, "host-local address of what the window's region gpu0 shows; 0 B: no GPU there",
          at_most(largest_given));
  d.field("gpu1_base", c.gpu1_base, "host-local address of what the window's region gpu1 shows; 0 B: no GPU there",
          at_most(largest_given));
  d.list("routes", c.routes, "static routes to other nodes; topology tca sets them");
  d.require(is_power_of_two(c.window_size.count()), "\"window_size\" must be a power of two");
  d.require(c.window_size.count() == 0 || c.window_base.count() % c.window_size.count() == 0,
            "\"window_base\" must be a multiple of \"window_size\"");
  d.require(c.node < c.nodes, "\"node\" must be below \"nodes\"");
}

namespace {

Peach2Config configured(const Peach2Config& c, const std::vector<topo::Place>& places) {
  const topo::Place* place = topo::place_as(topo::Place::Role::router, places);
  return place == nullptr ? c : placed(c, *place);
}

}  // namespace

Peach2::Peach2(DeviceArgs args, const Peach2Config& c)
    : Device(args.sim, args.pool, args.name),
      config_(configured(c, args.places)),
      map_(c.window_base, c.window_size, config_.nodes),
      max_train_(args.max_train),
      memory_(config_.memory) {
  const Clock clock(c.clock);
  route_pipeline_ = {clock, c.route_cycles, Time::zero()};
  constexpr net::LinkRole roles[] = {net::LinkRole::endpoint, net::LinkRole::endpoint, net::LinkRole::root_complex};
  for (int i = 0; i < port_count; ++i) {
    net::PortSpec p;
    p.name = port_names()[static_cast<std::size_t>(i)].name;
    p.protocol = "pcie";
    p.role = i == south ? config_.south_role : roles[i];
    p.sources = port_count + c.dma.channels;
    p.expects = pcie::completions_up_to(i == north ? c.dma.max_read_request : Bytes::zero());
    if (config_.nodes > 2) p.reserve = bubble(config_.bubble, i, p.sources);  // two nodes have one cable: no ring
    p.tx.datapath = net::Datapath{clock, c.datapath_width};
    p.tx.pipeline = {clock, c.hard_ip_cycles, Time::zero()};
    p.tx.word_clock = clock;
    p.tx.fifo = c.transmit_fifo;
    p.rx.pipeline = {clock, c.hard_ip_cycles, Time::zero()};
    p.rx.trains = true;
    p.rx.buffers = pcie::buffer_credits(c.buffers);
    add_port(std::move(p));
  }
  host_reads_ = std::make_unique<ChipReads>(
      *this, pool(), ChipReads::Shape{clock, c.datapath_width, args.max_train, "read the chip"},
      [this](flow::Packet& p) { fill(p); }, [this](net::Delivery d) { send_north(north, std::move(d)); });
  dma_.resize(static_cast<std::size_t>(c.dma.channels));
  dma_reads_.resize(dma_.size());
  const auto share = static_cast<std::uint64_t>(map_.share().count());
  for (const RouteConfig& r : config_.routes)
    routes_.push_back({~(share - 1), map_.address(r.first, Region::host).value(),
                       map_.address(r.last, Region::host).value(), static_cast<int>(r.port)});
}

void Peach2::check_payloads() const {
  const net::Port* first = nullptr;
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    if (first == nullptr) first = &p;
    if (p.max_payload() == first->max_payload()) continue;
    const auto link = [](const net::Port& end) {
      return fmt::format("port {} to {}", end.name(), end.channel().destination().name());
    };
    throw config::error_at("/machine", fmt::format("{}: the link at {} has a max_payload_size of {}, that at {} of {}; "
                                                   "the chip cuts no packets, so that all need one",
                                                   name(), link(*first), to_string(first->max_payload()), link(p),
                                                   to_string(p.max_payload())));
  }
}

int Peach2::ring_of(int out) const {
  const Peach2* chip = this;
  const auto most = static_cast<int>(config_.nodes);
  for (int hops = 1; hops <= most; ++hops) {
    const net::Port& p = chip->ports()[static_cast<std::size_t>(out)];
    if (!p.connected()) return 0;
    const auto* next = dynamic_cast<const Peach2*>(&p.channel().destination());
    if (next == nullptr) return 0;
    if (next == this) return hops;
    const int in = p.channel().destination_port();
    if (in != east && in != west) return most;  // by S it may go anywhere
    chip = next;
    out = in == east ? west : east;
  }
  return most;
}

void Peach2::keep_moving(int out) {
  net::Port& p = port(out);
  const int ring = ring_of(out);
  if (ring == 0) return p.drop_reserve();
  // Packets of many sizes break room up: a unit less than one of max payload takes may be free at every chip, and none
  // can move. As much as that beside the bubble, or what the next chip's buffer holds, is left.
  const auto& next = dynamic_cast<const Peach2&>(p.channel().destination()).config().buffers;
  std::int64_t room = ring + config_.bubble;
  if (next.posted_headers > 0) room = std::min(room, next.posted_headers);
  if (next.posted_data > 0) room = std::min(room, Bytes(16) * next.posted_data / p.max_payload());
  if (config_.bubble > 0 && room < ring + config_.bubble) short_of_room_ = true;
  p.add_reserve(static_cast<int>(std::max<std::int64_t>(0, room - 1 - config_.bubble)));
}

void Peach2::wired() {
  pcie::check_window(*this, config_.window_base, config_.window_size);
  for (int out : {east, west})
    if (port(out).connected()) keep_moving(out);
  check_region();
  check_payloads();
  for (std::size_t i = 0; i < config_.routes.size(); ++i) {
    const RouteConfig& r = config_.routes[i];
    if (!port(static_cast<int>(r.port)).connected())
      throw config::error_at("/machine", fmt::format("{}: route {} leaves by port {}, which is not connected", name(),
                                                     i, port(static_cast<int>(r.port)).name()));
    if (r.last >= config_.nodes)
      throw config::error_at("/machine", fmt::format("{}: route {} leads to node {}, but \"nodes\" is {}", name(), i,
                                                     r.last, config_.nodes));
  }
}

void Peach2::receive(int in, net::Delivery&& d) {
  const Time head = d.schedule.front().head;
  route_pipeline_.apply(d.schedule);
  tell(d.packet->id, 0, net::Stage::pipeline, "route", head, d.schedule.front().head);
  switch (d.packet->header<pcie::Tlp>().type) {
    case pcie::TlpType::memory_write:
      if (in != north) ++d.packet->hops;
      return forward(in, std::move(d));
    case pcie::TlpType::memory_read:
      return answer(in, std::move(d));
    default:
      break;
  }
  const auto channel =
      static_cast<std::size_t>(d.packet->header<pcie::Tlp>().requester.tag / config_.dma.tag_numbers());
  pcie::require_success(*this, *d.packet);
  dma(channel).complete(std::move(d));
}

Time Peach2::next_offer(int out, int source) const {
  if (source < port_count) {
    if (source == north && out == north && host_reads_->busy()) return now();
    return ports()[static_cast<std::size_t>(source)].next_arrival();
  }
  if (const auto& channel = dma_[static_cast<std::size_t>(source - port_count)]; channel != nullptr && channel->busy())
    return now();
  Time t = Time::max();  // a doorbell
  for (const net::Port& p : ports()) t = std::min(t, p.next_arrival());
  return t;
}

/// What is routed on; what ends here may act when it is received.
bool Peach2::takes_ahead(int /*port*/, const flow::Packet& p) const {
  return pcie::is_write(p) && !is_own(Address(p.address));
}

void Peach2::forward(int source, net::Delivery&& d) {
  const Address address(d.packet->address);
  const auto node = map_.node_of(address);
  const auto refuse = [&](const std::string& why) {
    pcie::refuse(*this, source, source, std::move(d), Time::zero(), why);
  };
  if (!node) return refuse(fmt::format("address {:#x} is outside the window", address.value()));
  if (*node == config_.node) return deliver_to_node(source, std::move(d));
  const auto out = route(routes_, address);
  if (!out) return refuse(fmt::format("no route to node {} (address {:#x})", *node, address.value()));
  port(*out).send(source, std::move(d));
}

const net::Port* Peach2::port_towards(int node) const {
  const auto out = route(routes_, map_.address(node, Region::host));
  return out ? &ports()[static_cast<std::size_t>(*out)] : nullptr;
}

Peach2* Peach2::next_towards(int node) const {
  const net::Port* out = port_towards(node);
  return out != nullptr ? dynamic_cast<Peach2*>(&out->channel().destination()) : nullptr;
}

std::optional<Address> Peach2::local_address(Address address) const {
  const Region region = map_.region_of(address);
  if (region == Region::host) return Address(map_.offset_in_region(address));
  const Bytes base = region == Region::gpu0 ? config_.gpu0_base : config_.gpu1_base;
  if (region == Region::chip || base == 0_B) return std::nullopt;
  return Address(unsigned_of(base) + map_.offset_in_region(address));
}

const net::Port* Peach2::port_for(Address& address) const {
  const auto node = map_.node_of(address);
  if (!node) return nullptr;
  if (*node != config_.node) return port_towards(*node);
  const auto local = local_address(address);
  if (!local || !ports()[north].connected()) return nullptr;
  address = *local;
  return &ports()[north];
}

void Peach2::deliver_to_node(int source, net::Delivery&& d) {
  const Address address(d.packet->address);
  if (map_.region_of(address) == Region::chip) return write_own(source, std::move(d));
  // Port N: the shared address space ends here, the host's own begins (paper 000, 3.4).
  const auto local = local_address(address);
  if (!local)
    return pcie::refuse(*this, source, source, std::move(d), Time::zero(),
                        fmt::format("nothing answers at address {:#x}", address.value()));
  d.packet->address = local->value();
  send_north(source, std::move(d));
}

void Peach2::send_north(int source, net::Delivery&& d) {
  if (!port(north).connected())
    throw std::runtime_error(
        fmt::format("{}: port N is not connected; address {:#x} of the host", name(), d.packet->address));
  port(north).send(source, std::move(d));
}

}  // namespace tsunagi::peach2
