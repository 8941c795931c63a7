// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_lanai_node.hpp"

#include <vector>

#include "config/error_at.hpp"
#include "models/libraries/reach.hpp"
#include "models/process/node_part.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using myrinet::ReceiveEvent;
using myrinet::SendDescriptor;

PmLanaiNode::PmLanaiNode(const PmMyrinetConfig& c, Machine& m, const std::string& prefix)
    : HostProcess(m, prefix, c.core, c.memory),
      config_(c),
      card_(&process::node_part<myrinet::LanaiCard>(m, prefix, c.card, "card")) {
  if (!card_->network_port().connected())
    throw config::error_at("/machine", card_->name() + ": nothing is connected to \"net\"");
  if (card_->reliable() == nullptr)
    throw config::error_at("/machine", card_->name() + " has firmware that moves packets: library pm_myrinet needs " +
                                           "\"firmware\": \"reliable\"");
  const Bytes room = card_->network_port().max_payload() - myrinet::Lead::size;
  if (c.longest > room)
    throw config::error_at("/library/longest", "messages of " + to_string(c.longest) + ", of which a packet of " +
                                                   card_->name() + " holds " + to_string(room));
  process::claim(*card_);
  incoming_ = areas().take("receive buffers", c.receive_memory);
  outgoing_ = areas().take("send buffers", c.send_memory);
  events_ = areas().take("events", ReceiveEvent::size * events());
  card_->set_events(events_.base, events());
}

void PmLanaiNode::close() {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  keep_areas();
  const net::Port& bus = core().ports().front();
  const net::Port& slot = card_->ports().front();
  refuse(reach_refusal(bus, user_base(), memory(), host::Core::line));
  refuse(reach_refusal(bus, card_->receive_entry(), *card_, host::Core::line));
  refuse(reach_refusal(slot, user_base(), memory(), slot.max_payload()));
  for (int i = 0; i < buffers(); ++i) card_->preset_receive(described(i));
}

void PmLanaiNode::post(Fiber& f, int to, myrinet::Request what, std::uint64_t local, std::uint64_t remote, Bytes n) {
  SendDescriptor d;
  d.number = ++posted_;
  d.address = local;
  d.remote = remote;
  d.length = static_cast<std::uint32_t>(n.count());
  d.type = static_cast<std::uint32_t>(what);
  d.destination = static_cast<std::uint16_t>(to);
  const auto bytes = d.encode();
  core().execute_and_store(f, "post a request", config_.post_cycles,
                           {{card_->send_entry(d.number), {bytes.data(), bytes.size()}}});
}

host::Core::Polled PmLanaiNode::next_event() const {
  const std::uint32_t number = seen_ + 1;
  const std::uint64_t event =
      events_.base + unsigned_of(ReceiveEvent::size) * (seen_ % static_cast<unsigned>(events()));
  return {event + unsigned_of(ReceiveEvent::size), 4_B, [number](std::uint64_t said) { return said == number; }};
}

ReceiveEvent PmLanaiNode::next(Fiber& f) {
  const host::Core::Polled word = next_event();
  await(f, word);
  core().execute(f, "take an event", config_.poll_cycles);
  const std::vector<std::uint8_t> bytes =
      memory().bytes(word.end - unsigned_of(ReceiveEvent::size), ReceiveEvent::size);
  ++seen_;
  return ReceiveEvent::decode(bytes.data());
}

void PmLanaiNode::release(Fiber& f, int buffer) {
  const auto bytes = described(buffer).encode();
  core().execute_and_store(f, "post a receive buffer", config_.post_cycles,
                           {{card_->receive_entry(), {bytes.data(), bytes.size()}}});
}

}  // namespace tsunagi::libraries
