// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flow/ring.hpp"
#include "machine/machine.hpp"
#include "models/pcix/space_times.hpp"
#include "models/pcix/timing.hpp"
#include "sim/timer.hpp"

namespace tsunagi::pcix {

/// What has used a shared bus by one of its ports.
struct Use {
  std::int64_t transactions = 0;
  std::int64_t retries = 0;
  Bytes data;
  Time held;  // of the bus, from address phase to turnaround
};

/// A half-duplex bus: all its ports share one medium, which one of them owns at a time, for a transaction. Each port's
/// requests stand in front of it by class, one of each; a round-robin arbiter decides on an edge of its clock, as the
/// bus gets free, of what it knows by then. A transaction is one decision and one delivery, whatever its length.
class SharedBus : public net::Device, private net::SpaceListener {
 public:
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  bool takes_ahead(int port, const flow::Packet& p) const override {
    const int out = route(port, p);
    return out >= 0 && ports()[static_cast<std::size_t>(out)].connected();
  }
  std::string leftover() const override;
  const Use& use(int port) const { return use_[static_cast<std::size_t>(port)]; }
  const Clock& clock() const { return clock_; }

 protected:
  /// `arbitration`: clocks from a request at an idle bus to the address phase; behind a transaction it is hidden.
  SharedBus(const DeviceArgs& args, Clock clock, std::int64_t arbitration);

  /// The port that takes a packet that came by `in`; -1: nobody.
  virtual int route(int in, const flow::Packet& p) const = 0;
  /// Its clocks, behind a transaction of port `last`.
  virtual Clocks clocks(int in, int last, const flow::Packet& p) const = 0;
  /// What a transaction takes that whom it is for has no room for; none: it waits for room before it asks.
  virtual Clocks refused(const flow::Packet& /*p*/) const { return {}; }
  /// The port `in` got the bus for it, and `out` takes it.
  virtual void pass(int /*in*/, int /*out*/, flow::Packet& /*p*/) {}
  /// Nobody takes it.
  virtual void nobody(int in, net::Delivery d) = 0;

 private:
  static constexpr std::size_t most_classes = 3;
  struct Request {
    net::Delivery delivery;
    Time came;
    Time earliest;              // when it may have an idle bus
    std::uint64_t order = 0;    // in which requests came
    std::uint64_t refused = 0;  // in which they were refused; 0: it was not
    std::uint64_t behind = 0;   // transactions that there had been when it was refused last
    int out = -1;
  };
  /// What stands in front of a port.
  struct Requests {
    std::array<flow::Ring<Request>, most_classes> of_class;
    unsigned waiting = 0;  // a bit a class that has some
  };
  static std::size_t first_of(unsigned classes) { return static_cast<std::size_t>(__builtin_ctz(classes)); }

  void arbitrate();
  /// Gives the bus to a request of `in`, if one may have it; false: it has none.
  bool serve(int in, Time now);
  /// Whether the oldest request of that class may go now, and passes no older one of its port that it must not.
  bool may_go(int in, std::size_t c, Time now) const;
  /// Whether who it is for takes it: has room, which nobody waits for longer.
  bool taken(int in, std::size_t c, Request& r);
  void carry_out(int in, std::size_t c, Time now);
  void refuse(int in, std::size_t c, Time now);
  /// From now on, which is so many edges of the clock from its beginning.
  void hold(int in, const flow::Packet& p, Time came, Time now, std::int64_t edge, const Clocks& k);
  void space_freed(Time when) override;
  bool idle() const { return standing_ == 0; }

  Clock clock_;
  std::int64_t arbitration_;
  std::vector<Requests> requests_;  // by port
  int standing_ = 0;                // requests of all ports
  std::vector<Use> use_;
  std::vector<const char*> waits_;  // for observers: "bus held by …", by port
  Time free_;                       // the bus is, from then on
  int last_ = 0;                    // that had the bus
  SpaceTimes space_;                // at any port
  std::uint64_t orders_ = 0;
  std::uint64_t refusals_ = 0;
  std::uint64_t transactions_ = 0;
  sim::Timer<&SharedBus::arbitrate> alarm_{*this, sim::Phase::grant};
};

}  // namespace tsunagi::pcix
