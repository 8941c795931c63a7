// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "flow/ring.hpp"
#include "models/router/allocator.hpp"
#include "models/router/output_space.hpp"
#include "models/router/placed_router.hpp"
#include "sim/timer.hpp"

namespace tsunagi::router {

/// How inputs and outputs of the crossbar are matched.
enum class Allocation : std::uint8_t { islip, wavefront };

struct InputQueuedRouterConfig : RouterConfig {
  double speedup = 1;
  Allocation allocator = Allocation::islip;
  int iterations = 1;
  int output_buffer_flits = 32;
};
void describe(InputQueuedRouterConfig& c, config::Describer& d);

/// The input-queued router of the textbooks (Dally and Towles, "Principles and Practices of Interconnection Networks",
/// chapters 16 to 19), of a network.
///
/// A packet's head passes the pipeline of `latency` cycles, then waits in the one FIFO of its input and virtual
/// channel: only the first packet of a FIFO may leave (head-of-line blocking). On edges of the crossbar's clock, which
/// is the router's times `speedup`, the allocator matches free inputs with free outputs (Islip, Wavefront); of an
/// input's virtual channels that want its output the next in turn goes. Where virtual channels have turns
/// (Turns::channels) they are allocated first (Dally and Towles, 19.3: separable): one of an output is granted to the
/// next of all inputs' channels, of those that could cross, and only who has one asks for the crossbar. The packet
/// keeps both until it has crossed, a flit a cycle, no faster than it comes in. Its input buffer is free then. It is
/// granted only when the output buffer of its next virtual channel has room for all of it, and may leave that as soon
/// as its head is there; wire and credits are waited for there, which holds up nobody but those behind.
///
/// The pieces of a worm keep their output's virtual channel: no other input's packet gets it between them. A multicast
/// crosses to all of its outputs at once, when all can take it. So that it comes to that, the multicast whose turn it
/// is keeps other packets from its outputs (round robin over the FIFOs).
class InputQueuedRouter final : public PlacedRouter {
 public:
  InputQueuedRouter(DeviceArgs args, const InputQueuedRouterConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

 private:
  static constexpr int none = -1;
  /// The FIFO of a virtual channel of an input, and what its first packet wants.
  struct Queue {
    flow::Ring<net::Delivery> waiting;
    int output = none;
    flow::FlowClass vc = 0;  // at the output
    std::uint16_t copies = 1;
    std::int64_t flits = 0;
    Urgency urgency;
  };
  struct Input {
    Time busy_until;
    int next_vc = 0;  // first in turn
    int priority = 0;
  };
  /// One virtual channel of an output.
  struct Lane {
    OutputSpace space;
    int owner = none;       // the queue whose worm is under way
    int wanted = 0;         // by so many queues' first packets
    int next = 0;           // queue, first in turn
    int granted_to = none;  // queue, at this edge
  };
  /// Lends the space of its buffer to what waits there for the wire.
  struct Output final : net::SlotOwner {
    void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
    Time slot_now() const override { return router->now(); }
    InputQueuedRouter* router = nullptr;
    Time busy_until;
    int held_by = none;  // the queue whose multicast waits for all its outputs
    std::vector<Lane> lanes;
  };

  int input_of(int queue) const { return queue / virtual_channels(); }
  Queue& queue(int i) { return queues_[static_cast<std::size_t>(i)]; }
  Input& input(int i) { return inputs_[static_cast<std::size_t>(i)]; }
  Output& output(int i) { return outputs_[static_cast<std::size_t>(i)]; }
  /// Calls `f(output)` for every output that the first packet of `q` wants.
  template <class F>
  void for_outputs(const Queue& q, F&& f);
  /// Calls `f(number)` for every queue that holds anything, in ascending order from `first` on, round and round.
  template <class F>
  void for_waiting(int first, F&& f);

  /// A packet has become the first of its queue.
  void look_at_first(int q);
  /// The earliest time, now or later, at which the first packet of a queue can cross, by what is known; max: not known.
  Time earliest(int q);
  /// One edge of the crossbar's clock.
  void allocate();
  void grant_multicasts();
  /// Packets that can cross ask for the crossbar.
  void request_all();
  void request_by_channels();
  /// The queue of `in` whose first packet goes to `out` now.
  int choose(int in, int out);
  /// The first packet of a queue crosses from now on.
  void move(int q);
  void put_out(int q, int out, flow::PacketPtr p, net::Span span);
  void arm(Time when);
  void arm_next();

  Clock crossbar_clock_;
  std::vector<Queue> queues_;  // of input 0, of input 1, …
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> waiting_;  // a bit each queue that holds anything
  std::unique_ptr<Allocator> allocator_;
  Turns turns_;
  std::vector<Lane*> asked_;  // at this edge, where channels have turns
  int multicasts_ = 0;        // that are first of their queues
  int multicast_turn_ = 0;    // queue
  int holder_ = none;         // queue
  std::int64_t output_buffer_flits_;
  sim::Timer<&InputQueuedRouter::allocate> allocate_alarm_{*this, sim::Phase::grant};
};

}  // namespace tsunagi::router
