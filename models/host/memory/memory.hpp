// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/memory/cached_dram.hpp"
#include "models/host/memory/line_cache.hpp"
#include "models/host/memory/unread_lines.hpp"
#include "models/host/memory/written.hpp"
#include "models/host/transaction.hpp"
#include "sim/timer.hpp"

namespace tsunagi::host {

/// Where packets' writes go.
enum class DeviceWrites : std::uint8_t {
  cache,   // into the last-level cache, as Xeons' Data Direct I/O has it
  memory,  // past all caches to DRAM, from where the next core gets the lines, as EPYC 7002 to 9004 have it
};

struct MemoryConfig {
  Bytes base;
  Bytes size = 128_GiB;
  Time write_latency = 0_ns;
  Time read_latency = 50_ns;
  LastLevelCacheConfig llc;
  DeviceWrites device_writes = DeviceWrites::cache;
  int write_lines = 0;
  bool record = false;
};
void describe(MemoryConfig& c, config::Describer& d);

/// Where drivers get buffers in so many bytes of host memory from address 0 on: above 4 GiB, where most of it lies, if
/// a gigabyte lies there, else at its start.
Bytes buffers_from(Bytes size);

/// Host memory with the caches in front of it. With `llc`, accesses by the bus find their lines in the last-level cache
/// or in DRAM (CachedDram); those of cores that do not cross the bus (copies, line caches) have costs of their own.
/// Then writes are seen in the order in which they came, and answers leave when they are ready, those to one requester
/// and tag in the order of its requests. Keeps the bytes that packets' contents say, not bulk data; with `record`,
/// every extent that was written. A read brings what is kept of its bytes.
class Memory final : public net::Device {
 public:
  Memory(DeviceArgs args, const MemoryConfig& c);
  void receive(int port, net::Delivery&& d) override;
  bool takes_ahead(int /*port*/, const flow::Packet& p) const override { return is_write(p); }
  std::string leftover() const override;

  const MemoryConfig& config() const { return config_; }
  /// The word of `width` bytes (1 .. 8) that ends at `end` (the address behind its last byte).
  Word& word_ending_at(std::uint64_t end, Bytes width = Bytes(8)) { return written_.words().ending_at(end, width); }
  /// Takes away what it says: for instruments.
  void forget(Word& w) { written_.words().forget(w); }
  /// What a core that looks at `n` bytes from `address` on finds now; 0 where nothing is kept.
  std::vector<std::uint8_t> bytes(std::uint64_t address, Bytes n) const { return written_.words().bytes(address, n); }
  /// The same as packets carry it; at most 4 KiB.
  flow::Contents contents(std::uint64_t address, Bytes n) const {
    return written_.words().read(pool().contents(), address, n, now());
  }
  const std::vector<Extent>& extents() const { return written_.extents(); }
  /// A core has copied `n` bytes from `from` to `to` in this memory, by step `step`; what they say is seen from now on.
  /// Throws std::logic_error for bytes that it does not have.
  void copy(std::uint64_t to, std::uint64_t from, Bytes n, std::uint64_t step);
  /// A core has stored what packet `p` brought it, from `to` on; seen from now on. As for `copy`.
  void store(const flow::Packet& p, std::uint64_t to);
  /// Who is told of packets' writes from now on; outlives the run.
  void set_listener(WriteListener& l) { written_.set_listener(l); }
  /// Tells `cache` of every write from now on that does not come through it. Returns its number (Transaction::cache),
  /// the same each time.
  std::uint16_t add_cache(LineCache& cache);
  bool has(std::uint64_t address, Bytes n) const;
  /// A core has all lines of `n` bytes from `address` on from now on: how many of them it gets from DRAM, because
  /// packets wrote them past the caches and none has read them since. 0 where packets write into the last-level cache.
  std::int64_t read_lines(std::uint64_t address, Bytes n) { return unread_ ? unread_->read(address, n, now()) : 0; }
  std::int64_t read_lines(const ByteRange& r) {
    return read_lines(r.begin, Bytes(static_cast<std::int64_t>(r.end - r.begin)));
  }

  /// Drivers keep what lies from this address on, its end at first: programs and further drivers have what lies before.
  /// Before the run.
  std::uint64_t kept_from() const { return kept_from_; }
  void keep_from(std::uint64_t address) { kept_from_ = address; }

  /// The bytes from `address` on have said so for ever: before the run, or before anybody looks at them.
  void preset(std::uint64_t address, flow::ByteView bytes) { written_.words().preset(address, bytes); }

  // Between measurements, in no time; nothing without `llc`.
  /// `n` bytes from `address` on were written long ago: by the host, anywhere into the last-level cache, or by a card,
  /// into the ways where those of devices go.
  void warm(std::uint64_t address, Bytes n, WarmedBy by);
  /// The last-level cache is full of other data, which no DRAM has yet.
  void make_cold();

 private:
  void write(const flow::Packet& p, const net::Schedule& s);
  void make_stale(const flow::Packet& p, std::uint64_t address, Bytes n, Time seen);
  void answer(net::Delivery request);
  void send_with_contents(net::Delivery answer);
  void write_cached(net::Delivery d);
  void answer_cached(net::Delivery request);
  void hold(Time ready, net::Delivery answer);
  void send_held();

  struct Held {
    Time ready;
    net::Delivery answer;
  };
  MemoryConfig config_;
  Written written_;
  std::uint64_t kept_from_ = unsigned_of(config_.base + config_.size);
  std::vector<LineCache*> caches_;  // that have touched it
  std::unique_ptr<CachedDram> cached_;
  std::unique_ptr<UnreadLines> unread_;  // where packets write past the caches
  Time seen_;                            // with `llc`: when all writes so far can be
  std::vector<Held> held_;               // the next one that leaves last
  sim::Timer<&Memory::send_held> ready_alarm_{*this};
};

}  // namespace tsunagi::host
