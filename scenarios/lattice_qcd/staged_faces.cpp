// SPDX-License-Identifier: Apache-2.0
#include "scenarios/lattice_qcd/staged_faces.hpp"

namespace tsunagi::scenarios {

void StagedFaces::gather(const comm::StreamEvent& packed) {
  states_.assign(directions_.size(), {});
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    const Direction& d = directions_[i];
    const comm::Stream own = stream(d.gather_stream());
    halo_.wait(own, packed);
    halo_.copy(own, d.gathered(gpu_));
    states_[i].gathered = halo_.record(own);
  }
}

void StagedFaces::start(const Direction& d, State& s) {
  s.received = group_.start({false, d.from, d.tag, {d.ghost, d.size, {}, {}}});
  s.sent = group_.start({true, d.to, d.tag, {d.face, d.size, {}, {}}});
}

bool StagedFaces::has_come(const State& s, bool alone) {
  // It asks for this one alone, again and again, which is to wait for it.
  if (alone) group_.wait_all({s.received, s.sent});
  return alone || (group_.test(s.received) && group_.test(s.sent));
}

void StagedFaces::scatter(const Direction& d) { halo_.copy(stream(d.scatter_stream()), d.scattered(gpu_)); }

void StagedFaces::exchange(const std::function<void(int dimension, const comm::StreamEvent& scattered)>& there) {
  const std::size_t all = directions_.size();
  // How many have got so far: each is asked for behind the one before.
  std::size_t gathered = 0;
  std::size_t over = 0;
  while (over < all)
    for (std::size_t i = 0; i < all; ++i) {
      if (i == gathered && halo_.query(states_[i].gathered)) {
        start(directions_[i], states_[i]);
        ++gathered;
      }
      if (i != over || i >= gathered || !has_come(states_[i], gathered == all)) continue;
      const Direction& d = directions_[over++];
      scatter(d);
      if (i + 1 == all || directions_[i + 1].dimension != d.dimension)
        there(d.dimension, halo_.record(stream(d.scatter_stream())));
    }
}

}  // namespace tsunagi::scenarios
