// SPDX-License-Identifier: Apache-2.0
#include "sweep/text.hpp"

namespace tsunagi::sweep {

nlohmann::ordered_json json_value(const std::string& coordinate) {
  auto out = nlohmann::ordered_json::parse(coordinate, nullptr, false);
  return out.is_discarded() ? nlohmann::ordered_json(coordinate) : out;
}

std::string json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tsunagi::sweep
