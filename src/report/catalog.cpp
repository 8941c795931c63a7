// SPDX-License-Identifier: Apache-2.0
// The outputs. To add one: write src/report/formats/foo.{hpp,cpp}, then one line here.
#include "report/catalog.hpp"

#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/formats/table.hpp"

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
