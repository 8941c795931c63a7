// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/tags.hpp"
#include "flow/timed_space.hpp"
#include "models/peach2/dma_config.hpp"
#include "models/peach2/dma_jobs.hpp"
#include "models/peach2/dma_request.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::peach2 {

/// The request side of a DMA channel: which read of data is next, when, and what it waits for: a tag, space in the
/// packet buffer, the engine, the reads of the other memory.
class DmaReads {
 public:
  /// What a tag stands for.
  struct Read {
    std::uint64_t job = 0;  // number of the descriptor that it reads for
    Bytes offset;           // of the next byte to come, in the descriptor's transfer
  };

  /// All that it is given outlives it.
  DmaReads(const sim::Simulation& sim, const DmaConfig& c, const DmaClock& clock, DmaJobs& jobs)
      : sim_(sim), config_(c), clock_(clock), jobs_(jobs), tags_(c.tags), buffer_(c.buffer) {}
  /// A doorbell finds the engine empty.
  void start() { loaded_ = {}; }
  /// The next read, behind the request before.
  DmaRequest next(const Wait& issued) const;
  /// That is made: takes its space and its tag, and returns the tag.
  int begin(const DmaRequest& n);
  /// All of the descriptor that asks for data is requested, the last of it at `at`, by `by`: loads the next one.
  void load_next(Time at, Cause by);

  /// `n` bytes can come for that tag.
  bool expects(int tag, Bytes n) const { return tags_.expects(tag, n); }
  const Read& operator[](int tag) const { return tags_[tag]; }
  /// They have come, the last one by `by`. True: it was the read's last.
  bool arrived(int tag, Bytes n, Cause by) {
    tags_[tag].offset += n;
    return tags_.arrived(tag, n, by);
  }
  /// `n` bytes have left the buffer.
  void release(Bytes n, Cause by) { buffer_.release(n, by); }

 private:
  /// When a tag that came back can be used.
  Wait tag_back(int tag, const char* what) const;
  /// Waits until all tags are back, after the last of them; not at all if one is under way.
  bool all_back(Wait& w) const;

  const sim::Simulation& sim_;
  const DmaConfig& config_;
  const DmaClock& clock_;
  DmaJobs& jobs_;
  flow::Tags<Read> tags_;
  flow::TimedSpace buffer_;
  Wait loaded_;               // the engine takes the next descriptor
  bool reading_own_ = false;  // the last request went to the chip's memory
};

}  // namespace tsunagi::peach2
