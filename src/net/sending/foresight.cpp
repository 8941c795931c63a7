// SPDX-License-Identifier: Apache-2.0
#include "net/sending/foresight.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tsunagi::net {

Foresight::Foresight(sim::Simulation& sim, const std::string& findings, bool trains)
    : agenda_(sim.agenda()), trains_(trains) {
  if (findings.empty()) return;
  std::istringstream in(findings);
  in >> attempts_;
  std::uint32_t like = 0;
  int reach = 0;
  while (in >> like >> reach) reaches_[like] = static_cast<Reach>(reach);
  if (!in.eof()) throw std::invalid_argument("no findings of an attempt: " + findings);
}

Reach Foresight::reach(std::uint32_t like) const {
  if (!ahead()) return Reach::single;
  const auto it = reaches_.find(like);
  return it == reaches_.end() ? Reach::full : it->second;
}

void Foresight::refute(std::uint32_t like, Reach reach) {
  Reach& known = reaches_[like];
  known = std::max(known, reach);
  if (refuted_) return;
  refuted_ = true;
  ++attempts_;
  const Time now = agenda_.now();
  agenda_.arm(stop_, now + now);  // what comes as early again costs no more than what is lost already
}

std::string Foresight::findings() const {
  std::string text = std::to_string(attempts_);
  for (const auto& [like, reach] : reaches_)
    text += " " + std::to_string(like) + " " + std::to_string(static_cast<int>(reach));
  return text;
}

}  // namespace tsunagi::net
