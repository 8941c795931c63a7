// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "units/rate.hpp"

namespace tsunagi::comm {

/// A closed form that no bandwidth between two ranks can beat, from the parts on the way.
struct Ceiling {
  std::string name;  // "link payload, node0.peach2.e"
  Rate rate;
};

}  // namespace tsunagi::comm
