// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"

namespace tsunagi {

/// The kinds of all families: device, wire, topology, library, scenario.
const config::Kinds& all_kinds();

}  // namespace tsunagi
