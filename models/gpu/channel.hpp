// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "flow/ring.hpp"
#include "models/gpu/command_fetch.hpp"
#include "models/gpu/engine.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "sim/timer.hpp"

namespace tsunagi::gpu {

/// What a channel needs of the GPU around it.
struct ChannelPorts {
  CommandFetch::Send fetch;                           // reads of commands
  CommandFetch::Send write;                           // posted writes
  std::function<Engine&(const Command&)> engine;      // which runs a command; throws std::runtime_error: none does
  std::function<std::uint64_t(std::uint32_t)> ended;  // how many commands of another channel have ended
  std::function<void(Cause)> progressed;              // one of this channel has
};

/// A channel of commands (a CUDA stream's work goes through one): fetches them (CommandFetch) and hands them to
/// engines, in their order. Commands of one engine follow each other there. One for another engine, or one that waits
/// for another channel, begins when all before have ended and what they wrote has left the GPU or is in its memory. A
/// wait that is over releases its semaphore `release_cycles` later. Order within a stream, none between streams but by
/// events: CUDA C Programming Guide, "Asynchronous Concurrent Execution". That what was written has left decides:
/// posted writes of one queue of the port keep their order from there on (Base Specification 2.4.1), those of two have
/// none.
class Channel final : private CommandOwner, private net::SlotOwner {
 public:
  Channel(net::Device& gpu, flow::PacketPool& pool, const CopyEngineConfig& c, int number, ChannelPorts ports);

  /// A register write that arrived as `by` says; `offset` within the channel's block.
  void write_register(std::uint64_t offset, std::uint64_t value, Cause by) { fetch_.write_register(offset, value, by); }
  /// A completion for its fetch.
  void complete(const flow::Packet& p, Cause by) { fetch_.complete(p, by); }
  /// Commands that have ended, and whose writes have left.
  std::uint64_t commands_ended() const { return ended_; }
  /// Another channel's command has ended: what waits for it may go on.
  void look(Cause by);
  /// Something is still under way.
  bool busy() const { return fetch_.busy() || in_flight_ != 0; }

 private:
  struct Waiting {
    Command what;
    Cause ready;
  };
  void ended(Cause by) override { fetch_.ended(by); }
  void left(Cause by) override;
  void count_left();
  void advance();
  void end_wait(const WaitCommand& w, Cause by);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return gpu_.simulation().now(); }

  net::Device& gpu_;
  flow::PacketPool& pool_;
  Clock clock_;
  int release_cycles_;
  ChannelPorts ports_;
  flow::Ring<Waiting> waiting_;
  const Engine* engine_ = nullptr;  // of the last command; null: the channel itself, of a wait
  int in_flight_ = 0;               // commands of it
  std::uint64_t ended_ = 0;
  flow::Ring<Cause> leaving_;                           // not counted in `ended_` yet
  Cause last_;                                          // what left last
  sim::Timer<&Channel::count_left> left_alarm_{*this};  // who tells of what has left is in the middle of something
  CommandFetch fetch_;
};

}  // namespace tsunagi::gpu
