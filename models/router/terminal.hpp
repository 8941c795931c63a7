// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/router/cutter.hpp"
#include "models/router/link.hpp"

namespace tsunagi::router {

/// Which wires a terminal is made for.
enum class Medium : std::uint8_t { link, ethernet };

struct TerminalConfig {
  Medium wire = Medium::link;
  Frequency clock{1'000'000'000};
  int send_latency = 1;
  int receive_latency = 1;
};
void describe(TerminalConfig& c, config::Describer& d);

/// The network interface of one rank: cuts messages into packets of the wire's largest payload, queues without
/// limit (open loop) and takes in packets as fast as the wire brings them. A message waits as what it is: its packets
/// are made as the ones before leave. Its port is "net".
class Terminal final : public net::Device {
 public:
  /// Hears of what arrives.
  class Sink {
   public:
    virtual ~Sink() = default;
    /// The packets of `p` (a train or one) are here, the last byte at `tail`: now or, of a train and of whoever hears
    /// ahead, later.
    virtual void arrived(const flow::Packet& p, Time tail) = 0;
    /// Whether it may hear of packets as soon as it is known when they are here: nobody is woken for that.
    virtual bool hears_ahead() const { return false; }
  };

  /// Throws config::ConfigError if the topology did not place it.
  Terminal(DeviceArgs args, const TerminalConfig& c);
  ~Terminal() override;
  void receive(int port, net::Delivery&& d) override;
  bool takes_ahead(int /*port*/, const flow::Packet& /*p*/) const override {
    return sink_ != nullptr && sink_->hears_ahead();
  }

  int place() const { return place_; }
  void set_sink(Sink& sink) { sink_ = &sink; }
  /// Sends `n` bytes (> 0) as transfer `origin` to the terminal at place `to`, packet by packet or in trains. `owner`
  /// hears when packets are on the wire; it must outlive that.
  void send(int to, Bytes n, std::uint32_t origin, net::SlotOwner& owner);
  /// The same to `copies` terminals at once, from place `first` on, the first behind the last: the router where they
  /// all are makes the copies. Throws std::runtime_error if they are not at one.
  void multicast(int first, int copies, Bytes n, std::uint32_t origin, net::SlotOwner& owner);
  /// Packets of a message of `n` bytes, or pieces of them where they travel as worms.
  std::int64_t packets_of(Bytes n) const;
  const net::WireSpec& wire() const { return ports().front().channel().wire(); }
  const topo::Network& network() const { return *network_; }

 private:
  class Message;
  void send(const Header& h, Bytes n, std::uint32_t origin, net::SlotOwner& owner);
  /// Where routes are adaptive the mix of packet `number` of this terminal is its own.
  Header header_of_packet(const Header& h, std::uint64_t number) const;
  /// Of its wire if that is a link: packets may be cut into flits there.
  const LinkFraming* framing() const {
    return medium_ == Medium::link ? static_cast<const LinkFraming*>(wire().framing.get()) : nullptr;
  }
  /// That messages are spread over: on Ethernet, one.
  int virtual_channels() const { return medium_ == Medium::link ? wire().framing->classes() : 1; }
  int place_;
  Clock clock_;
  int max_train_;
  Medium medium_;
  bool adaptive_;
  std::uint64_t packets_ = 0;  // sent over adaptive routes, or to be sent
  std::shared_ptr<const topo::Network> network_;
  Sink* sink_ = nullptr;
  std::vector<std::unique_ptr<Message>> messages_;  // parts of which wait, and free ones
  std::vector<Message*> free_;
};

}  // namespace tsunagi::router
