// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flow/packet.hpp"
#include "net/channel.hpp"
#include "net/wait.hpp"
#include "sim/module.hpp"

namespace tsunagi::net {

/// A device's end of a wire.
class Port {
 public:
  /// `name` must outlive it.
  Port(const std::string& name, std::shared_ptr<const PortSpec> spec) : name_(&name), spec_(std::move(spec)) {}
  const std::string& name() const { return *name_; }
  const PortSpec& spec() const { return *spec_; }
  bool connected() const { return out_ != nullptr; }
  void connect(Channel& out, Channel& in) {
    out_ = &out;
    in_ = &in;
  }
  /// Queues `d` for the wire as source `source` (0 .. spec().sources - 1). The schedule says when
  /// the bytes are there; the slot is given back as they leave.
  void send(int source, Delivery&& d) { out_->offer(source, std::move(d)); }
  /// The same, and behind it what `more` has (Channel::offer).
  void send(int source, Delivery&& d, Supply& more, std::uint64_t order) {
    out_->offer(source, std::move(d), more, order);
  }
  std::uint64_t take_orders(std::uint64_t n) { return out_->take_orders(n); }
  /// Largest payload that the wire carries in one packet.
  Bytes max_payload() const { return out_->wire().max_payload; }
  const Channel& channel() const { return *out_; }
  /// The opposite one, which ends here.
  const Channel& incoming() const { return *in_; }
  /// What comes by this port takes at least so long from its sender's grant.
  Time least_latency() const { return in_ == nullptr ? Time::max() : in_->least_latency(); }
  /// Whether a packet that was sent now would leave at once (Channel::takes), and who hears when that may change.
  bool takes(const flow::Packet& p) { return out_->takes(p); }
  void tell_space(SpaceListener& listener) { out_->tell_space(listener); }
  /// If `p`, which has come by this port now, is a PAUSE: what is sent by the port waits for so long, or no longer
  /// (Channel::hold); what is on the wire goes on. Returns whether it was one.
  bool obey_pause(const flow::Packet& p, Time now) {
    const WireSpec& wire = out_->wire();
    const auto quiet = wire.framing->pause(p);
    if (quiet) out_->hold(0, now + wire.rate.time(*quiet));
    return quiet.has_value();
  }
  /// What finds no room to wait for this port is dropped.
  void drop(const flow::Packet& p) { out_->drop(p); }
  /// A packet that has come by this port is of no use to the device: counted as what its buffer has no room for.
  void drop_received(const flow::Packet& p) { in_->drop(p); }
  void drop_reserve() { out_->drop_reserve(); }
  void add_reserve(int packets) { out_->add_reserve(packets); }
  void count_backlog() { out_->count_backlog(); }
  /// When a packet can come by this port at the earliest; max: nothing is connected.
  Time next_arrival() const { return in_ == nullptr ? Time::max() : in_->next_arrival(); }

 private:
  const std::string* name_;
  std::shared_ptr<const PortSpec> spec_;
  Channel* out_ = nullptr;
  Channel* in_ = nullptr;
};

/// A part of a machine. Learns only from packets that it receives.
class Device : public sim::Module {
 public:
  Device(sim::Simulation& sim, flow::PacketPool& pool, const sim::ModuleName& name) : Module(sim, name), pool_(pool) {}

  std::vector<Port>& ports() { return ports_; }
  const std::vector<Port>& ports() const { return ports_; }
  /// Index of the port of that name, or -1.
  int find_port(const std::string& name) const {
    for (std::size_t i = 0; i < ports_.size(); ++i)
      if (ports_[i].name() == name) return static_cast<int>(i);
    return -1;
  }
  /// All wires are connected; checks what the config alone cannot say. Throws config errors.
  virtual void wired() {}
  /// A delivery is here, to be moved from: its schedule says when its bytes have passed the port's receive pipeline;
  /// the first head is now, or later if the device takes it ahead.
  virtual void receive(int port, Delivery&& d) = 0;
  /// No packet that port `port` has not been given yet by its source `source` will be ready earlier. The default is
  /// always true; a later time lets the port hand on more at once (Channel).
  virtual Time next_offer(int /*port*/, int /*source*/) const { return now(); }
  /// The same for all sources of a port, at once: looked at first, and alone where a port has many.
  virtual Time next_offer(int /*port*/) const { return now(); }
  /// Whether `receive` may be called for such a packet before its head is there. Then the schedule alone says when.
  virtual bool takes_ahead(int /*port*/, const flow::Packet& /*p*/) const { return false; }
  /// Who hears of this device's stages from now on.
  void set_listener(Listener& listener) { listener_ = &listener; }
  /// Tells a stage of `item` if somebody listens and it takes time. Parts of a device use it, too.
  void tell(std::uint64_t item, std::uint64_t parent, Stage stage, const char* name, Time begin, Time end) const {
    if (listener_ != nullptr && end > begin) listener_->stage({item, parent, stage, name, name_view(), begin, end});
  }
  /// Packet or train `p`, which begins at `at` because of `why`, ready to be sent: all of it is there then.
  Delivery begin(flow::PacketPtr p, const Wait& why, Time at) const {
    p->parent = why.since.packet;
    tell(p->id, p->parent, why.stage, why.what, why.since.when, at);
    Schedule there = Schedule::at(at, p->count);
    return {std::move(p), std::move(there), {}};
  }
  /// A number for a step that is no packet, in one numbering with the packets.
  std::uint64_t make_item() { return pool_.take_id(); }
  /// Whoever programs the device's registers takes it; false: another driver has.
  bool claim() { return !std::exchange(claimed_, true); }
  /// After the run: what the device still holds ("" if nothing), for the conservation check.
  virtual std::string leftover() const { return {}; }

 protected:
  void add_port(PortSpec spec) {
    std::string name = std::move(spec.name);
    add_port(std::move(name), std::make_shared<const PortSpec>(std::move(spec)));
  }
  /// Ports that differ in nothing but their names share one spec.
  void add_port(std::string name, std::shared_ptr<const PortSpec> spec) {
    ports_.emplace_back(simulation().shared_text(std::move(name)), std::move(spec));
  }
  Port& port(int i) { return ports_[static_cast<std::size_t>(i)]; }
  flow::PacketPool& pool() const { return pool_; }

 private:
  std::vector<Port> ports_;
  flow::PacketPool& pool_;
  Listener* listener_ = nullptr;
  bool claimed_ = false;
};

}  // namespace tsunagi::net
