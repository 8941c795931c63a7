// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/library.hpp"
#include "config/describe.hpp"
#include "config/message.hpp"
#include "machine/machine.hpp"
#include "topo/graph.hpp"

namespace tsunagi::libraries {

/// One line of the catalog of communication libraries.
struct LibraryKind {
  config::Kind kind;
  std::function<std::unique_ptr<comm::Library>(const config::AnyConfig&, Machine&)> build;
  /// What is odd about it on a machine, but works, as warnings at the run's pointers; null: nothing is.
  std::function<std::vector<config::Message>(const config::AnyConfig&, const topo::Graph&)> oddities = {};
};

/// That of a library L, made of a config C.
template <class L, class C>
LibraryKind library(const char* name, const char* doc) {
  return {config::kind<C>(name, doc),
          [](const config::AnyConfig& c, Machine& m) { return std::make_unique<L>(c.as<C>(), m); }};
}

/// All libraries, listed by hand in catalog.cpp.
const std::vector<LibraryKind>& catalog();

/// The line of a library's config. Throws std::logic_error if there is none.
const LibraryKind& entry(const config::AnyConfig& c);

/// The library of a run on its machine.
std::unique_ptr<comm::Library> build(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
