// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/machine.hpp"

namespace tsunagi {

/// Every device and wire that a machine can be made of.
const ModelCatalog& model_catalog();

}  // namespace tsunagi
