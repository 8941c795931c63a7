// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/dma_reads.hpp"

#include <algorithm>

#include "models/pcie/segmentation.hpp"

namespace tsunagi::peach2 {

Wait DmaReads::tag_back(int tag, const char* what) const {
  const Cause since = tags_.free_since(tag);
  return {since.packet == 0 ? Time::zero() : clock_.after(since.when, 1), since, net::Stage::tag, what};
}

bool DmaReads::all_back(Wait& w) const {
  if (!tags_.all_free()) return false;
  for (int tag = 0; tag < tags_.count(); ++tag) w = later(w, tag_back(tag, "reads of the other memory"));
  return true;
}

DmaRequest DmaReads::next(const Wait& issued) const {
  DmaRequest n;
  if (jobs_.all_requested()) return n;
  const DmaJobs::Job& job = jobs_.requesting();
  const Layout from = job.what.from();
  n.address = from.address_of(job.requested);
  n.piece =
      pcie::next_read(n.address, from.run(job.requested, job.what.length - job.requested), config_.max_read_request);
  n.data = true;
  if (!tags_.any_free() || !buffer_.covers(n.piece)) return n;
  const Cause space = buffer_.free_since(n.piece);
  // One request a cycle, a cycle after its tag came back, not before its buffer space is free.
  n.why = later(job.ready, issued);
  if (job.requested == Bytes::zero()) n.why = later(n.why, loaded_);
  // Data come by one way at a time, from port N or from the chip's memory: so they stay in order.
  if (job.own != reading_own_ && !all_back(n.why)) return n;
  n.why = later(n.why, tag_back(tags_.first_free(), "read tag"));
  n.why = later(n.why, {space.when, space, net::Stage::buffer, "DMA buffer"});
  n.at = clock_.at_or_after(std::max(n.why.until, sim_.now()));
  return n;
}

int DmaReads::begin(const DmaRequest& n) {
  DmaJobs::Job& job = jobs_.requesting();
  buffer_.claim(n.piece);
  const int tag = tags_.claim(n.piece, {jobs_.requesting_number(), job.requested});
  job.requested += n.piece;
  reading_own_ = job.own;
  return tag;
}

void DmaReads::load_next(Time at, Cause by) {
  loaded_ = {clock_.after(at, 1 + config_.descriptor_cycles), by, net::Stage::pipeline, "DMA load descriptor"};
  jobs_.request_next();
}

}  // namespace tsunagi::peach2
