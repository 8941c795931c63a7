// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"

namespace tsunagi::libraries {

/// One line of the catalog of communication libraries.
struct Library {
  config::Kind kind;
  std::function<std::unique_ptr<comm::Communicator>(const config::AnyConfig&, Machine&)> build;
};

const std::vector<Library>& catalog();

/// The library of a run on its machine.
std::unique_ptr<comm::Communicator> build(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
