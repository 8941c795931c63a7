// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// XXH3-128 of the rows' canonical text, as 32 hexadecimal digits. Rows hold integers and
/// text only, so it is the same on every machine and compiler. Derived rates do not enter.
std::string digest(const Rows& rows);

}  // namespace tsunagi::report
