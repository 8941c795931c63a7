// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/dma_fetch.hpp"

#include <algorithm>

namespace tsunagi::peach2 {

void DmaFetch::start(std::uint64_t address, bool own, Cause by, int steps) {
  next_ = address;
  // The address is at hand: a request for it is built, or it goes to the chip's memory with the next clock.
  ready_ = own ? Wait{clock_.after(clock_.steps_after(by.when, steps), 1), by, net::Stage::pipeline, "DMA fetch"}
               : Wait{clock_.steps_after(by.when, steps + 1), by, net::Stage::pipeline, "DMA build fetch"};
}

DmaRequest DmaFetch::next(const Wait& issued) const {
  DmaRequest n;
  if (next_ == 0 || jobs_.waiting() >= static_cast<std::size_t>(config_.prefetch)) return n;
  n.why = later(ready_, issued);
  n.address = next_;
  n.piece = Descriptor::size;
  n.at = clock_.at_or_after(std::max(n.why.until, sim_.now()));
  return n;
}

void DmaFetch::made_room(Cause by) {
  if (jobs_.waiting() < static_cast<std::size_t>(config_.prefetch)) return;
  ready_ = later(ready_, {clock_.after(by.when, 1), by, net::Stage::buffer, "DMA place for another descriptor"});
}

}  // namespace tsunagi::peach2
