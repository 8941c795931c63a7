// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flow/cause.hpp"
#include "models/sr8000/header.hpp"
#include "models/sr8000/ways.hpp"

namespace tsunagi::sr8000 {

/// The AND of a crossbar's inputs, for each colour and box of nodes: who has come to a barrier, until all of the box's
/// places of the line have.
class Barrier {
 public:
  explicit Barrier(int places) : places_(places), come_(static_cast<std::size_t>(places * colours)) {}

  /// Whether a place has come and is waited with.
  bool has_come(int colour, int place) const { return come_[at(colour, place)]; }
  /// A place comes, that has not yet; `places` are the box's. Returns what the last of them came by, in time and, of
  /// those of one time, in place, if that are all; they may come again then.
  std::optional<flow::Cause> come(int colour, const Box& box, Places places, int place, const flow::Cause& by);
  /// Whom a barrier still waits for; empty: there is none.
  std::string leftover() const;

 private:
  struct Waiting {
    Box box;
    int colour;
    int missing;
    int last_place;
    flow::Cause last;
  };
  std::size_t at(int colour, int place) const { return static_cast<std::size_t>(colour * places_ + place); }
  int places_;
  std::vector<bool> come_;  // by colour, by place
  std::vector<Waiting> waiting_;
};

}  // namespace tsunagi::sr8000
