// SPDX-License-Identifier: Apache-2.0
#include "cluster/catalogs.hpp"

#include "models/catalog.hpp"
#include "models/libraries/catalog.hpp"
#include "scenarios/scenario.hpp"
#include "topo/graph.hpp"
#include "topo/routes/catalog.hpp"

namespace tsunagi {

namespace {

template <class Entries>
config::KindTable table(const char* family, const Entries& entries) {
  config::KindTable t;
  t.family = family;
  for (const auto& e : entries) t.kinds.push_back(e.kind);
  return t;
}

}  // namespace

const config::Kinds& all_kinds() {
  static const config::Kinds kinds = [] {
    config::Kinds k;
    k.add(table("device", model_catalog().devices));
    k.add(table("wire", model_catalog().wires));
    k.add(table("topology", topo::catalog()));
    k.add(table("routes", topo::routes_catalog()));
    k.add(table("library", libraries::catalog()));
    k.add(table("scenario", scenarios::catalog()));
    return k;
  }();
  return kinds;
}

}  // namespace tsunagi
