// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "units/address.hpp"
#include "units/bytes.hpp"
#include "units/length.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"

namespace tsunagi {
/// Failed comparisons print exact values.
inline std::ostream& operator<<(std::ostream& o, Time t) { return o << t.fs() << " fs"; }
inline std::ostream& operator<<(std::ostream& o, Address a) { return o << to_string(a); }
inline std::ostream& operator<<(std::ostream& o, Bytes b) { return o << b.count() << " B"; }
inline std::ostream& operator<<(std::ostream& o, Length l) { return o << l.um() << " um"; }
inline std::ostream& operator<<(std::ostream& o, Rate r) { return o << r.num() << "/" << r.den() << " fs a byte"; }
}  // namespace tsunagi
