// SPDX-License-Identifier: Apache-2.0
// For src/sim and models/tlm: whoever includes it sees SystemC.
#pragma once

#include <cstdint>
#include <systemc>

#include "units/time.hpp"

namespace tsunagi::sim {

// Exact, because the kernel's resolution is 1 fs (Simulation).
inline sc_core::sc_time to_sc(Time t) { return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.fs())); }
inline Time from_sc(const sc_core::sc_time& t) { return Time::from_fs(static_cast<std::int64_t>(t.value())); }

}  // namespace tsunagi::sim
