// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "comm/facets/processor.hpp"
#include "comm/facets/protocols.hpp"
#include "comm/messages/transport.hpp"
#include "comm/steps.hpp"
#include "models/libraries/tca/tca_dma.hpp"
#include "models/libraries/tca/tca_node.hpp"
#include "models/process/core_processor.hpp"
#include "models/protocols/matching_queues.hpp"
#include "models/protocols/unexpected_queue.hpp"

namespace tsunagi::libraries {

/// Two-sided messages over PEACH2, which only writes: each rank has a ring of receive buffers for every other one, in
/// host memory. A short message is stored there by the CPU, its envelope as the last line behind it, whose last word
/// says that all is there; what lies in a buffer is copied to where a receive wants it, or aside, and the sender is
/// told now and then how many it may fill again. Of a longer one the envelope comes alone; the receiver says where the
/// bytes go to, and the sender's DMA controller puts them there, and an envelope of its own behind them. The paper's
/// library has puts alone; MPI libraries do this over networks of writes (MVAPICH2's RDMA fast path).
class TcaMessages final : public comm::Transport {
 public:
  /// All outlive this.
  TcaMessages(const TcaConfig& c, const std::vector<TcaNode>& nodes, std::vector<TcaDma>& dmas,
              const comm::Steps& step);

  Bytes eager_limit() const override { return config_.eager_limit; }
  bool eager_from(const comm::Buffer& b) const override { return b.size == Bytes::zero() || TcaNode::is_host(b.place); }
  comm::Protocol protocol(const comm::Buffer& b) const;
  bool room(int from, int to) const override;
  void post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override;
  std::uint64_t expose(Fiber& f, int rank, const comm::Envelope& e, const comm::Buffer& b) override;
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request) override;
  std::optional<comm::Arrival> next(Fiber& f, int rank) override;
  void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) override;
  void take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) override;
  void set_aside(Fiber& f, int rank, comm::Arrival& a) override;
  void visit(Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) override;

 private:
  /// Bytes that wait for the DMA controller.
  struct Job {
    int to = 0;
    comm::Buffer what;
    std::uint64_t target = 0;
    comm::Envelope last;
    comm::Request request;
  };
  /// What a rank keeps of another one.
  struct Peer {
    std::uint64_t sent = 0;      // envelopes that it got from here
    std::uint64_t consumed = 0;  // envelopes of it that have been taken
    std::uint64_t told = 0;      // as it knows
  };
  struct State {
    std::vector<Peer> peers;
    std::deque<Job> jobs;  // the first is under way if `running`
    bool running = false;
    std::uint64_t number = 0;  // what its status says then: others may start the channel after it
    std::optional<protocols::UnexpectedQueue> unexpected;
    int served = 0;       // whose envelope was taken last
    bool polled = false;  // its last look was the polling loop's
  };
  const TcaNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(int rank, int other) const {
    return states_[static_cast<std::size_t>(rank)].peers[static_cast<std::size_t>(other)];
  }
  Peer& peer(int rank, int other) { return state(rank).peers[static_cast<std::size_t>(other)]; }
  /// Where at rank `at` ends the buffer for the envelope number `n` (from 0) of rank `from`.
  std::uint64_t slot_end(int at, int from, std::uint64_t n) const;
  /// Where the `n` bytes of the oldest envelope of `from` lie that has not been taken.
  std::uint64_t oldest_bytes(int rank, int from, Bytes n) const;
  /// The last word of the next one says its number when it is there.
  host::Word& mark(int rank, int from);
  bool arrived(int rank, int from);
  bool sent_by_dma(int rank);
  void start_job(Fiber& f, int rank);
  void free_slot(Fiber& f, int rank, int from);
  /// Throws std::runtime_error if the rank has no such memory.
  void check(int rank, const char* call, const comm::Buffer& b, bool shared) const;

  TcaMessagesConfig config_;
  const std::vector<TcaNode>& nodes_;
  std::vector<TcaDma>& dmas_;
  const comm::Steps& step_;
  std::vector<State> states_;
  std::uint32_t messages_ = 0;
  std::uint64_t owners_;
};

/// The GPUs of ranks' nodes: kernels are launched and waited for as calls of the CUDA driver are, and so are copies.
class TcaDevices final : public process::Devices {
 public:
  /// Both, by rank, outlive this.
  TcaDevices(const std::vector<TcaNode>& nodes, std::vector<CudaDriver>& cuda) : nodes_(nodes), cuda_(cuda) {}
  void compute(Fiber& f, int rank, const Work& w, const std::string& place) override;
  void copy_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host) override;
  void copy_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host) override;

 private:
  const gpu::Gpu& gpu(int rank, const std::string& place, const char* does) const;
  void copy(Fiber& f, int rank, const gpu::Gpu& g, const gpu::CopyCommand& what);
  const std::vector<TcaNode>& nodes_;
  std::vector<CudaDriver>& cuda_;
};

}  // namespace tsunagi::libraries
