// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/libraries/mpi/staged_messages.hpp"
#include "models/libraries/verbs/messages/device_buffers.hpp"

namespace tsunagi::libraries {

/// Messages' buffers in GPUs of their ranks' nodes. Eager messages are copied by the core through the GPU's window up
/// to `gdrcopy_limit` (GDRCopy), others by cudaMemcpy; up to `direct_limit` the card gets at messages where they lie,
/// after a rendezvous; longer ones are staged (StagedMessages), up to `receive_limit` at the sender alone: a GPU is
/// written faster than read. Puts into windows by `window_packets` never go directly. Sources: MVAPICH2 1.9b and 2.0b
/// (gen2), and of the limits the README of MVAPICH2-GDR 2.1a and the user guide of 2.3.7.
class GpuBuffers final : public DeviceBuffers {
 public:
  /// All outlive this.
  GpuBuffers(const GpuBuffersConfig& c, const CudaDriverConfig& driver, Machine& m, std::vector<VerbsNode>& nodes,
             const comm::Steps& step);
  void set_engine(VerbsEngine& engine) { staged_.set_engine(engine); }
  /// Throws config::ConfigError if rank `rank` cannot send `b` or receive into it. Before time 0.
  void check(int rank, const comm::Buffer& b) const;

  /// What bounds messages of `b` beside the network: copies at both ends, if none goes by GPUDirect.
  void add_ceilings(std::vector<comm::Ceiling>& out, int from, int to, const comm::Buffer& b) const;

  GpuMemory& of(int rank) { return gpus(rank); }

  void look_at(Fiber& f, int rank) override { gpus(rank).test_pointers(f, rank); }
  bool card_reads(const comm::Buffer& b) const override { return !in_packets(b) && b.size <= config_.direct_limit; }
  bool card_writes(const comm::Buffer& b) const override {
    return card_reads(b) || (!in_packets(b) && b.size <= config_.receive_limit);
  }
  bool eager(const comm::Buffer& b) const override { return !card_reads(b) || b.size <= by_window_; }
  std::vector<Bytes> limits() const override { return {by_window_, config_.direct_limit, config_.receive_limit}; }
  MessageCopy message_copy(const comm::Buffer& b) const override;
  std::string staging_limit(bool receiver) const override;
  std::uint64_t address(int rank, const comm::Buffer& b) override { return gpus(rank).show(b); }
  void copy_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host) override {
    gpus(rank).copy_out(f, rank, from, host, config_.pinned_eager);
  }
  void copy_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host) override {
    gpus(rank).copy_in(f, rank, to, host, config_.pinned_eager);
  }
  void copy_message_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host) override {
    if (from.size <= by_window_ && unsigned_of(from.offset) % unsigned_of(host::StreamingLoads::widest) == 0)
      gpus(rank).load_out(f, rank, from, host);
    else
      copy_out(f, rank, from, host);
  }
  void copy_message_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host) override {
    if (to.size <= by_window_)
      gpus(rank).store_in(f, rank, to, host);
    else
      copy_in(f, rank, to, host);
  }
  void compute(Fiber& f, int rank, const Work& w, const std::string& place) override {
    gpus(rank).compute(f, w, place);
  }
  std::uint64_t expect(Fiber& f, int rank, const comm::Buffer& into) override { return staged_.expect(f, rank, into); }
  void clear(Fiber& f, int rank, const comm::Envelope& e) override { staged_.clear(f, rank, e); }
  void told(Fiber& f, int rank, int peer, const MessageHeader& h) override { staged_.told(f, rank, peer, h); }
  bool into_blocks(int rank, int to, const comm::Envelope& last) const override {
    return staged_.knows(rank, to, last);
  }
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request) override {
    staged_.put(f, from, to, b, target, last, request);
  }
  void progress(Fiber& f, int rank) override { staged_.progress(f, rank); }
  bool busy(int rank) const override { return staged_.busy(rank); }
  std::optional<comm::Arrival> finished(int rank) override { return staged_.finished(rank); }

 private:
  bool in_packets(const comm::Buffer& b) const { return b.of_window && config_.window_packets; }
  GpuMemory& gpus(int rank) { return gpus_[static_cast<std::size_t>(rank)]; }
  const GpuMemory& gpus(int rank) const { return gpus_[static_cast<std::size_t>(rank)]; }
  GpuBuffersConfig config_;
  Bytes by_window_;  // cores copy messages up to that
  std::vector<GpuMemory> gpus_;
  StagedMessages staged_;
};

}  // namespace tsunagi::libraries
