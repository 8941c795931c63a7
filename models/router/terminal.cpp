// SPDX-License-Identifier: Apache-2.0
#include "models/router/terminal.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace tsunagi::router {

void describe(TerminalConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("wire", c.wire,
           {{"link", static_cast<std::int64_t>(Medium::link), "a link between routers"},
            {"ethernet", static_cast<std::int64_t>(Medium::ethernet), "Ethernet, to an Ethernet switch"}},
           "what it is wired by");
  d.field("clock", c.clock, "clock of the network interface", within(Frequency(1'000'000), Frequency(100'000'000'000)));
  d.field("send_latency", c.send_latency, "cycles from a message's posting to its head on the wire", within(0, 100000),
          ideal(0));
  d.field("receive_latency", c.receive_latency, "cycles from a packet's tail to its delivery", within(0, 100000),
          ideal(0));
}

/// A message of which parts wait. What waits by one virtual channel is cut by itself, and passes the packets of others.
class Terminal::Message final : public net::Supply {
 public:
  /// What all its packets have.
  struct Common {
    Header header;
    std::uint32_t origin = 0;
    net::SlotOwner* owner = nullptr;
    Time posted;
    std::uint32_t born = 0;   // AgedHeader::born
    std::uint64_t first = 0;  // number of the first packet
  };
  explicit Message(Terminal& t) : terminal_(t) {}
  void begin(const Common& c, const Cutter& whole) {
    common_ = c;
    whole_ = whole;
    ways_.clear();
    open_ = 0;
  }
  bool is_one_piece() const {
    Cutter c = *whole_;
    c.next();
    return c.done();
  }
  flow::FlowClass first_class() const { return terminal_.header_of_packet(common_.header, common_.first).vc; }
  /// Whether anything goes by `vc`; then the first of it is put into `next`.
  bool start(flow::FlowClass vc, Next& next) {
    ways_.push_back({vc, *whole_, {}, 0, 0});
    if (!find(ways_.back(), next)) return false;
    ++open_;
    return true;
  }
  bool next(flow::FlowClass vc, Next& next) override {
    if (find(*std::find_if(ways_.begin(), ways_.end(), [vc](const Way& w) { return w.vc == vc; }), next)) return true;
    if (--open_ == 0) terminal_.free_.push_back(this);
    return false;
  }

 private:
  struct Way {
    flow::FlowClass vc;
    Cutter cutter;
    Bytes done;
    std::uint64_t pieces;  // cut
    std::uint64_t found;   // of them, how many up to the last one that goes by `vc`
  };
  bool find(Way& w, Next& next) const {
    while (!w.cutter.done()) {
      const Header h = terminal_.header_of_packet(common_.header, common_.first + w.pieces);
      const Cutter::Piece p = w.cutter.next();
      const Bytes at = w.done;
      w.done += p.each * (p.count - 1) + p.last;
      const std::uint64_t i = w.pieces++;
      if (h.vc != w.vc) continue;
      next.later = i - w.found;
      w.found = i;
      next.delivery = make(h, p, at);
      return true;
    }
    return false;
  }
  net::Delivery make(const Header& h, const Cutter::Piece& p, Bytes at) const {
    net::Delivery d;
    d.packet = terminal_.pool().make();
    d.packet->set_train(p.count, p.each, p.last);
    d.packet->origin = common_.origin;
    d.packet->origin_offset = static_cast<std::uint64_t>(at.count());
    d.packet->header<AgedHeader>().born = common_.born;
    Header& header = d.packet->header<Header>();
    header = h;
    header.more = p.more;
    header.body = p.body;
    d.schedule.reserve(static_cast<std::size_t>(p.count));
    for (std::int32_t i = 0; i < p.count; ++i) d.schedule.push_back({common_.posted, common_.posted});
    d.slot = net::Slot(*common_.owner, h.vc, {1, 0}, p.count);
    return d;
  }

  Terminal& terminal_;
  Common common_;
  std::optional<Cutter> whole_;
  std::vector<Way> ways_;
  int open_ = 0;  // of them
};

Terminal::Terminal(DeviceArgs args, const TerminalConfig& c)
    : Device(args.sim, args.pool, args.name), clock_(c.clock), max_train_(args.max_train), medium_(c.wire) {
  const topo::Place* place = topo::place_as(topo::Place::Role::terminal, args.places);
  if (place == nullptr)
    throw config::error_at("/machine", name() +
                                           ": a terminal takes its place from a topology; in an explicit one, from " +
                                           "the \"networks\" that it is wired to");
  place_ = place->number;
  network_ = place->network;
  adaptive_ = network_->routes().adaptive() != nullptr;
  add_port("net", args.specs.of(c, 1, [&] {
    net::PortSpec p;
    p.protocol = c.wire == Medium::ethernet ? "ethernet" : "link";
    p.needed = true;
    p.tx.pipeline = {Clock(c.clock), c.send_latency, Time::zero()};
    p.rx.pipeline = {Clock(c.clock), c.receive_latency, Time::zero()};
    p.rx.trains = true;
    return p;
  }));
}

Terminal::~Terminal() = default;

void Terminal::receive(int, net::Delivery&& d) {
  if (medium_ == Medium::ethernet && port(0).obey_pause(*d.packet, now())) return;
  if (sink_ == nullptr) throw std::logic_error(name() + " has no library that takes packets");
  d.slot.release(d.schedule);
  sink_->arrived(*d.packet, d.schedule.back().tail);
}

void Terminal::send(int to, Bytes n, std::uint32_t origin, net::SlotOwner& owner) {
  send(header_of(place_, to, virtual_channels()), n, origin, owner);
}

void Terminal::multicast(int first, int copies, Bytes n, std::uint32_t origin, net::SlotOwner& owner) {
  if (copies < 1) throw std::runtime_error(name() + ": a multicast goes to somebody");
  for (int i = 0; i < copies; ++i)
    if (i == network_->terminals() ||
        network_->router_of((first + i) % network_->terminals()) != network_->router_of(first))
      throw std::runtime_error(name() + ": a multicast goes to terminals of one router, each once");
  Header h = header_of(place_, first, virtual_channels());
  h.copies = static_cast<std::uint16_t>(copies);
  send(h, n, origin, owner);
}

std::int64_t Terminal::packets_of(Bytes n) const {
  const Bytes largest = ports().front().max_payload();
  const std::int64_t whole = n / largest;
  const Bytes rest = n - largest * whole;
  const auto pieces = [this](Bytes payload) { return framing() == nullptr ? 1 : framing()->pieces(payload); };
  return whole * pieces(largest) + (rest > Bytes::zero() ? pieces(rest) : 0);
}

Header Terminal::header_of_packet(const Header& h, std::uint64_t number) const {
  if (!adaptive_) return h;
  Header out = h;
  const Header drawn = header_of(place_, static_cast<int>(h.destination), virtual_channels(), number);
  out.mix = drawn.mix;
  out.vc = drawn.vc;
  return out;
}

void Terminal::send(const Header& h, Bytes n, std::uint32_t origin, net::SlotOwner& owner) {
  const auto packets = static_cast<std::uint64_t>(packets_of(n));
  const Cutter cutter(n, port(0).max_payload(), framing(), adaptive_ ? 1 : max_train_);
  if (free_.empty()) free_.push_back(messages_.emplace_back(std::make_unique<Message>(*this)).get());
  Message& m = *free_.back();
  m.begin({h, origin, &owner, now(), static_cast<std::uint32_t>(clock_.index_at_or_after(now())), packets_}, cutter);
  if (adaptive_) packets_ += packets;
  net::Supply::Next first;
  if (m.is_one_piece()) {
    m.start(m.first_class(), first);
    return port(0).send(0, std::move(first.delivery));
  }
  free_.pop_back();
  const std::uint64_t order = port(0).take_orders(packets);
  const int classes = virtual_channels();
  for (int vc = adaptive_ ? 0 : h.vc; vc < (adaptive_ ? classes : h.vc + 1); ++vc)
    if (m.start(static_cast<flow::FlowClass>(vc), first))
      port(0).send(0, std::move(first.delivery), m, order + first.later);
}

}  // namespace tsunagi::router
