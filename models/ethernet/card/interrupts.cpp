// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/card/interrupts.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::ethernet {

void Interrupts::cause(Time due, const net::Cause& by) {
  if (!told() || (open_ && due_ <= due)) return;
  open_ = true;
  due_ = due;
  by_ = by;
  if (!masked_) arm(due);
}

void Interrupts::mask(bool on, const net::Cause& by) {
  masked_ = on;
  if (on && timer_.armed()) card_.simulation().agenda().disarm(timer_);
  if (!on && open_) arm(std::max(due_, by.when));
}

void Interrupts::arm(Time earliest) {
  card_.simulation().agenda().arm(timer_, std::max({earliest, not_before_, card_.simulation().now()}));
}

void Interrupts::interrupt() {
  const Time now = card_.simulation().now();
  open_ = false;
  not_before_ = now + config_.interval;
  dma::Port::Write w;
  w.address = address_;
  w.size = 8_B;
  const flow::WordBytes said(static_cast<std::uint64_t>(++count_));
  w.contents.add(pool_.contents(), Bytes::zero(), said);
  host_.write(0, std::move(w), {now, by_, net::Stage::pipeline, "interrupt throttled"});
}

}  // namespace tsunagi::ethernet
