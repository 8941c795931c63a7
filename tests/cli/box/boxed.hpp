// SPDX-License-Identifier: Apache-2.0
// Matrices of servers, and what tests look for in them.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace tsunagi::test {

/// What `tsunagi box` says as JSON, of such arguments.
inline nlohmann::json boxed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "box");
  arguments.insert(arguments.end(), {"--configs", TSUNAGI_TEST_CONFIGS, "--format", "json"});
  const Ended end = run_program(arguments);
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  return nlohmann::json::parse(end.out);
}

inline nlohmann::json cell(const nlohmann::json& box, const std::string& from, const std::string& to,
                           const std::string& what) {
  for (const nlohmann::json& c : box.at("cells"))
    if (c.at("from") == from && c.at("to") == to && c.at("what") == what) return c;
  FAIL("no cell " << from << " > " << to << " " << what);
  return {};
}

inline double value(const nlohmann::json& box, const std::string& from, const std::string& to,
                    const std::string& what) {
  return cell(box, from, to, what).at("value").get<double>();
}

/// The causes that explain the first measured value.
inline std::vector<std::string> explaining(const nlohmann::json& box) {
  std::vector<std::string> out;
  for (const nlohmann::json& c : box.at("compared").at(0).at("causes"))
    if (c.at("explains").get<bool>()) out.push_back(c.at("cause"));
  return out;
}

inline bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// What explains one measured value: "gpu0,gpu1,one_way,12.3 GB/s".
inline std::vector<std::string> causes(const std::string& machine, const std::string& line) {
  const TemporaryFolder folder;
  const auto own = folder.write("own.csv", "from,to,what,value\n" + line + "\n");
  return explaining(boxed({machine, "--compare", own.string(), "--tolerance", "2"}));
}

}  // namespace tsunagi::test
