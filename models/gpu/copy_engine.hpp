// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "flow/ring.hpp"
#include "flow/timed_space.hpp"
#include "models/gpu/command.hpp"
#include "models/gpu/copy_engine_config.hpp"
#include "models/gpu/engine.hpp"
#include "models/pcie/read_requester.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "sim/timer.hpp"
#include "units/clock.hpp"

namespace tsunagi::gpu {

/// What a copy engine needs of the GPU around it.
struct EnginePorts {
  std::function<void(net::Delivery)> read;   // reads of data
  std::function<void(net::Delivery)> write;  // posted writes, and reads that must not pass them
  /// Releases of semaphores; null: as writes.
  std::function<void(net::Delivery)> release;
  /// Packet `i` of a train of completions goes to byte `at` of the GPU's memory, where it can be seen from `when` on.
  std::function<void(const flow::Packet&, std::int32_t i, std::uint64_t at, Time when)> store;
  /// What `n` bytes (at most 4 KiB) of the GPU's memory from `at` on say, which are read at `read`, by all writes to it
  /// that have come; and whether those bytes say anything at all.
  std::function<flow::Contents(std::uint64_t at, Bytes n, Time read)> load;
  std::function<bool(std::uint64_t at, Bytes n)> says;
  std::function<Bytes()> max_payload;
  Bytes memory_size;  // of the GPU
  Time read_latency;  // of its memory
  Time write_latency;
  int max_train = 1;
  /// That no read crosses.
  Bytes read_boundary = 4_KiB;
  /// Reads of data that leave in one cycle ask for so many bytes together; no more than one: zero.
  Bytes asked_a_cycle = Bytes::zero();
  /// Ways to the other side that keep no order among each other: addresses take them in turn, by pieces of so much.
  int ways = 1;
  Bytes interleave = 4_KiB;
};

/// One copy engine. Runs copies one after the other; all its actions fall on edges of its clock.
///  - From its own memory to the host or to a peer's BAR window: reads `width` bytes a cycle into a buffer, from where
///    they leave as posted writes of max payload; what is read in one cycle is of one write, or of as many whole ones
///    as fit. Buffer space is free again when a write has left. What is written to bytes while they are copied may be
///    copied or not.
///  - From the host, or a peer's BAR window, to its own memory: reads of `max_read_request`, one a cycle (by NVLink as
///    many as ask for `width` bytes), as many at a time as there are tags.
///  - Then, `release_cycles` behind the last byte, the semaphore: a posted write of 4 B to host memory. Data to
///    the host it follows all the way. From those to a peer it parts in the root complex: there a command may ask for a
///    flush, which reads the last word back (Base Specification 2.2.5, reads as flushes; 2.4.1, they never pass
///    writes), and the semaphore follows the answer. Kepler's copy class has such a bit (FLUSH_ENABLE); how the chip
///    does it is not known. Where there are several ways, the flush is one such read by each that was taken.
class CopyEngine final : public Engine, private net::SlotOwner {
 public:
  CopyEngine(net::Device& gpu, flow::PacketPool& pool, const CopyEngineConfig& c, int number, EnginePorts ports);

  /// Tags that an engine uses: one of flushes, those of data.
  static int tag_numbers(const CopyEngineConfig& c) { return first_data_tag + c.tags; }
  void run(const Command& c, CommandOwner& owner, Cause by) override;
  /// A completion for one of this engine's tags.
  void complete(net::Delivery d);
  /// Something is still under way.
  bool busy() const { return running_; }

 private:
  static constexpr int flush_tag = 0;
  static constexpr int first_data_tag = flush_tag + 1;

  struct Job {
    CopyCommand what;
    CommandOwner* owner;
    Wait ready;
    Bytes asked;  // bytes read, or asked for
    Bytes moved;  // bytes that came back
  };
  /// Whose releases have not left yet.
  struct Releases final : net::SlotOwner {
    explicit Releases(const CopyEngine& e) : engine(e) {}
    void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
    Time slot_now() const override { return engine.slot_now(); }
    const CopyEngine& engine;
    flow::Ring<CommandOwner*> owners;
  };

  /// Throws std::runtime_error if the GPU's memory does not hold these bytes.
  void check_memory(std::uint64_t offset, Bytes n) const;
  void begin();
  void end(Cause last_byte);
  void number_read(net::Delivery& d, int tag) const;

  // own memory to elsewhere
  void send_more();
  net::Span read_own(const flow::Packet& p, Bytes n);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return gpu_.simulation().now(); }
  void flush(Cause last_byte);
  void flushed(Cause by);

  // host memory to own memory
  void store(net::Delivery d);

  net::Device& gpu_;
  flow::PacketPool& pool_;
  const CopyEngineConfig& config_;
  Clock clock_;
  int number_;
  EnginePorts ports_;
  flow::Ring<Job> jobs_;  // the first one runs if `running_`
  bool running_ = false;
  Wait next_;                                              // what the running job's next access comes behind
  Time beat_;                                              // when the last one that has been read from began
  Bytes beat_left_;                                        // what else it reads
  pcie::ReadRequester reads_;                              // of host memory
  flow::TimedSpace space_;                                 // of the buffer
  sim::Timer<&CopyEngine::send_more> space_alarm_{*this};  // when buffer space gets free that the running job waits for
  int flushes_ = 0;                                        // not answered yet
  Releases releases_{*this};
};

}  // namespace tsunagi::gpu
