// SPDX-License-Identifier: Apache-2.0
#include "config/describe.hpp"

namespace tsunagi::config {

const Kind* KindTable::find(std::string_view name) const {
  for (const Kind& k : kinds) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

const KindTable* Kinds::find(std::string_view family) const {
  for (const KindTable& t : tables_) {
    if (t.family == family) return &t;
  }
  return nullptr;
}

}  // namespace tsunagi::config
