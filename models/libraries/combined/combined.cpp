// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"

namespace tsunagi::libraries {

namespace {

struct CombinedConfig {
  config::AnyConfig halo;
  config::AnyConfig rest;
};

std::unique_ptr<comm::Library> one_of_two(const config::AnyConfig& c, const std::string& field, Machine& m) {
  const std::string place = "/library/" + field;
  if (c.empty()) throw config::error_at(place, "library combined needs two others: \"halo\" and \"rest\"");
  std::unique_ptr<comm::Library> out = build(c, m);
  if (out->halo() != nullptr) throw config::error_at(place, "library combined is of libraries that are not combined");
  return out;
}

void describe(CombinedConfig& c, config::Describer& d) {
  d.any("halo", c.halo, "library", "the library that halo exchanges go by");
  d.any("rest", c.rest, "library", "the library of all else: collectives, other messages");
}

/// Two libraries in one run: halo exchanges go by `halo`, all else by `rest` (Library::halo). They share the
/// ranks' cores and memories; a card belongs to one of them. Throws config::ConfigError if their ranks are not on the
/// same cores, if both program one card (one GPU's copy engines: when the second one first does), or if both need their
/// ranks until the end: then one would not make progress while the other waits.
std::unique_ptr<comm::Library> make_combined(const config::AnyConfig& any, Machine& m) {
  const auto& c = any.as<CombinedConfig>();
  // Its areas lie behind those of `rest`, which is asked how much memory is left for programs.
  std::unique_ptr<comm::Library> halo = one_of_two(c.halo, "halo", m);
  std::unique_ptr<comm::Library> rest = one_of_two(c.rest, "rest", m);
  if (halo->ranks() != rest->ranks())
    throw config::error_at("/library", "library " + c.halo.kind() + " has " + std::to_string(halo->ranks()) +
                                           " ranks, " + c.rest.kind() + " " + std::to_string(rest->ranks()));
  for (int rank = 0; rank < rest->ranks(); ++rank)
    if (halo->place(rank) != rest->place(rank))
      throw config::error_at("/library", "rank " + std::to_string(rank) + " is on " + halo->place(rank) +
                                             " in library " + c.halo.kind() + ", on " + rest->place(rank) + " in " +
                                             c.rest.kind());
  if (halo->needs_ranks() && rest->needs_ranks())
    throw config::error_at("/library", "libraries " + c.halo.kind() + " and " + c.rest.kind() +
                                           " both need their ranks until the end of the run");
  rest->set_halo(std::move(halo));
  return rest;
}

}  // namespace

LibraryKind combined_library() {
  return {config::kind<CombinedConfig>("combined", "two libraries in one run: one of halo exchanges, one of the rest"),
          make_combined};
}

}  // namespace tsunagi::libraries
