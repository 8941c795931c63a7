// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "flow/ring.hpp"
#include "models/dma/port.hpp"
#include "models/firmware/processor.hpp"
#include "models/infiniband/firmware/command.hpp"
#include "models/infiniband/firmware/request_scheduler.hpp"
#include "models/infiniband/saved_context.hpp"
#include "sim/timer.hpp"

namespace tsunagi::infiniband {

/// Carries out commands, one behind the other: a register's word tells where in host memory the next one lies. (Paper
/// 004, 5.5 and 6, says what there are; that the scheduling processor does it, and how it is told, is this model's.)
class CommandUnit final : private dma::Port::Reader, private RequestScheduler::Observer {
 public:
  struct Config {
    int command_cycles = 0;  // a command
    int range_cycles = 0;    // each 32 queue pairs whose state it changes: bits of a word
    int context_cycles = 0;  // each context that is saved or restored
    Bytes context_size;      // at least SavedContext::size
    Bytes burst;             // bytes of contexts in a transfer, at least one context
    int writer = 0;          // of the bus's port
  };
  /// Whose queues they are. Throws std::runtime_error for numbers that there are not, and for states that do not allow
  /// it.
  class Queues {
   public:
    virtual ~Queues() = default;
    virtual int count(Command::Of of) const = 0;
    virtual void check_start(std::uint32_t queue_pair) const = 0;
    virtual void reset(Command::Of of, std::uint32_t number) = 0;
    virtual SavedContext save(Command::Of of, std::uint32_t number) const = 0;
    virtual void restore(Command::Of of, std::uint32_t number, const SavedContext& c) = 0;
  };
  /// All outlive this. Transfers by `port` are started by `processor`.
  CommandUnit(net::Device& card, flow::PacketPool& pool, dma::Port& port, firmware::Processor& processor,
              RequestScheduler& scheduler, Queues& queues, const Config& c);

  /// There is a command at host address `at`.
  void told(std::uint64_t at, const net::Cause& by);
  bool busy() const { return !commands_.empty() || !stopping_.empty(); }

 private:
  enum : std::uint64_t { command_token, first_context_token };
  struct Told {
    std::uint64_t at = 0;
    net::Cause by;
  };
  struct Stopping {
    Command what;
    int left = 0;  // queue pairs with something under way
  };
  void read();
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  void decoded(const flow::Contents& bytes, const net::Cause& last);
  void carry_out();
  void stop();
  void start();
  void save();
  void restore();
  void restored(std::uint32_t from, const flow::Contents& bytes, const net::Cause& last);
  void stable(std::uint32_t queue_pair, const net::Cause& by) override;
  /// The command is done with when `w` is over.
  void done(const net::Wait& w);
  void answer(std::uint64_t at, std::uint64_t tag, const net::Wait& w);
  void write(std::uint64_t at, Bytes n, flow::Contents contents, const net::Wait& w);
  std::uint32_t per_burst() const { return static_cast<std::uint32_t>(config_.burst / config_.context_size); }
  net::Wait run(const net::Wait& ready, int cycles, const char* work);
  Time now() const { return card_.simulation().now(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  dma::Port& port_;
  firmware::Processor& processor_;
  RequestScheduler& scheduler_;
  Queues& queues_;
  Config config_;
  flow::Ring<Told> commands_;  // the first one is carried out
  Command command_;
  net::Wait ready_;                 // to carry it out
  std::uint32_t to_restore_ = 0;    // contexts that have not come
  std::vector<Stopping> stopping_;  // that have been carried out
  sim::Timer<&CommandUnit::carry_out> alarm_{*this};
};

}  // namespace tsunagi::infiniband
