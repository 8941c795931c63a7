// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "units/bytes.hpp"
#include "units/rate.hpp"

namespace tsunagi::comm {

/// A closed form from the parts on the way of messages from one rank to another: in a time t no more than `burst` and
/// t at that rate can pass.
struct Ceiling {
  std::string name;  // "link payload, node0.peach2.e"
  Rate rate;
  Bytes burst = {};
};

}  // namespace tsunagi::comm
