// SPDX-License-Identifier: Apache-2.0
#include "cluster/accounts.hpp"

namespace tsunagi {

report::Accounts accounts_of(const comm::Library& library) {
  const comm::Accounts counted = library.all_accounts();
  const auto copies = [&](comm::Copier by) {
    return report::CopyAccount{counted.copies(by).copies, counted.copies(by).bytes};
  };
  report::Accounts out;
  for (const comm::Accounts::Step& s : counted.steps()) out.steps.push_back({s.name, s.calls, s.total});
  out.messages = counted.messages();
  out.payload = counted.payload();
  out.by_core = copies(comm::Copier::core);
  out.by_dma = copies(comm::Copier::dma);
  return out;
}

void MachineMeter::open(Time begin, Time end) {
  window_ = end - begin;
  for (const auto& wire : machine_.wires())
    for (net::Channel* channel : {&wire->forward(), &wire->backward()}) channel->watch({begin, end});
}

report::WireAccount MachineMeter::read() const {
  std::vector<Time> busy;
  for (const auto& wire : machine_.wires())
    for (const net::Channel* channel : {&wire->forward(), &wire->backward()}) busy.push_back(channel->carried());
  return report::wire_account(window_, busy, [&](std::size_t i) {
    const net::Link& wire = *machine_.wires()[i / 2];
    const net::ChannelInfo info = (i % 2 == 0 ? wire.forward() : wire.backward()).info();
    return std::pair(info.from_device + "." + info.from_port, info.to_device + "." + info.to_port);
  });
}

}  // namespace tsunagi
