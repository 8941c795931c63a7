// SPDX-License-Identifier: Apache-2.0
// How messages about messages name them.
#pragma once

#include <string>

#include "comm/messages/matching.hpp"

namespace tsunagi::comm {

inline std::string who(const Envelope& e) {
  return "rank " + std::to_string(e.source) + " with tag " + std::to_string(e.tag);
}

inline std::string who(const Pattern& p) {
  return (p.source == any_source ? "any rank" : "rank " + std::to_string(p.source)) +
         (p.tag == any_tag ? " with any tag" : " with tag " + std::to_string(p.tag));
}

}  // namespace tsunagi::comm
