// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "flow/ring.hpp"
#include "flow/tags.hpp"
#include "flow/timed_space.hpp"
#include "models/peach2/descriptor.hpp"
#include "models/peach2/dma_config.hpp"
#include "models/peach2/registers.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "net/wait.hpp"
#include "sim/simulation.hpp"
#include "units/address.hpp"

namespace tsunagi::peach2 {

using net::Cause;
using net::Wait;

/// What a DMA channel needs of the chip around it.
struct DmaPorts {
  /// A read request, ready at the delivery's schedule, to the host or to the chip's own memory.
  std::function<void(net::Delivery)> read;
  /// A write to an address of the shared window; the chip routes it like any other.
  std::function<void(net::Delivery)> write;
  /// The address lies in the chip's own region, so that no PCIe packet is built to read it.
  std::function<bool(Address)> is_own;
  /// Largest payload of a write.
  std::function<Bytes()> max_payload;
};

/// One channel of the DMA controller (paper 000, 3.5.2): runs descriptors out of its registers, or a chain of them out
/// of host memory or the chip's descriptor memory. It reads the source by requests of MRRS, turns each completion into
/// a write as it comes (cut-through), and writes its completion status behind the last write of the last descriptor.
///
/// Steps of `step_cycles` each, pipelined; they delay, they do not limit the rate:
///  - a descriptor in the registers: doorbell decoded - request built - completion stored - write built - (after the
///    last) status built;
///  - one in host memory: fetch built - (PCIe and back) - descriptor loaded, in `descriptor_cycles` - request built and
///    so on. Its address is all that a doorbell or a descriptor says, so there is nothing to decode;
///  - one in the chip: a cycle - (descriptor memory) - descriptor loaded and so on.
/// A descriptor whose turn it is waits in no queue; of others `prefetch` may wait, and only then is another fetched.
/// Completions that fill a write go on one by one; of smaller ones a write takes all that has come while the write
/// before it waited, up to the link's largest payload, never across 4 KiB or a gap. One request leaves a cycle, a fetch
/// before a read of data, and both behind a write that is built at the same time. Both sides of the engine hold one
/// descriptor each and need `descriptor_cycles` to load the next: the request side when the last request of its own is
/// made, the write side when the last write has left. What comes for the next one until then waits in the buffer.
class DmaChannel final : private net::SlotOwner {
 public:
  /// `number` of the channel in the chip: it names it, and decides which tags are its own.
  DmaChannel(net::Device& chip, flow::PacketPool& pool, const DmaConfig& c, Clock clock, int number, DmaPorts ports);

  /// A register write that arrived as `by` says; `offset` within the channel's block.
  void write_register(std::uint64_t offset, std::uint64_t value, Cause by);
  std::uint64_t read_register(std::uint64_t offset) const;
  /// A completion for one of this channel's tags.
  void complete(net::Delivery d);
  /// Something is still under way.
  bool busy() const { return !jobs_.empty() || next_descriptor_ != 0 || fetching_ != 0; }
  /// Whether that tag is the one that fetches descriptors.
  static bool fetches(const DmaConfig& c, int tag) { return tag % c.tag_numbers() == c.tags; }

 private:
  /// A descriptor that runs or waits for its turn.
  struct Job {
    Descriptor what;
    Wait ready;  // until its first request can be made
    Bytes requested;
    Bytes written;
    bool own = false;   // reads the chip's memory
    bool last = false;  // of its doorbell: status follows
  };
  struct Read {
    std::uint64_t job = 0;  // number of the descriptor that it reads for
    Bytes offset;           // of the next byte to come, in the descriptor's transfer
  };
  /// Data that wait for the write side to take their descriptor.
  struct Held {
    flow::PacketPtr completion;
    std::uint64_t job = 0;
    Bytes offset;        // in the descriptor's transfer
    net::Schedule when;  // when a write of them can be built
    net::Schedule arrived;
    std::size_t next = 0;         // packets before this one have been written,
    Bytes taken = Bytes::zero();  // and so much of it
  };
  /// What one write can carry.
  struct Gathered {
    Bytes bytes;
    Cause last;    // of the data the one that was ready last
    Time arrived;  // when that came
  };
  /// A request that can be made, at the earliest.
  struct Next {
    Time at = Time::max();  // max: not known
    Wait why;
    bool data = false;  // else a descriptor
    std::uint64_t address = 0;
    Bytes piece;
  };
  /// Rings when the next write can be built.
  struct WriteAlarm final : sim::Alarm {
    explicit WriteAlarm(DmaChannel& c) : Alarm(sim::Phase::arrive), channel(c) {}
    void ring() override { channel.write_ready(); }
    DmaChannel& channel;
  };
  /// Rings when the next request can be made.
  struct RequestAlarm final : sim::Alarm {
    explicit RequestAlarm(DmaChannel& c) : Alarm(sim::Phase::arrive), channel(c) {}
    void ring() override { channel.request_more(); }
    DmaChannel& channel;
  };

  std::uint64_t* register_at(std::uint64_t offset);
  Descriptor described(std::size_t number) const;
  void start(std::uint64_t count, Cause by);
  void begin(Cause by);
  void add_job(const Descriptor& d, const Wait& ready, bool last);
  [[noreturn]] void fail(const std::string& what) const;
  Time steps_after(Time t, int n) const { return clock_.after(t, n * config_.step_cycles); }

  // requests
  void request_more();
  Next next_read();
  void read(const Next& n);
  net::Delivery make_request(const Next& n, int tag);
  /// When a tag that came back can be used.
  Wait tag_back(int tag, const char* what) const;
  /// Waits until all tags are back, after the last of them; not at all if one is under way.
  bool all_back(Wait& w) const;
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return chip_.simulation().now(); }

  // descriptors of a chain
  void start_chain(std::uint64_t first, Cause by);
  /// The address of the next descriptor is known by `by`.
  void fetch_after(Cause by);
  std::size_t descriptors_waiting() const;
  Next next_fetch() const;
  void fetch(const Next& n);
  void fetched(const flow::Packet& p, Cause by);
  /// A descriptor went to the engine with request `by`: there is room for another.
  void made_room(Cause by);

  // writes
  /// Writes what it can, and asks for more if that has made room.
  void write_ready();
  /// Writes what the write side may take, in order of descriptors, and takes the next one when it can.
  void write_more();
  /// The first completions of a train that each fill a write of the largest payload, one behind the other: there is
  /// nothing to wait for.
  std::int32_t full_writes(const Held& data) const;
  /// Writes the first `n` completions of what is held as they are.
  void write_train(std::int32_t n);
  /// Builds one write of all that is ready and lies together, up to the largest payload, once the write before has
  /// left; false: not yet.
  bool gather();
  Gathered ready_bytes(Time now) const;
  /// Takes the first bytes from what is held for a write, with what they say.
  void take(Bytes n, flow::Packet& to);
  void write(flow::PacketPtr p, net::Schedule when, Time arrived);
  void finish();
  void write_status();

  net::Device& chip_;
  flow::PacketPool& pool_;
  const DmaConfig& config_;
  Clock clock_;
  DmaPorts ports_;
  int number_;
  std::array<std::array<std::uint64_t, Registers::descriptor_words>, Registers::descriptors> registers_{};
  std::uint64_t status_address_ = 0;
  std::uint64_t chain_address_ = 0;
  std::uint64_t status_value_ = 0;

  flow::Tags<Read> tags_;
  flow::TimedSpace buffer_;
  Wait issued_;  // one request a cycle
  Wait loaded_;  // the engine takes the next descriptor
  RequestAlarm request_alarm_{*this};
  flow::Ring<Job> jobs_;
  std::uint64_t first_job_ = 0;  // number of the first of them
  std::size_t requesting_ = 0;   // index in jobs_ of the descriptor that asks for data
  bool reading_own_ = false;     // the last request went to the chip's memory
  Cause last_write_;

  flow::Ring<Held> held_;      // by arrival
  std::uint64_t writing_ = 0;  // number of the descriptor that the write side holds
  Bytes leaving_;              // of its writes, not yet out of the buffer
  Cause left_;                 // the last of them that is
  Wait taken_;                 // until the write side has loaded it
  WriteAlarm write_alarm_{*this};
  bool writing_out_ = false;
  bool released_space_ = false;  // meanwhile

  std::uint64_t next_descriptor_ = 0;  // to be fetched; 0: none, or not known
  std::uint64_t fetching_ = 0;         // under way
  Wait next_fetch_;                    // until it can be asked for
};

}  // namespace tsunagi::peach2
