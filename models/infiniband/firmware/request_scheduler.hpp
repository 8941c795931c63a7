// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "flow/ring.hpp"
#include "models/firmware/processor.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "models/infiniband/request_source.hpp"
#include "models/infiniband/saved_context.hpp"

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
  /// Who hears that a queue pair that has been stopped has nothing under way any more.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void stable(std::uint32_t queue_pair, const net::Cause& by) = 0;
  };
  RequestScheduler(net::Device& card, firmware::Processor& processor, firmware::Processor& sending, const Config& c)
      : card_(card), processor_(processor), sending_(sending), config_(c) {}
  void set_observer(Observer& o) { observer_ = &o; }

  /// Of queue pair `number`. Throws std::runtime_error if there is none.
  ScheduledRequests& queue(std::uint32_t number) const;
  /// Queue pairs `first` .. `first + count - 1` have no turns any more. Returns how many have something under way; the
  /// observer hears of each.
  int stop(std::uint32_t first, std::uint32_t count);
  /// They have turns again.
  void start(std::uint32_t first, std::uint32_t count, const net::Cause& by);

 private:
  friend class ScheduledRequests;
  void add(ScheduledRequests& q);
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
  Observer* observer_ = nullptr;
  std::vector<ScheduledRequests*> queues_;  // by number of the queue pair
  flow::Ring<Wanting> waiting_;
  int under_way_ = 0;
};

/// A queue pair's send queue as firmware reads it: a doorbell a request; when the queue pair has its turn, one request
/// is read out of host memory. Its turn is over when the data of the request are in the card.
class ScheduledRequests final : public RequestSource, private dma::Port::Reader {
 public:
  /// Of queue pair `c`. All others outlive this.
  ScheduledRequests(CardParts& parts, RequestScheduler& scheduler, const QueuePairConfig& c, User& user,
                    const RequestForm& form)
      : parts_(parts),
        scheduler_(scheduler),
        ring_(c.sends),
        user_(user),
        form_(form),
        one_at_a_time_(c.service == Service::reliable_datagram),
        number_(static_cast<std::uint32_t>(c.number)) {
    scheduler.add(*this);
  }
  void doorbell(const net::Cause& by) override;
  bool pass(const PlacedRequest& /*r*/) override { return false; }
  void drained(const net::Cause& by) override;
  void completed(const net::Cause& by) override;
  void waits(const net::Cause& by) override;
  bool busy() const override { return wanting_ || rung_ != next_; }

  /// Reads no more requests. What waits for a receiver that is not ready is given back, to be read again.
  void stop();
  void start(const net::Cause& by);
  bool stopped() const { return stopped_; }
  /// Nothing that it has read, or reads, is under way.
  bool stable() const { return !turn_ && completed_ == next_; }
  // When it is:
  void save(SavedContext& c) const;
  /// It is stopped then.
  void restore(const SavedContext& c);

 private:
  friend class RequestScheduler;
  void turn(const net::Wait& w);
  void end_turn();
  void give_back();
  void tell_if_stable(const net::Cause& by);
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  void want(const net::Cause& by);

  CardParts& parts_;
  RequestScheduler& scheduler_;
  QueueMemory ring_;
  User& user_;
  RequestForm form_;
  bool one_at_a_time_;  // the next request has to wait until this one is done
  std::uint32_t number_;
  std::uint64_t rung_ = 0;       // requests that doorbells have told of
  std::uint64_t next_ = 0;       // request that is read next
  std::uint64_t completed_ = 0;  // requests that are done
  std::uint64_t reading_ = 0;    // request that is read in its turn
  bool wanting_ = false;         // waits for its turn, or has it
  bool turn_ = false;            // has it
  bool drains_ = false;          // has handed on a request whose data are not in the card
  bool stopped_ = false;
};

}  // namespace tsunagi::infiniband
