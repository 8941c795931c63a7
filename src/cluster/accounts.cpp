// SPDX-License-Identifier: Apache-2.0
#include "cluster/accounts.hpp"

namespace tsunagi {

report::Accounts accounts_of(const comm::Communicator& library) {
  const comm::Accounts& counted = library.accounts();
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

}  // namespace tsunagi
