// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_networks.hpp"

#include "config/error_at.hpp"
#include "models/libraries/pm/pm_ethernet.hpp"
#include "models/libraries/pm/pm_infiniband.hpp"
#include "models/libraries/pm/pm_myrinet.hpp"

namespace tsunagi::libraries {

namespace {

/// Calls `what(config)` with that of the network.
template <class F>
auto with_config(const config::AnyConfig& pm, F&& what) {
  if (pm.empty()) throw config::error_at("/library/pm", "no PM is named: one of pm, pm_ethernet, pm_myrinet");
  if (pm.kind() == "pm") return what(pm.as<PmInfiniBandConfig>());
  if (pm.kind() == "pm_ethernet") return what(pm.as<PmEthernetConfig>());
  if (pm.kind() == "pm_myrinet") return what(pm.as<PmMyrinetConfig>());
  throw config::error_at("/library/pm", "is library " + pm.kind() + ", none of pm, pm_ethernet, pm_myrinet");
}

std::unique_ptr<PmNetwork> network(const PmInfiniBandConfig& c, Machine& m) {
  return std::make_unique<PmInfiniBand>(c, m);
}
std::unique_ptr<PmNetwork> network(const PmEthernetConfig& c, Machine& m) { return std::make_unique<PmEthernet>(c, m); }
std::unique_ptr<PmNetwork> network(const PmMyrinetConfig& c, Machine& m) { return std::make_unique<PmMyrinet>(c, m); }

}  // namespace

const PmBuffersConfig& pm_buffers(const config::AnyConfig& pm) {
  return *with_config(pm, [](const PmBuffersConfig& c) { return &c; });
}

std::unique_ptr<PmNetwork> make_pm_network(const config::AnyConfig& pm, Machine& m) {
  return with_config(pm, [&m](const auto& c) { return network(c, m); });
}

}  // namespace tsunagi::libraries
