// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "units/bytes.hpp"

namespace tsunagi::comm {

/// A piece of a rank's memory: from where, how much, where it lies ("gpu0"; empty: the rank's host memory), and by
/// which of the library's methods to move it (empty: the library's choice).
struct Buffer {
  Bytes offset;
  Bytes size;
  std::string place;
  std::string method;
  /// Where at the peer a message goes to, at the same offset; empty: its host memory.
  std::string target = {};
};

/// Whether a place is a rank's host memory.
inline bool is_host(const std::string& place) { return place.empty() || place == "host"; }

}  // namespace tsunagi::comm
