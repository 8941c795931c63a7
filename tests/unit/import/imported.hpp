// SPDX-License-Identifier: Apache-2.0
// Files imported without any file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "import/catalog.hpp"
#include "support/catch.hpp"

namespace tsunagi::test {

inline importing::Imported imported(const std::string& text, const std::string& format = "") {
  return importing::import({"file", text, format, "machine", "parts"});
}

/// The machine as JSON, which it is but for its comments.
inline nlohmann::json machine_of(const importing::Imported& imported) {
  return nlohmann::json::parse(imported.machine, nullptr, true, true);
}

/// The devices or links of its one node.
inline nlohmann::json node_of(const importing::Imported& imported, const char* what) {
  return machine_of(imported)["topology"]["devices"]["node0"][what];
}

/// All that is wrong with a file, a line each; "" if nothing is.
inline std::string faults(const std::string& text, const std::string& format = "") {
  try {
    imported(text, format);
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return "";
}

/// Its warnings, a line each.
inline std::string warnings(const importing::Imported& imported) {
  std::string out;
  for (const config::Message& m : imported.warnings) out += m.line() + "\n";
  return out;
}

/// `text` n times.
inline std::string times(std::size_t n, const std::string& text) {
  std::string out;
  out.reserve(n * text.size());
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

}  // namespace tsunagi::test
