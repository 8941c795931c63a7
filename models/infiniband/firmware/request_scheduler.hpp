// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "models/firmware/processor.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "models/infiniband/request_source.hpp"

namespace tsunagi::infiniband {

class ScheduledRequests;

/// Which queue pairs have a request under way: a processor gives them turns, first come, first served; each turn is
/// good for one request. As many as there are threads have one. (Paper 004, figure 1: a scheduler beside the queues'
/// processors; that a turn is one request is assumed.)
class RequestScheduler {
 public:
  struct Config {
    int threads = 1;
    int turn_cycles = 0;     // of the scheduling processor, a turn
    int request_cycles = 0;  // of the sending one, a request
  };
  RequestScheduler(net::Device& card, firmware::Processor& processor, firmware::Processor& sending, const Config& c)
      : card_(card), processor_(processor), sending_(sending), config_(c) {}

 private:
  friend class ScheduledRequests;
  void want(ScheduledRequests& who, const net::Cause& by);
  void done();
  void give_turns();

  struct Wanting {
    ScheduledRequests* who = nullptr;
    net::Cause by;
  };
  net::Device& card_;
  firmware::Processor& processor_;
  firmware::Processor& sending_;
  Config config_;
  flow::Ring<Wanting> waiting_;
  int under_way_ = 0;
};

/// A queue pair's send queue as firmware reads it: a doorbell a request; when the queue pair has its turn, one request
/// is read out of host memory. Its turn is over when the data of the request are in the card.
class ScheduledRequests final : public RequestSource, private dma::Port::Reader {
 public:
  /// All outlive this. `one_at_a_time`: the next request has to wait until this one is done (reliable datagrams).
  ScheduledRequests(CardParts& parts, RequestScheduler& scheduler, const QueueMemory& ring, User& user,
                    const RequestForm& form, bool one_at_a_time)
      : parts_(parts), scheduler_(scheduler), ring_(ring), user_(user), form_(form), one_at_a_time_(one_at_a_time) {}
  void doorbell(const net::Cause& by) override;
  bool pass(const PlacedRequest& /*r*/) override { return false; }
  void drained(const net::Cause& by) override;
  void completed(const net::Cause& by) override;
  bool busy() const override { return wanting_ || rung_ != next_; }

 private:
  friend class RequestScheduler;
  void turn(const net::Wait& w);
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  void want(const net::Cause& by);

  CardParts& parts_;
  RequestScheduler& scheduler_;
  QueueMemory ring_;
  User& user_;
  RequestForm form_;
  bool one_at_a_time_;
  std::uint64_t rung_ = 0;       // requests that doorbells have told of
  std::uint64_t next_ = 0;       // request that is read next
  std::uint64_t completed_ = 0;  // requests that are done
  bool wanting_ = false;         // waits for its turn, or has it
  bool drains_ = false;          // has handed on a request whose data are not in the card
};

}  // namespace tsunagi::infiniband
