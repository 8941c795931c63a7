// SPDX-License-Identifier: Apache-2.0
// The descriptors of a chain: fetched one after the other, ahead of the one that runs.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/pcie/tlp.hpp"
#include "models/peach2/dma_channel.hpp"

namespace tsunagi::peach2 {

void DmaChannel::start_chain(std::uint64_t first, Cause by) {
  begin(by);
  if (first == 0 || first % static_cast<std::uint64_t>(Descriptor::size.count()) != 0)
    fail(fmt::format("a chain starts at {:#x}, not at a multiple of {} B", first, Descriptor::size.count()));
  chain_address_ = next_descriptor_ = first;
  fetch_after(by);
  request_more();
}

void DmaChannel::fetch_after(Cause by) {
  // The address is at hand: a request for it is built, or it goes to the chip's memory with the next clock.
  next_fetch_ = ports_.is_own(Address(next_descriptor_))
                    ? Wait{clock_.after(by.when, 1), by, net::Stage::pipeline, "DMA fetch"}
                    : Wait{steps_after(by.when, 1), by, net::Stage::pipeline, "DMA build fetch"};
}

std::size_t DmaChannel::descriptors_waiting() const {
  const std::size_t not_done = jobs_.size() - requesting_;
  return not_done == 0 ? 0 : not_done - 1;  // the first is in the engine
}

DmaChannel::Next DmaChannel::next_fetch() const {
  Next n;
  if (next_descriptor_ == 0 || descriptors_waiting() >= static_cast<std::size_t>(config_.prefetch)) return n;
  n.why = later(next_fetch_, issued_);
  n.address = next_descriptor_;
  n.piece = Descriptor::size;
  n.at = clock_.at_or_after(std::max(n.why.until, chip_.simulation().now()));
  return n;
}

void DmaChannel::fetch(const Next& n) {
  fetching_ = next_descriptor_;
  next_descriptor_ = 0;
  ports_.read(make_request(n, config_.tags));
}

void DmaChannel::made_room(Cause by) {
  if (descriptors_waiting() < static_cast<std::size_t>(config_.prefetch)) return;
  next_fetch_ =
      later(next_fetch_, {clock_.after(by.when, 1), by, net::Stage::buffer, "DMA place for another descriptor"});
}

void DmaChannel::fetched(const flow::Packet& p, Cause by) {
  if (fetching_ == 0 || p.total_payload() != Descriptor::size) fail("a completion came for no fetch of a descriptor");
  Chained c;
  try {
    c = decode({p.contents.word(0_B), p.contents.word(8_B), p.contents.word(16_B), p.contents.word(24_B)});
  } catch (const std::invalid_argument& e) {
    fail(fmt::format("descriptor at {:#x}: {}", fetching_, e.what()));
  }
  fetching_ = 0;
  // It is in the form that the engine takes: loaded, not decoded. Then its first request is built.
  add_job(c.what,
          {steps_after(clock_.after(by.when, config_.descriptor_cycles), 1), by, net::Stage::pipeline,
           "DMA load descriptor, build request"},
          c.next == 0);
  next_descriptor_ = c.next;
  if (c.next != 0) fetch_after(by);
  request_more();
}

}  // namespace tsunagi::peach2
