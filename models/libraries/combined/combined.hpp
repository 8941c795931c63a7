// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"

namespace tsunagi::libraries {

struct CombinedConfig {
  config::AnyConfig halo;
  config::AnyConfig rest;
};
void describe(CombinedConfig& c, config::Describer& d);

/// Two libraries in one run: halo exchanges go by `halo`, all else by `rest` (Communicator::halo). They share the
/// ranks' cores and memories; a card belongs to one of them. Throws config::ConfigError if their ranks are not on the
/// same cores, if both program one card (one GPU's copy engines: when the second one first does), or if both need their
/// ranks until the end: then one would not make progress while the other waits.
std::unique_ptr<comm::Communicator> make_combined(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
