// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "config/describe.hpp"
#include "fiber/fiber.hpp"
#include "flow/ring.hpp"
#include "models/host/memory/words.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "sim/timer.hpp"
#include "units/clock.hpp"

namespace tsunagi::gpu {

struct StoreUnitConfig {
  Bytes line;
  Frequency clock{1'410'000'000};
  Bytes width = 64_B;
  Bytes burst = 2_KiB;
  Bytes queue = 64_KiB;
  Rate block_rate = Rate::bytes_per_second(40'000'000'000);
  Time load_latency = 600_ns;
  Time fence_latency = 500_ns;
  /// What a fence waits for: the block's stores before it, or until none of the block's is under way, so that those
  /// behind it delay it, too.
  enum class Fence : std::uint8_t { before, quiet };
  Fence fence = Fence::before;
};
void describe(StoreUnitConfig& c, config::Describer& d);

/// What a thread block stores to the bus, one behind the other: bytes of its GPU's memory, or computed of them.
struct Stores {
  int block = 0;             // by which queue
  std::uint64_t source = 0;  // in the GPU's memory
  std::uint64_t target = 0;  // bus address, of a peer's window or of host memory
  Bytes size;
  /// Not 0: the last word of each burst says it, as lines that carry their flag do.
  std::uint64_t flag = 0;
  /// Lines between multiples of it arrive in their order, so the word before each multiple says it, too; 0: all do.
  Bytes in_order;
  Bytes burst;       // at most the unit's; 0: that
  Time begin;        // when the first may be stored
  net::Cause since;  // because of what
};

/// The way of a GPU's multiprocessors to the bus: kernels' loads and stores of a peer's memory, which is mapped, go by
/// lines, many under way, past the copy engines. A kernel's program is not the unit's: whoever runs it (a library, on
/// a fiber for each thread block) tells the unit what the block's threads store, and looks at words of the GPU's own
/// memory that peers write.
///  - Stores of a block leave in their order, in bursts: what the threads of a warp have in a turn of
///    their loop. Blocks take turns by bursts. A burst begins when
///    the block's loop has come round (`block_rate`), `width` bytes a cycle,
///    and there is room for all of it in the queue to the bus, where each byte stays until its line has left the GPU.
///  - A release is a flag behind all that the block has stored: `fence_latency` behind the last line's leaving, or the
///    block's release before, a posted write of 8 B (CUDA: __threadfence_system and a store). What the fence of a GPU
///    waits for is not published (`fence`). All writes are of one queue of the port, so that a flag never passes data
///    (Base Specification 2.4.1).
///  - By NVLink stores leave as they come, each by its address's link, of which one keeps no order with another: the
///    fence then reads a word back by each link that the block has stored by since its last, and is over
///    `fence_latency` behind the last answer (assumed: as the flush of a CopyEngine; Base Specification 2.2.5, 2.4.1).
///  - A poll is a loop of loads of the GPU's memory, one under way: it sees what is there half of `load_latency` after
///    each began.
class StoreUnit final {
 public:
  /// By which port an address is reached, in writes of what size, which cross no multiple of it, and how many of them
  /// are a train at most. What leaves by port 0, the bus, keeps its order all the way.
  struct Way {
    int port = 0;
    Bytes max_payload;
    std::int64_t max_train = 1;
  };
  /// What it needs of the GPU around it.
  struct Ports {
    std::function<Way(std::uint64_t address)> way;
    std::function<void(int port, net::Delivery)> write;             // posted writes
    std::function<void(int port, int block, net::Delivery)> flush;  // a read behind them, which brings flushed()
    std::function<host::Word&(std::uint64_t end)> word;             // eight bytes of the GPU's memory
  };
  StoreUnit(net::Device& gpu, flow::PacketPool& pool, const StoreUnitConfig& c, Ports ports);

  const StoreUnitConfig& config() const { return config_; }
  /// Queues stores; takes no time. Throws std::runtime_error if there are no bytes.
  void store(const Stores& s);
  /// Returns when all that the block was given has been stored, into the queue to the bus.
  void wait_stored(Fiber& f, int block);
  /// Queues a release: the word of eight bytes at `address` gets to say `value` behind all that the block was given.
  void release(int block, std::uint64_t address, std::uint64_t value);
  /// Returns when all releases of the block have been stored.
  void wait_released(Fiber& f, int block);
  /// A word at once, behind nothing: what its reader does not take for data.
  void signal(std::uint64_t address, std::uint64_t value, net::Cause by);
  /// A flush of a block's fence has been answered.
  void flushed(int block, net::Cause by);
  /// When a loop that has polled the word before `end` of the GPU's memory since `since` sees it say at least `value`,
  /// and since when it said so, by which packet; waits until that can be told, which is when it says so.
  struct Seen {
    Time when;
    net::Cause by;
  };
  Seen seen(Fiber& f, std::uint64_t end, std::uint64_t value, Time since);
  bool busy() const;

 private:
  struct Release {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::int64_t behind = 0;  // bytes of the block
  };
  /// Where a block has stored to by a port since its last fence began.
  struct Touched {
    int port = 0;
    std::uint64_t address = 0;
  };
  struct Block {
    flow::Ring<Stores> jobs;
    Time next;               // when its loop has come round
    std::int64_t given = 0;  // bytes
    std::int64_t left = 0;   // bytes that have left the GPU
    net::Cause last_left;
    flow::Ring<Release> releases;
    Time fence;  // when the first one's fence is over; max: not known yet
    std::vector<Touched> touched;
    int flushes = 0;  // not answered yet
    Event stored;
    Event released;
  };
  /// A burst in the queue to its ports.
  struct Burst final : net::SlotOwner {
    Burst(StoreUnit& u, int b, Bytes n) : unit(u), block(b), size(n), remaining(n) {}
    void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
    Time slot_now() const override { return unit.now(); }
    StoreUnit& unit;
    int block;
    Bytes size;
    Bytes remaining;
    net::Cause last;  // to leave
  };
  struct Flush {
    std::uint64_t address = 0;
    int port = 0;
    int block = 0;
    net::Cause by;
  };
  struct Signal {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    net::Cause by;
  };
  struct Left {
    int block = 0;
    Bytes size;
    net::Cause when;
  };

  Block& block(int number);
  /// When a block's next burst may begin; max: it has none.
  Time ready(const Block& b) const;
  void look();
  void send_signals();
  void arm(Time at);
  void issue(int number);
  void send(const Stores& s, Bytes n, Time at);
  void count_left();
  void fence(int number);
  void end_fences();
  void send_flushes();
  void left(Burst& b);
  Time now() const { return gpu_.simulation().now(); }

  net::Device& gpu_;
  flow::PacketPool& pool_;
  const StoreUnitConfig& config_;
  Clock clock_;
  Ports ports_;
  std::vector<std::unique_ptr<Block>> blocks_;  // by number; null: not used so far
  std::size_t turn_ = 0;                        // whose it is
  Time free_;                                   // when the unit can take a burst
  Bytes queued_;
  std::deque<Burst> bursts_;     // in the order in which they were stored
  std::deque<Left> leaving_;     // by time
  std::vector<Signal> signals_;  // of this instant
  std::vector<Flush> to_flush_;  // of this instant
  sim::Timer<&StoreUnit::look> look_alarm_{*this, sim::Phase::grant};
  sim::Timer<&StoreUnit::count_left> left_alarm_{*this};
  sim::Timer<&StoreUnit::end_fences> fence_alarm_{*this};
};

}  // namespace tsunagi::gpu
