// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "flow/ring.hpp"
#include "models/peach2/descriptor.hpp"
#include "models/peach2/dma_request.hpp"

namespace tsunagi::peach2 {

/// The descriptors of a DMA channel that run or wait for their turn, in order. The request side asks for the data of
/// one of them, the write side writes those of the first, which may be an earlier one. Each has a number, from 0 on.
class DmaJobs {
 public:
  struct Job {
    Descriptor what;
    Wait ready;  // until its first request can be made
    Bytes requested;
    Bytes written;
    bool own = false;   // reads the chip's memory
    bool last = false;  // of its doorbell: status follows
  };

  void push(const Job& job) { jobs_.push_back(job); }
  bool empty() const { return jobs_.empty(); }
  /// The first one, of which something is to be written.
  Job& front() { return jobs_.front(); }
  const Job& front() const { return jobs_.front(); }
  std::uint64_t first() const { return first_; }
  /// All of the first one has been requested and written.
  void pop_front() {
    jobs_.pop_front();
    ++first_;
    --requesting_;
  }

  bool all_requested() const { return requesting_ == jobs_.size(); }
  /// The one that asks for data, where not all are requested.
  Job& requesting() { return jobs_[requesting_]; }
  const Job& requesting() const { return jobs_[requesting_]; }
  std::uint64_t requesting_number() const { return first_ + requesting_; }
  /// All of that one is requested: the next one's turn.
  void request_next() { ++requesting_; }
  /// How many wait until they ask for data.
  std::size_t waiting() const {
    const std::size_t not_done = jobs_.size() - requesting_;
    return not_done == 0 ? 0 : not_done - 1;  // the first is in the engine
  }

 private:
  flow::Ring<Job> jobs_;
  std::uint64_t first_ = 0;
  std::size_t requesting_ = 0;  // index in jobs_
};

}  // namespace tsunagi::peach2
