// SPDX-License-Identifier: Apache-2.0
// Which port has an address, and what is wrong with that before anything moves.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "models/host/memory/memory.hpp"
#include "models/host/passage.hpp"
#include "models/host/root_complex.hpp"
#include "models/pcie/switch.hpp"
#include "units/parse.hpp"

namespace tsunagi::host {

void RootComplex::wired() {
  for (int p = first_remote_; p < first_bridge_; ++p)
    beyond_.push_back(port(p).connected() ? dynamic_cast<const RootComplex*>(&port(p).channel().destination())
                                          : nullptr);
  check_memory();
  check_remotes();
  check_packets();
  add_edges(edges_);
  for (const RootComplex* other : beyond_)
    if (other != nullptr) other->add_edges(edges_);
  std::sort(edges_.begin(), edges_.end());
}

void RootComplex::add_edges(std::vector<Address>& edges) const {
  const auto add = [&edges](Bytes base, Bytes size) {
    edges.push_back(Address::at(base));
    edges.push_back(Address::at(base + size));
  };
  add(config_.memory_base, config_.memory_size);
  for (const pcie::SlotConfig& s : config_.slots) add(s.window_base, s.window_size);
  for (const RemoteConfig& r : config_.remotes) add(r.window_base, r.window_size);
  for (const BridgePortConfig& b : config_.bridges) add(b.window_base, b.window_size);
}

Bytes RootComplex::same_window_for(Address address) const {
  const auto next = std::upper_bound(edges_.begin(), edges_.end(), address);
  return next == edges_.end() ? Bytes(std::int64_t{1} << 62) : *next - address;
}

void RootComplex::check_memory() const {
  const net::Port& memory = ports()[static_cast<std::size_t>(memory_port())];
  const auto* m = dynamic_cast<const Memory*>(&memory.channel().destination());
  if (m != nullptr && (m->config().base != config_.memory_base || m->config().size != config_.memory_size))
    throw config::error_at(
        "/machine",
        fmt::format("{} has {} from {}, but {} passes on {} from {} to it (\"memory_size\", \"memory_base\")",
                    m->name(), to_string(m->config().size), to_string(m->config().base), name(),
                    to_string(config_.memory_size), to_string(config_.memory_base)));
}

void RootComplex::check_remotes() const {
  for (std::size_t i = 0; i < config_.remotes.size(); ++i) {
    const RootComplex* other = beyond_[static_cast<std::size_t>(remote_ports_[i] - first_remote_)];
    const Address first = Address::at(config_.remotes[i].window_base);
    if (other == nullptr) continue;
    const int on = other->port_to(first);
    if (on >= 0 && other->is_remote(on))
      throw config::error_at(
          "/machine", fmt::format("{}: addresses from {} belong to {}, says \"remotes\"; but {} passes them on to "
                                  "its {}",
                                  name(), to_string(config_.remotes[i].window_base), other->name(), other->name(),
                                  other->ports()[static_cast<std::size_t>(on)].name()));
    if (!other->has_any_of(config_.remotes[i]))
      throw config::error_at("/machine", fmt::format("{}: {} from {} belong to {}, says \"remotes\"; but no address of "
                                                     "its memory and slots is among them",
                                                     name(), to_string(config_.remotes[i].window_size),
                                                     to_string(config_.remotes[i].window_base), other->name()));
  }
}

void RootComplex::check_packets() const {
  Bytes largest;  // of a card's reads of memory
  for (const net::Port& p : ports())
    if (p.connected() && (p.spec().protocol == "pcie" || is_bridge(static_cast<int>(&p - ports().data()))))
      largest = std::max(largest, std::min(config_.completion_size, p.max_payload()));
  const auto check = [&](const RootComplex& rc, int p) {
    const net::Port& bus = rc.ports()[static_cast<std::size_t>(p)];
    if (bus.connected() && bus.max_payload() < largest)
      throw config::error_at(
          "/machine", fmt::format("{}: reads of memory come back in pieces of {} "
                                  "(\"completion_size\"), but the bus at {}.{} carries {} at most",
                                  name(), to_string(largest), rc.name(), bus.name(), to_string(bus.max_payload())));
  };
  check(*this, memory_port());
  for (int p = first_remote_; p < first_bridge_; ++p) check(*this, p);
  for (const RootComplex* other : beyond_)
    if (other != nullptr) check(*other, other->memory_port());
}

bool RootComplex::has_any_of(const RemoteConfig& r) const {
  const auto overlaps = [&](Bytes base, Bytes size) {
    return base < r.window_base + r.window_size && r.window_base < base + size;
  };
  return overlaps(config_.memory_base, config_.memory_size) ||
         std::any_of(config_.slots.begin(), config_.slots.end(),
                     [&](const pcie::SlotConfig& s) { return overlaps(s.window_base, s.window_size); });
}

int RootComplex::port_to(Address address) const {
  if (const int slot = pcie::slot_with(config_.slots, address); slot >= 0) return slot_port(slot);
  for (std::size_t i = 0; i < config_.remotes.size(); ++i)
    if (lies_in(address, Address::at(config_.remotes[i].window_base), config_.remotes[i].window_size))
      return remote_ports_[i];
  for (std::size_t i = 0; i < config_.bridges.size(); ++i)
    if (lies_in(address, Address::at(config_.bridges[i].window_base), config_.bridges[i].window_size))
      return first_bridge_ + static_cast<int>(i);
  return lies_in(address, Address::at(config_.memory_base), config_.memory_size) ? memory_port() : -1;
}

bool RootComplex::card_has(Address address) const {
  const int p = port_to(address);
  if (p < 0 || !is_remote(p)) return p >= 0 && is_io(p);
  const RootComplex* other = beyond_[static_cast<std::size_t>(p - first_remote_)];
  const int there = other == nullptr ? -1 : other->port_to(address);
  return there >= 0 && other->is_io(there);
}

bool RootComplex::peer_across(int in, int out, Address address) const {
  return is_io(in) && is_remote(out) && card_has(address);
}

std::string RootComplex::peer_refusal(const net::Device& card, Address address) const {
  const net::Channel* top = pcie::link_above_switches(card);
  if (top == nullptr || &top->destination() != this) return fmt::format("{} is in no slot of {}", card.name(), name());
  const int in = top->destination_port();
  const int out = port_to(address);
  if (out < 0) return fmt::format("{}: no device answers at address {}", name(), to_string(address));
  if (const std::string why = completion_refusal(in, out); !why.empty()) return why;
  if (config_.peer.across_qpi == AcrossQpi::forwarded || !peer_across(in, out, address)) return {};
  return fmt::format(
      "the way from {} to the card at address {} crosses QPI ({}.{}), and \"peer_across_qpi\" of {} is \"refused\"",
      card.name(), to_string(address), name(), ports()[static_cast<std::size_t>(out)].name(), name());
}

std::string RootComplex::completion_refusal(int in, int out) const {
  if (!is_slot(out) || !ports()[static_cast<std::size_t>(out)].connected()) return {};
  const net::Port& asked = ports()[static_cast<std::size_t>(out)];
  const net::Port& asks = ports()[static_cast<std::size_t>(in)];
  const Bytes most = std::min(config_.peer.read_size, asked.max_payload());
  if (most <= asks.max_payload()) return {};
  return fmt::format(
      "completions of {} from {} (\"peer_read_size\" of {}) do not fit the link at {}.{}, whose "
      "max_payload_size is {}",
      to_string(most), asked.channel().destination().name(), name(), name(), asks.name(),
      to_string(asks.max_payload()));
}

const net::Port* RootComplex::port_for(Address address) const {
  const int out = port_to(address);
  if (out < 0 || !ports()[static_cast<std::size_t>(out)].connected()) return nullptr;
  return &ports()[static_cast<std::size_t>(out)];
}

std::string RootComplex::route_refusal(int out, Address address) const {
  if (out < 0) return fmt::format("no device answers at address {}", to_string(address));
  return fmt::format("nothing is connected to {} for address {}", ports()[static_cast<std::size_t>(out)].name(),
                     to_string(address));
}

const RootComplex* root_complex_above(const net::Device& card) {
  const net::Channel* top = pcie::link_above_switches(card);
  constexpr int most_passages = 8;  // a bus, its bridge, a link: with room
  for (int i = 0; top != nullptr && i < most_passages; ++i) {
    const net::Device& above = top->destination();
    const auto* passage = dynamic_cast<const Passage*>(&above);
    if (passage == nullptr) return dynamic_cast<const RootComplex*>(&above);
    top = passage->towards_host().connected() ? &passage->towards_host().channel() : nullptr;
  }
  return nullptr;
}

}  // namespace tsunagi::host
