// SPDX-License-Identifier: Apache-2.0
#include "net/link.hpp"

#include "net/device.hpp"

namespace tsunagi::net {

Link::Link(sim::Simulation& sim, const sim::ModuleName& name, const WireSpec& wire, WireEnd a, WireEnd b,
           Foresight& foresight, std::uint32_t number, std::uint32_t like)
    : Module(sim, name),
      there_(sim.agenda(), wire, a.spec(), b.spec(), foresight, number, like),
      forward_(a, b, there_, foresight.ahead()),
      back_(sim.agenda(), wire, b.spec(), a.spec(), foresight, number + 1, like + 1),
      backward_(b, a, back_, foresight.ahead()) {
  there_.set_opposite(back_);
  back_.set_opposite(there_);
  a.device->ports()[static_cast<std::size_t>(a.port)].connect(forward_, backward_);
  b.device->ports()[static_cast<std::size_t>(b.port)].connect(backward_, forward_);
}

void Link::seed_errors(std::uint64_t seed) {
  if (forward_.wire().bit_error_rate == 0) return;
  there_.transmitter().seed_errors(seed, ends() + " >");
  back_.transmitter().seed_errors(seed, ends() + " <");
}

void Link::set_listener(Listener& listener) {
  forward_.set_listener(listener);
  backward_.set_listener(listener);
}

}  // namespace tsunagi::net
