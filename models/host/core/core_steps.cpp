// SPDX-License-Identifier: Apache-2.0
#include "models/host/core/core_steps.hpp"

namespace tsunagi::host {

CoreSteps::CoreSteps(net::Device& core, const CoreConfig& c)
    : core_(core), config_(c), clock_(c.clock), scheduler_(core.name(), clock_, c.sharing) {}

void CoreSteps::take(Program& p) {
  std::vector<Piece> waited;
  take(p, waited);
  for (const Piece& w : waited) tell(p, w.stage, w.what, w.begin, w.end);
}

void CoreSteps::take(Program& p, std::vector<Piece>& told) {
  const bool switches = scheduler_.acquire(p);
  const Time got = core_.simulation().now();
  for (std::size_t i = 0; i < p.waited_for.size(); ++i) {
    const Time end = i + 1 < p.waited_for.size() ? p.waited_for[i + 1].since : got;
    told.push_back({net::Stage::core, held_by(p.waited_for[i].by), p.waited_for[i].since, end});
  }
  if (!switches || config_.switch_cycles == 0) return;
  p.fiber->wait_for(clock_.cycles(config_.switch_cycles));
  told.push_back({net::Stage::core, "switch of programs", got, core_.simulation().now()});
}

const char* CoreSteps::held_by(const Program* p) {
  if (p == nullptr) return "core clock";
  return core_.simulation().shared_text("core held by " + p->name).c_str();
}

void CoreSteps::tell(Program& p, net::Stage stage, const char* what, Time begin, Time end) {
  if (end == begin) return;
  const std::uint64_t item = core_.make_item();
  core_.tell(item, p.last_step, stage, what, begin, end);
  p.last_step = item;
}

}  // namespace tsunagi::host
