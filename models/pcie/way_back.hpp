// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace tsunagi::pcie {

/// What a request carries so that its completions find the way back: the ports by which it came into the devices that
/// passed it on, the last one on top. Each device has a base of its own, above all numbers that it pushes, and takes
/// off what it put there; who asked finds the way as it was.
inline void push_port(std::uint32_t& way, int port, int base) {
  const std::uint64_t longer = std::uint64_t{way} * static_cast<unsigned>(base) + static_cast<unsigned>(port);
  if (longer > std::numeric_limits<std::uint32_t>::max())
    throw std::runtime_error("a read crosses too many root complexes and switches");
  way = static_cast<std::uint32_t>(longer);
}

inline int pop_port(std::uint32_t& way, int base) {
  const auto port = static_cast<int>(way % static_cast<unsigned>(base));
  way /= static_cast<unsigned>(base);
  return port;
}

}  // namespace tsunagi::pcie
