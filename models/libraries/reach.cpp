// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/reach.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/host/memory/memory.hpp"
#include "models/host/passage.hpp"
#include "models/host/root_complex.hpp"
#include "models/pcie/switch.hpp"
#include "models/peach2/peach2.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

constexpr int most_hops = 64;  // more than any way through two sockets and the chips of a sub-cluster

/// The port that a device passes writes on by that come by port `in`, and their address there; null: it keeps them, or
/// nobody has it.
const net::Port* onward(const net::Device& at, int in, std::uint64_t& address) {
  if (const auto* rc = dynamic_cast<const host::RootComplex*>(&at)) return rc->port_for(Address(address));
  if (const auto* s = dynamic_cast<const pcie::Switch*>(&at)) return s->port_for(in, Address(address));
  if (const auto* p = dynamic_cast<const host::Passage*>(&at)) return p->port_for(in, Address(address));
  const auto* chip = dynamic_cast<const peach2::Peach2*>(&at);
  if (chip == nullptr) return nullptr;
  Address there(address);
  const net::Port* by = chip->port_for(there);
  address = there.value();
  return by;
}

}  // namespace

Reach reach(const net::Port& out, std::uint64_t address, const net::Device& to, Bytes payload) {
  const std::uint64_t wanted = address;
  const net::Port* by = &out;
  for (int hops = 0; hops < most_hops; ++hops) {
    const net::Device& at = by->channel().destination();
    if (&at == &to) return {{}, address};
    const net::Port* next = onward(at, by->channel().destination_port(), address);
    if (next == nullptr)
      return {fmt::format("what is written to address {:#x} does not come to {}: it ends at {}", wanted, to.name(),
                          at.name())};
    if (payload > next->max_payload())
      return {fmt::format(
          "packets of up to {} come by {}, but the link at {}.{}, by which they have to leave, carries {}",
          to_string(payload), by->channel().end_name(), at.name(), next->name(), to_string(next->max_payload()))};
    by = next;
  }
  return {fmt::format("what is written to address {:#x} does not come to {}: it goes round in a circle at {}", wanted,
                      to.name(), by->channel().end_name())};
}

std::size_t peek(const net::Port& out, std::uint64_t address, std::uint8_t* to, std::size_t n) {
  const net::Port* by = &out;
  for (int hops = 0; by != nullptr && hops < most_hops; ++hops) {
    const net::Device& at = by->channel().destination();
    if (const auto* memory = dynamic_cast<const host::Memory*>(&at)) {
      const std::uint64_t offset = address - unsigned_of(memory->config().base);
      const std::uint64_t size = unsigned_of(memory->config().size);
      if (offset >= size || size - offset < n) return 0;
      const std::vector<std::uint8_t> bytes = memory->bytes(address, Bytes(static_cast<std::int64_t>(n)));
      std::copy(bytes.begin(), bytes.end(), to);
      return n;
    }
    by = onward(at, by->channel().destination_port(), address);
  }
  return 0;
}

}  // namespace tsunagi::libraries
