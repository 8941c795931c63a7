// SPDX-License-Identifier: Apache-2.0
#include "models/fpga/descriptor_controller.hpp"

#include <algorithm>
#include <stdexcept>

namespace tsunagi::fpga {

DescriptorModule::DescriptorModule(net::Device& card, const DescriptorControllerConfig& c, Clock clock,
                                   Completed completed)
    : Alarm(sim::Phase::grant), card_(card), config_(c), clock_(clock), completed_(std::move(completed)) {}

bool DescriptorModule::has_room(Writer w) const {
  if (w == Writer::kernel) return static_cast<int>(fifo(w).size()) < config_.kernel_fifo;
  return static_cast<int>(fifo(w).size()) - fetches_ < config_.host_fifo;
}

void DescriptorModule::push(Writer w, const Descriptor& d, Cause by) {
  if (d.id == Descriptor::fetch)
    ++fetches_;
  else if (!has_room(w))
    throw std::logic_error("a FIFO of descriptors is full");
  fifo(w).push_back({d, by});
  arm();
}

void DescriptorModule::arm() {
  if (!mover_is_free_) return;
  Time first = Time::max();
  for (const Fifo& f : fifos_)
    if (!f.empty()) first = std::min(first, f.front().ready.when);
  if (first == Time::max()) return;
  const Time now = card_.simulation().now();
  card_.simulation().agenda().arm_by(*this, clock_.at_or_after(std::max({first, free_from_, now})));
}

void DescriptorModule::ring() {
  const Time now = card_.simulation().now();
  const Writer first = config_.first == First::host ? Writer::host : Writer::kernel;
  const Writer second = first == Writer::host ? Writer::kernel : Writer::host;
  const auto ready = [&](Writer w) { return !fifo(w).empty() && fifo(w).front().ready.when <= now; };
  const Writer chosen = ready(first) ? first : second;
  if (!ready(chosen)) return arm();
  const Entry e = fifo(chosen).take_front();
  if (e.what.id == Descriptor::fetch) --fetches_;
  room_.notify();
  const Time written = clock_.after(now, config_.hand_over_cycles);
  card_.tell(e.ready.packet, 0, net::Stage::buffer, "descriptor FIFO", e.ready.when, now);
  card_.tell(e.ready.packet, 0, net::Stage::pipeline, "descriptor written to the data mover", now, written);
  mover_is_free_ = false;
  written_.push_back(written);
  mover_->take(e.what, {written, e.ready.packet});
}

void DescriptorModule::mover_free(Time from) {
  mover_is_free_ = true;
  free_from_ = from;
  arm();
}

void DescriptorModule::mover_done(const Descriptor& d, Cause signal) {
  completed_(d.writer(), {d.id, signal.when - written_.take_front(), signal});
}

}  // namespace tsunagi::fpga
