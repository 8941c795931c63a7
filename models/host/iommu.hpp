// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "models/host/io_tlb.hpp"
#include "net/device.hpp"
#include "sim/timer.hpp"

namespace tsunagi::host {

/// Holds requests that came by slots of a root complex until their pages are translated (IoTlb). Of one port, writes
/// leave in the order in which they came, and no read before a write that came before it (Base Specification 2.4.1);
/// reads overtake each other, and writes overtake reads. What comes at one instant is looked up in the order of the
/// ports.
class Iommu {
 public:
  /// Takes what came by port `in` and may go on now.
  using Pass = std::function<void(int in, net::Delivery)>;

  Iommu(net::Device& owner, const IommuConfig& c, int ports, Pass pass);
  /// A request, alone, that has come by port `in` now. Keeps its buffer space until it goes on.
  void request(int in, net::Delivery d);
  bool busy() const { return !arrived_.empty() || !held_.empty(); }

 private:
  struct Request {
    int in = 0;
    Time ready;
    net::Delivery delivery;
  };
  void look_up();
  void translate(Request r);
  void pass_ready();

  net::Device& owner_;
  IoTlb tlb_;
  Pass pass_;
  std::vector<Time> posted_ready_;  // of each port: when its writes so far go on
  std::vector<Request> arrived_;    // now, in the order of the ports
  std::vector<Request> held_;       // the next one that goes on last
  sim::Timer<&Iommu::look_up> look_up_alarm_{*this, sim::Phase::grant};
  sim::Timer<&Iommu::pass_ready> ready_alarm_{*this};
};

}  // namespace tsunagi::host
