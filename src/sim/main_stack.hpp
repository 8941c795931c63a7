// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsunagi::sim {

/// Tells AddressSanitizer that we are on the main stack again; does nothing without it.
/// SystemC announces its switches to fibers, but names no bounds when it switches back: without this
/// every exception on the main stack leaves poison behind and later frames look like overflows.
void on_main_stack();

}  // namespace tsunagi::sim
