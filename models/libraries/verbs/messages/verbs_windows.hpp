// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/remote_memory.hpp"
#include "config/describe.hpp"
#include "models/libraries/verbs/messages/verbs_engine.hpp"
#include "models/libraries/verbs/messages/verbs_rendezvous.hpp"
#include "models/process/memory_plan.hpp"

namespace tsunagi::libraries {

/// How windows are accessed.
struct VerbsWindowsConfig {
  enum class Path : std::uint8_t { direct, messages };
  Path path = Path::direct;
  Bytes put_limit = 8_KiB;
  Bytes get_limit;
  Bytes copy_limit = 8_KiB;
  std::int64_t operation_cycles = 300;
};
void describe(VerbsWindowsConfig& c, config::Describer& d);

/// Windows by RDMA, by the queue pairs of two-sided messages (MVAPICH2 1.9b, rdma_iba_1sc.c): puts are writes, gets are
/// reads, flags are writes of 4 and 8 bytes to words at the peer that it polls. A flag says how many have been raised,
/// so that none has to be cleared.
class VerbsWindows final : public comm::RemoteMemory {
 public:
  /// All outlive this. Takes memory for flags and for puts that are copied.
  VerbsWindows(VerbsEngine& engine, VerbsRendezvous& registration, const VerbsWindowsConfig& c, int ranks);

  bool shows(const comm::Buffer& b) const override { return comm::is_host(b.place); }
  bool puts(const comm::Buffer& b) const override { return comm::is_host(b.place) && b.size > config_.put_limit; }
  bool gets(const comm::Buffer& b) const override { return comm::is_host(b.place) && b.size > config_.get_limit; }
  int open() override;
  void close(int window) override;
  void show(Fiber& f, int rank, const comm::Buffer& b) override;
  bool room(int rank, int peer) const override;
  comm::Request put(Fiber& f, int rank, int peer, const comm::Buffer& from, const comm::Buffer& to) override;
  comm::Request get(Fiber& f, int rank, int peer, const comm::Buffer& from, const comm::Buffer& to) override;
  comm::Request raise(Fiber& f, int rank, int window, Flag flag, int peer) override;
  bool raised(int rank, const Raised& r) const override { return node(rank).says(word(rank, r)); }
  void take(Fiber& f, int rank, const Raised& r) override;
  void await(int rank, const std::vector<Raised>& all) override;

 private:
  /// How often a flag was raised and taken, by window and peer.
  struct Count {
    std::uint32_t raised = 0;  // by this rank at the peer
    std::uint32_t taken = 0;   // by this rank, of the peer's
  };
  struct State {
    process::Area flags;    // that peers write
    process::Area sources;  // what this rank writes them from, word for word
    process::Area copies;   // of puts
    std::vector<int> free;
    std::map<std::size_t, Count> counts;  // by place of the flag, of those in use: few of as many as windows have peers
  };
  static Bytes width(Flag flag) { return flag == Flag::posted ? Bytes(4) : Bytes(8); }
  VerbsNode& node(int rank) const { return engine_.node(rank); }
  std::uint64_t user(int rank, const comm::Buffer& b) const { return node(rank).user_base() + unsigned_of(b.offset); }
  /// Flags of both kinds have places of eight bytes, by window, kind and peer.
  std::size_t place(int window, Flag flag, int peer) const {
    return (static_cast<std::size_t>(window) * 2 + static_cast<std::size_t>(flag)) * static_cast<std::size_t>(ranks_) +
           static_cast<std::size_t>(peer);
  }
  host::Core::Polled word(int rank, const Raised& r) const;
  void check(int rank, const comm::Buffer& b) const;
  void begin(Fiber& f, int rank) const;
  comm::Request post(Fiber& f, int rank, int peer, const char* name, const infiniband::WorkRequest& w, int copy,
                     flow::ByteView last);

  VerbsEngine& engine_;
  VerbsRendezvous& registration_;
  VerbsWindowsConfig config_;
  int ranks_;
  comm::ByRank<State> states_;
  std::vector<bool> open_;
  comm::RequestPool requests_;
};

}  // namespace tsunagi::libraries
