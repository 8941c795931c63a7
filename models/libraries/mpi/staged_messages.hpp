// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/mpi/gpu_memory.hpp"
#include "models/libraries/verbs/messages/verbs_engine.hpp"
#include "models/protocols/rendezvous.hpp"

namespace tsunagi::libraries {

/// Long messages between GPUs' memories by way of blocks of pinned host memory, as MVAPICH2 1.9 has them
/// (ibv_cuda_rndv.c): when the receiver has said which of its blocks are ready, an engine of the sender's GPU copies a
/// block to host memory; when an event tells that it is there, an RDMA write brings it into a block of the receiver,
/// whom a message behind it tells so; an engine of its GPU copies it on. Blocks follow each other without waiting for
/// those steps of the ones before, as far as there are blocks. At an end in host memory its copies fall away.
/// With several rails each block goes by the first one, or, as from 2.0b on, is cut over all of them.
class StagedMessages {
 public:
  /// All outlive this. Takes memory for blocks.
  StagedMessages(const GpuBuffersConfig& c, comm::ByRank<VerbsNode>& nodes, comm::ByRank<GpuMemory>& gpus,
                 const comm::Steps& step);
  void set_engine(VerbsEngine& engine) { engine_ = &engine; }

  // As DeviceBuffers says.
  std::uint64_t expect(Fiber& f, int rank, const comm::Buffer& into);
  void clear(Fiber& f, int rank, const comm::Envelope& e);
  void told(Fiber& f, int rank, int peer, const MessageHeader& h);
  bool knows(int rank, int to, const comm::Envelope& last) const {
    return states_[rank].granted.count({to, last.receive}) != 0;
  }
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request);
  void progress(Fiber& f, int rank);
  bool busy(int rank) const;
  std::optional<comm::Arrival> finished(int rank) { return states_[rank].finished.take(); }

 private:
  /// A message that comes.
  struct Receive {
    comm::Envelope clear;  // to send
    comm::Buffer into;
    std::int64_t granted = 0;  // blocks so far
    std::int64_t copied = 0;
    std::map<std::int64_t, int> held;   // host memory of blocks that were granted and have not come
    std::map<std::int64_t, int> parts;  // of blocks, that have come
  };
  /// A message that leaves.
  struct Send {
    int to = 0;
    comm::Buffer what;
    std::uint64_t target = 0;  // host memory there; 0: blocks
    comm::Envelope last;
    comm::Request request;
    std::int64_t copied = 0;  // blocks of which copies have begun
    std::int64_t posted = 0;
    std::int64_t written = 0;
  };
  /// A copy whose end is asked for.
  struct Copying {
    GpuMemory::Event event;
    bool out = false;
    bool over = false;
    std::uint32_t message = 0;  // a send's number, or the receiver's
    int block = 0;              // of host memory
  };
  struct State {
    process::Area sending;
    process::Area receiving;
    std::vector<int> free_to_send;
    std::vector<int> free_to_receive;
    std::uint64_t tickets = 0;
    std::map<std::uint64_t, comm::Buffer> expected;  // by ticket
    std::map<std::uint32_t, Receive> receives;       // as the receiver numbers them
    std::deque<std::uint32_t> to_grant;
    std::map<std::pair<int, std::uint32_t>, std::deque<std::uint64_t>> granted;  // by receiver, as it numbers messages
    // By a number of its own: the message's is another one's when it has been cleared to send.
    std::map<std::uint32_t, Send> sends;
    std::uint32_t send_numbers = 0;
    std::vector<Copying> events;  // as they were recorded
    protocols::Finished finished;
  };
  std::int64_t blocks(Bytes n) const { return units_of(n, config_.block); }
  std::uint64_t place(const process::Area& a, int block) const {
    return a.base + unsigned_of(config_.block) * static_cast<unsigned>(block);
  }
  /// How a block of `n` bytes goes.
  std::vector<VerbsEngine::Share> shares(Bytes n) const;
  /// By which rails it is told that the next block, or with it the message, is there.
  std::vector<int> told_by(const Send& s) const;
  /// Block number `i` of a buffer.
  comm::Buffer piece(const comm::Buffer& b, std::int64_t i) const;
  void ask_for_events(Fiber& f, int rank);
  void came_in(int rank, const Copying& c);
  /// Blocks of a message that leaves which its receiver has had room for so far.
  std::int64_t welcome(int rank, const Send& s) const;
  /// Whether the next one can be written now.
  bool may_post(int rank, const Send& s) const;
  void post_block(Fiber& f, int rank, std::uint32_t number, std::uint64_t from, int block);
  void written(Fiber& f, int rank, std::uint32_t number, int block);
  void copy_blocks(Fiber& f, int rank);
  void grant_blocks(Fiber& f, int rank);

  GpuBuffersConfig config_;
  comm::ByRank<GpuMemory>& gpus_;
  const comm::Steps& step_;
  VerbsEngine* engine_ = nullptr;
  comm::ByRank<State> states_;
};

}  // namespace tsunagi::libraries
