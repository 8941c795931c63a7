// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "config/describe.hpp"
#include "flow/ring.hpp"
#include "machine/machine.hpp"
#include "models/bench/dma_engine.hpp"
#include "models/host/memory/words.hpp"
#include "models/pcie/buffers.hpp"
#include "models/pcie/completer.hpp"
#include "models/pcie/tlp.hpp"
#include "sim/timer.hpp"

namespace tsunagi::bench {

struct ExerciserConfig {
  int queue = 128;
  Bytes memory = 8_GiB;
  net::LinkRole role = net::LinkRole::endpoint;
  bool align_writes = false;
  Time port_latency;
  Time answer_latency;
  EngineConfig engine;
  pcie::BufferConfig buffers;
};
void describe(ExerciserConfig& c, config::Describer& d);

/// A PCIe exerciser card: posts memory writes of the largest payload as fast as the link takes them, takes in writes as
/// fast as the link brings them, and answers reads of its memory, `answer_latency` after their last byte, in
/// completions that end at multiples of 128 B. With an engine it reads and writes as a DMA card does (DmaEngine).
class Exerciser final : public net::Device, private net::SlotOwner {
 public:
  Exerciser(DeviceArgs args, const ExerciserConfig& c);
  void receive(int port, net::Delivery&& d) override;
  bool takes_ahead(int /*port*/, const flow::Packet& p) const override {
    return p.header<pcie::Tlp>().type != pcie::TlpType::memory_read;
  }
  std::string leftover() const override;
  /// Writes `n` bytes to `address`; returns when the last write is queued. The last (up to eight) bytes say the lower
  /// ones of `value`.
  void write(Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value);

  /// Its engine; null: it has none.
  DmaEngine* engine() { return engine_.get(); }
  const ExerciserConfig& config() const { return config_; }
  /// The word of `width` bytes of the card's memory that ends at `end` (the address behind its last byte).
  host::Word& word_ending_at(std::uint64_t end, Bytes width = Bytes(8)) { return words_.ending_at(end, width); }
  /// Takes away what it says.
  void forget(host::Word& w) { words_.forget(w); }

 private:
  /// A write of many bytes, and how far it got.
  struct Job {
    std::uint64_t address = 0;
    Bytes left;
    Bytes word;  // the last of its bytes: what they say
    std::uint64_t value = 0;
    Time begin;
  };
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return now(); }
  /// Queues writes at the port while there are places for whole trains.
  void feed();
  void post_train(Job& job);
  void take(net::Delivery&& d);
  void answer(net::Delivery request);

  ExerciserConfig config_;
  int refill_;  // free places at which the queue is filled up again: it is long enough to keep the link busy until then
  int max_train_;  // never more than `refill_`
  int free_;
  pcie::Completer completer_{*this, pool(), 1};
  flow::Ring<Job> jobs_;
  std::uint64_t accepted_ = 0;  // jobs so far
  std::uint64_t posted_ = 0;    // jobs whose last write is queued
  Event job_posted_;
  host::Words words_;
  std::unique_ptr<DmaEngine> engine_;
  sim::Timer<&Exerciser::feed> refill_alarm_{*this};
};

}  // namespace tsunagi::bench
