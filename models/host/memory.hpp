// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "comm/fiber.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"

namespace tsunagi::host {

struct MemoryConfig {
  Bytes size = 128_GiB;
  Time write_latency = 0_ns;
  Time read_latency = 50_ns;
  bool record = false;
};
void describe(MemoryConfig& c, config::Describer& d);

/// A word that somebody polls: what it says, since when, and an event when it changes.
struct Word {
  std::uint64_t value = 0;
  Time since;
  comm::Event changed;
};

/// One write as a recording memory saw it.
struct Extent {
  std::uint64_t address = 0;
  Bytes length;
  std::uint32_t origin = 0;
  std::uint64_t origin_offset = 0;
  std::uint64_t value = 0;
  Time when;
};

/// Host memory with the caches in front of it. Keeps the words that messages mark (flags, last
/// words), not the data; with `record`, every extent that was written.
class Memory final : public net::Device {
 public:
  Memory(DeviceArgs args, const MemoryConfig& c);
  void receive(int port, net::Delivery d) override;
  std::string leftover() const override;

  const MemoryConfig& config() const { return config_; }
  /// The word that ends at `end` (the address behind its last byte).
  Word& word_ending_at(std::uint64_t end) { return words_[end]; }
  const std::vector<Extent>& extents() const { return extents_; }

 private:
  struct Pending {
    Time when;
    std::uint64_t end = 0;
    std::uint64_t value = 0;
  };
  struct Visible final : sim::Alarm {
    explicit Visible(Memory& m) : Alarm(sim::Phase::arrive), memory(m) {}
    void ring() override { memory.make_visible(); }
    Memory& memory;
  };
  void write(const flow::Packet& p, const net::Schedule& s);
  void answer(net::Delivery request);
  void make_visible();

  MemoryConfig config_;
  std::unordered_map<std::uint64_t, Word> words_;  // looked up only, never walked
  flow::Ring<Pending> pending_;
  std::vector<Extent> extents_;
  Visible visible_{*this};
};

}  // namespace tsunagi::host
