// SPDX-License-Identifier: Apache-2.0
// The outputs. To add one: write src/report/foo.{hpp,cpp}, then one line here.
#include "report/catalog.hpp"

#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace tsunagi::report {

const std::vector<Writer>& writers() {
  static const std::vector<Writer> all{
      {"table", "aligned columns for people, with units", table},
      {"csv", "comma-separated values; the header names the units", csv},
      {"json", "rows, resolved config, cost and digest", json},
  };
  return all;
}

const Writer* find_writer(std::string_view name) {
  for (const Writer& writer : writers())
    if (writer.name == name) return &writer;
  return nullptr;
}

}  // namespace tsunagi::report
