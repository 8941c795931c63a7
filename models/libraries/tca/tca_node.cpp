// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca/tca_node.hpp"

#include <algorithm>

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/reach.hpp"
#include "models/pcie/bar_window.hpp"
#include "models/process/node_part.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void describe(TcaMessagesConfig& c, config::Describer& d) {
  using namespace config;
  d.field(
      "eager_limit", c.eager_limit,
      "longest two-sided message that the core stores with its envelope; longer ones go by DMA when the receiver is "
      "ready",
      within(8_B, 1_MiB));
  d.field("slots", c.slots, "receive buffers that a rank has for each other one", within(2, 1024));
  d.field("unexpected", c.unexpected, "messages that it can keep before receives are posted", within(1, 65536));
  d.field("queue_entries", c.queue_entries, "entries of each matching queue with a cache line of their own",
          within(1, 65536));
}

void describe(TcaConfig& c, config::Describer& d) {
  d.field("core", c.core, "the core that runs a node's rank");
  d.field("memory", c.memory, "the memory with a node's receive buffer");
  d.field("remote_reads", c.remote_reads, "a driver on each node answers reads of other ranks by proxy");
  d.field("interrupt_cycles", c.interrupt_cycles,
          "core cycles from an interrupt to the driver's first look at the requests (assumed: 2 us of kernel entry, "
          "interrupt handler and wake-up)",
          config::within(std::int64_t{0}, std::int64_t{1'000'000}), config::ideal(std::int64_t{0}));
  d.any("cuda", c.cuda, "library",
        "library cuda, whose driver copies for method \"staged\"; none: as it is by default");
  d.object("messages", c.messages, "two-sided messages");
}

namespace {

/// What names of a node's parts begin with.
std::string prefix_of(const peach2::Peach2& chip) { return chip.name().substr(0, chip.name().rfind('.') + 1); }

/// How much of the host memory the window shows; it has to begin at address 0.
Bytes shown(const peach2::Peach2& chip, const host::Memory& m) {
  if (m.config().base != Bytes::zero())
    throw config::error_at("/machine", m.name() + " begins at " + to_string(m.config().base) +
                                           ", but region host of the window shows addresses from 0 on");
  return std::min(chip.map().region_size(), m.config().size);
}

}  // namespace

TcaNode::TcaNode(const TcaConfig& c, Machine& m, peach2::Peach2& chip, int ranks)
    : TcaNode(c, m, chip, process::node_part<host::Memory>(m, prefix_of(chip), c.memory, "memory"), ranks) {}

TcaNode::TcaNode(const TcaConfig& c, Machine& m, peach2::Peach2& chip, host::Memory& memory, int ranks)
    : HostProcess(process::node_part<host::Core>(m, prefix_of(chip), c.core, "core"), memory,
                  std::min(unsigned_of(shown(chip, memory)), memory.kept_from())),
      chip_(&chip),
      words_(ranks) {
  process::claim(chip);
  const std::string prefix = prefix_of(chip);
  const auto mine = [&](const net::Device& d) { return d.name().compare(0, prefix.size(), prefix) == 0; };
  for (gpu::Gpu* g : m.all<gpu::Gpu>()) {
    if (!mine(*g)) continue;
    gpus_.push_back(g);
    cards_.push_back(
        {g, Address::at(g->config().bar_base), std::min(g->config().bar_size, g->config().memory_size), g});
  }
  for (net::Device* d : m.all<net::Device>())
    if (const auto* window = dynamic_cast<const pcie::BarWindow*>(d); window != nullptr && mine(*d))
      cards_.push_back({d, window->bar_base(), window->bar_size(), nullptr});
  place_areas(c.messages, ranks);
  check_ways();
}

void TcaNode::place_areas(const TcaMessagesConfig& c, int ranks) {
  words_.place(areas().take("polled words", words_.size()).base);
  tables_ = areas().take("descriptor tables", 4_MiB);
  cuda_area_ = areas().take("CUDA driver", CudaDriver::area_size);
  staging_ = areas().take("staging buffer", 16_MiB);
  rings_ = areas().take("receive buffers", c.slot_size() * c.slots * ranks);
  unexpected_ = areas().take("unexpected messages", c.slot_size() * c.unexpected);
  queues_ = areas().take("matching queues", Bytes(64) * 2 * c.queue_entries);
  keep_areas(1_B, ", as far as the window shows it,");
  begin_user_at(unsigned_of(host::buffers_from(plan().left())));
}

void TcaNode::check_ways() const {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  const net::Port& bus = core().ports().front();
  const net::Port& north = chip_->ports()[peach2::north];
  if (!north.connected()) refuse("port N of " + chip_->name() + " is connected to no host");
  refuse(reach_refusal(bus, reg(0), *chip_, host::Core::line));
  for (const std::uint64_t address : {user_base(), words_.base()}) {
    refuse(reach_refusal(bus, address, memory(), host::Core::line));
    refuse(reach_refusal(north, address, memory(), north.max_payload()));
  }
}

gpu::Gpu* TcaNode::gpu(const std::string& place) const {
  for (gpu::Gpu* g : gpus_)
    if (g->name().substr(g->name().rfind('.') + 1) == place) return g;
  return nullptr;
}

const TcaNode::Card* TcaNode::card(const std::string& place) const {
  for (const Card& c : cards_)
    if (const std::string name = c.device->name(); name.substr(name.rfind('.') + 1) == place) return &c;
  return nullptr;
}

std::vector<std::string> TcaNode::places() const {
  std::vector<std::string> out{"host", "chip"};
  for (const Card& c : cards_)
    if (region_of(c)) out.push_back(c.device->name().substr(prefix_of(*chip_).size()));
  return out;
}

std::optional<peach2::Region> TcaNode::region_of(const Card& card) const {
  const peach2::Peach2Config& c = chip_->config();
  if (Address::at(c.gpu0_base) == card.base) return peach2::Region::gpu0;
  if (Address::at(c.gpu1_base) == card.base) return peach2::Region::gpu1;
  return std::nullopt;
}

std::string TcaNode::refusal(const std::string& place, Bytes end, bool shared) const {
  const auto beyond = [&](Bytes room) {
    return end <= room
               ? std::string()
               : to_string(end) + " of \"" + place + "\" are asked for, but the window shows " + to_string(room);
  };
  if (is_host(place)) return beyond(user_memory());
  if (place == "chip") return beyond(board_memory());
  const Card* c = card(place);
  const std::string prefix = prefix_of(*chip_);
  if (c == nullptr) {
    std::string known = "host, chip";
    for (const Card& k : cards_) known += ", " + k.device->name().substr(prefix.size());
    return "no place \"" + place + "\" in " + prefix.substr(0, prefix.size() - 1) + "; places: " + known;
  }
  const net::Port& north = chip_->ports()[peach2::north];
  const host::RootComplex* rc = host::root_complex_above(*chip_);
  if (rc != nullptr)
    if (std::string why = rc->peer_refusal(*chip_, c->base); !why.empty()) return why;
  if (std::string why = reach_refusal(north, c->base.value(), *c->device, shared ? north.max_payload() : Bytes::zero());
      !why.empty())
    return why;
  if (shared && !region_of(*c))
    return c->device->name() + " is not shown in the window: the chip's gpu0_base and gpu1_base are others";
  return beyond(c->size);
}

std::uint64_t TcaNode::local(const std::string& place, Bytes offset, Bytes size) const {
  if (is_host(place)) return user_base() + unsigned_of(offset);
  if (place == "chip") return reg(peach2::ChipRegion::packet_memory + unsigned_of(offset));
  const Card& c = *card(place);
  return c.gpu != nullptr ? c.gpu->pin(offset, size) : (c.base + offset).value();
}

std::uint64_t TcaNode::shared_word(std::uint64_t address) const {
  return chip_->map().address(number(), peach2::Region::host, address).value();
}

std::uint64_t TcaNode::shared(const std::string& place, Bytes offset, Bytes size) const {
  const peach2::AddressMap& map = chip_->map();
  if (is_host(place)) return shared_word(local(place, offset, size));
  if (place == "chip") return local(place, offset, size);
  const Card& c = *card(place);
  return map.address(number(), *region_of(c), local(place, offset, size) - c.base.value()).value();
}

}  // namespace tsunagi::libraries
