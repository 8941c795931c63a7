// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "models/libraries/verbs/messages/verbs_messages.hpp"
#include "models/libraries/verbs/verbs_nodes.hpp"
#include "models/libraries/verbs/verbs_queues.hpp"
#include "models/process/core_processor.hpp"
#include "models/router/placed_router.hpp"

namespace tsunagi::libraries {

/// InfiniBand verbs, by a rank's own steps: a rank a node with a host channel adapter, in the order of their LIDs. By
/// "write" a message is an RDMA write, whose last word the receiver polls in its memory; by "send" it is a send into
/// a receive that was posted, whose completion the receiver polls. Both senders poll the completion of what they
/// posted before they go on, as the latency tests of perftest do. Messages of two ranks take turns on the rails.
class Verbs final : public comm::Communicator,
                    private comm::Gets,
                    private comm::NonBlockingSends,
                    private comm::Protocols {
 public:
  Verbs(const VerbsConfig& c, Machine& m);
  std::string place(int rank) const override { return node(rank).core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<std::string> methods() const override;
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override { return queues_.largest(); }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override { queues_.receive(f, to, from, b); }
  Rate injection_rate(Bytes size) const override;
  std::optional<std::int64_t> load_bound(const comm::TrafficShares& shares, Bytes size) const override;
  void check(int from, int to, const comm::Buffer& b) const override { queues_.check(from, to, b); }
  comm::Processor& processor() override { return processor_; }
  std::string advice() const override;

 private:
  std::vector<Bytes> limits() const override;
  comm::Protocol protocol(int from, int to, const comm::Buffer& b) const override;
  comm::Request isend(Fiber& f, int from, int to, const comm::Buffer& b) override {
    return queues_.start(f, from, to, b);
  }
  void check_isend(int /*from*/, int /*to*/, const comm::Buffer& b) const override { queues_.check_start(b); }
  void check_get(int rank, int peer, const comm::Buffer& b) const override { check(rank, peer, b); }
  void get(Fiber& f, int rank, int peer, const comm::Buffer& b) override;
  const VerbsNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  const VerbsNodeConfig& config() const { return nodes_.front().config(); }
  bool reliable() const { return config().service == infiniband::Service::reliable_connection; }

  std::vector<VerbsNode> nodes_;
  std::vector<router::PlacedRouter*> routers_;  // of the first rail's network
  std::optional<VerbsMessages> two_sided_;      // of reliable connections
  VerbsQueues queues_;
  process::CoreProcessor processor_;
};

std::unique_ptr<comm::Communicator> make_verbs(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
