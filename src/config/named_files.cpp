// SPDX-License-Identifier: Apache-2.0
#include "config/named_files.hpp"

#include <utility>

namespace tsunagi::config {

namespace {

NamedFiles& known() {
  static NamedFiles named;
  return named;
}

}  // namespace

void set_named_files(NamedFiles named) { known() = std::move(named); }

std::optional<std::filesystem::path> named_file(const std::string& name, const std::string& pointer,
                                                std::string& hint) {
  if (!known() || name.find_first_of("/.") != std::string::npos) return std::nullopt;
  return known()(name, pointer, hint);
}

}  // namespace tsunagi::config
