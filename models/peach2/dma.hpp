// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "flow/ring.hpp"
#include "models/peach2/registers.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "net/specs.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::peach2 {

struct DmaConfig {
  int channels = 4;
  int step_cycles = 20;
  int tags = 4;
  Bytes max_read_request = 4_KiB;
  Bytes buffer = 16_KiB;
};
void describe(DmaConfig& c, config::Describer& d);

/// What let something begin: a packet, at a time on its way.
struct Cause {
  Time when;
  std::uint64_t packet = 0;
};

/// What a DMA channel needs of the chip around it.
struct DmaPorts {
  /// A read request to the host, ready at the delivery's schedule; the chip adds nothing.
  std::function<void(net::Delivery)> read;
  /// A write to an address of the shared window; the chip routes it like any other.
  std::function<void(net::Delivery)> write;
};

/// One channel of the DMA controller in register mode (paper 000, 3.5.2): reads the source by
/// requests of MRRS, turns each completion into a write as it comes (cut-through), and writes
/// its completion status behind the last write of the descriptor.
/// Steps of `step_cycles` each: doorbell decoded - request built - completion stored - write
/// built, and status built. Steps are pipelined; they delay, they do not limit the rate.
class DmaChannel final : private net::SlotOwner {
 public:
  DmaChannel(net::Device& chip, flow::PacketPool& pool, const DmaConfig& c, Clock clock, int first_tag, DmaPorts ports);

  /// A register write that arrived as `by` says; `offset` within the channel's block.
  void write_register(std::uint64_t offset, std::uint64_t value, Cause by);
  /// A completion for one of this channel's tags.
  void complete(net::Delivery d);
  /// Something is still under way.
  bool busy() const { return !running_.empty(); }

 private:
  struct Descriptor {
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
    std::uint64_t length = 0;
  };
  struct Running {
    Descriptor what;
    Bytes requested;
    Bytes written;
    bool last = false;  // of its doorbell: status follows
  };
  struct Tag {
    std::uint64_t destination = 0;  // where the next byte to come goes
    Bytes left;                     // bytes to come; 0: free
    Cause free_since;
  };
  /// Buffer space and from when on it is free; the future is known as soon as its end is.
  struct Space {
    Cause since;
    Bytes bytes;
  };

  /// Rings when the next request can be made.
  struct RequestAlarm final : sim::Alarm {
    explicit RequestAlarm(DmaChannel& c) : Alarm(sim::Phase::arrive), channel(c) {}
    void ring() override { channel.request_more(); }
    DmaChannel& channel;
  };

  void start(std::uint64_t count, Cause by);
  void request_more();
  void request(Running& r, Tag& tag, Bytes piece, Time at);
  /// Tells what a request that leaves at `at` waited for; returns the packet that it waited for last.
  std::uint64_t tell_request(std::uint64_t packet, const Tag& tag, Cause space, Time at) const;
  /// When a tag that came back can be used.
  Time tag_back(const Tag& tag) const;
  /// The tag that has been free for longest, or null.
  Tag* free_tag();
  /// From when on `n` bytes of buffer are free, as far as is known; max: unknown.
  Cause buffer_since(Bytes n) const;
  void take_buffer(Bytes n);
  void write_out(const flow::Packet& completion, Tag& tag, net::Schedule when, Time arrived);
  std::uint64_t write(flow::PacketPtr p, net::Schedule when, Time arrived);
  void finish(Cause last_write);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, const net::Schedule& when,
                     std::uint64_t packet) override;
  Time slot_now() const override { return chip_.simulation().now(); }

  net::Device& chip_;
  flow::PacketPool& pool_;
  const DmaConfig& config_;
  Clock clock_;
  DmaPorts ports_;
  int first_tag_;
  std::array<Descriptor, Registers::descriptors> registers_;
  std::uint64_t status_address_ = 0;
  std::uint64_t status_value_ = 0;
  std::vector<Tag> tags_;
  flow::Ring<Space> buffer_;  // by time
  Time next_request_;
  Cause last_request_;  // or the doorbell
  RequestAlarm request_alarm_{*this};
  flow::Ring<Running> running_;
  std::size_t requesting_ = 0;  // index in running_ of the descriptor that asks for data
};

}  // namespace tsunagi::peach2
