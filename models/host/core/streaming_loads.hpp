// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fiber/fiber.hpp"
#include "flow/cause.hpp"
#include "flow/packet.hpp"
#include "models/host/core/core_steps.hpp"
#include "models/host/core/write_combining.hpp"
#include "models/host/core_config.hpp"
#include "models/host/memory/memory.hpp"
#include "net/device.hpp"

namespace tsunagi::host {

/// A core's copies out of a write-combining mapping, by streaming loads of 16 bytes (MOVNTDQA) and by two overlapping
/// ones for what is left of fewer (as memcpy of glibc). Each load is a read by the core's first port, and brings no
/// other load its data: those of one line follow each other. Loads of different lines are under way at once, as many
/// as the load buffer has entries, which they get and give back in order.
///
/// Where a core has streaming lines, the loads of 16 bytes of a line share one read, of all that the copy takes of it:
/// as many lines are under way as there are, in order as well. What is left of fewer bytes is loaded as before.
///
/// Sources: the loads, GDRCopy's src/memcpy_sse41.c and glibc's memmove-vec-unaligned-erms.S; the load buffer, Intel 64
/// and IA-32 optimization manual. That a load brings no other one its data is read off GDRCopy's published curve, where
/// 16 B take a round trip, 32 B two, and 64 B to 1 KiB about four (docs/gpu-fpga.md); that they share it on later
/// cores, off one where 64 B to 512 B take one trip. A line's bytes in a buffer for the loads behind: Intel 64 and
/// IA-32 software developer's manual, MOVNTDQA.
class StreamingLoads {
 public:
  static constexpr Bytes widest{16};

  /// All that it is given outlives it.
  StreamingLoads(net::Device& core, flow::PacketPool& pool, const CoreConfig& c, CoreSteps& steps,
                 const WriteCombining& stores)
      : core_(core),
        pool_(pool),
        config_(c),
        steps_(steps),
        stores_(stores),
        entries_(c.streaming_lines > 0 ? c.streaming_lines : c.load_buffer),
        done_(entries_) {}
  /// One step: copies `n` bytes from `from`, a multiple of 16, on to `to` in `memory`, behind the lines stored before.
  void copy(Fiber& f, Memory& memory, std::uint64_t to, std::uint64_t from, Bytes n);
  /// Loads wait for their bytes.
  bool awaits_answer() const { return oldest_ < loads_; }
  /// One of them, whole. Throws std::runtime_error for bytes that no load asked for.
  void answer(const flow::Packet& p);

 private:
  struct Load {
    std::uint64_t at;  // behind `from_`
    Bytes size;
  };
  Load load(std::int64_t i) const;
  /// Of those of 16 bytes, the one with number `i`, or what a streaming line brings of them.
  Load streaming(std::int64_t i) const;
  /// Load `i` must wait for the one before it, which is of its line.
  bool follows(std::int64_t i) const { return i > 0 && line_of(i) == line_of(i - 1) && !done(i - 1); }
  std::uint64_t line_of(std::int64_t i) const;
  std::size_t entry(std::int64_t i) const { return static_cast<std::size_t>(i % entries_); }
  /// Load `i` has its data, or has retired.
  bool done(std::int64_t i) const { return i < oldest_ || done_[entry(i)]; }
  /// Gives free entries to the next loads, and issues those that need not wait, at `at`.
  void fill(flow::Cause why, Time at);
  void issue(std::int64_t i, flow::Cause why, Time at);

  net::Device& core_;
  flow::PacketPool& pool_;
  const CoreConfig& config_;
  CoreSteps& steps_;
  const WriteCombining& stores_;
  std::int64_t entries_;  // of the load buffer, or streaming lines
  Memory* memory_ = nullptr;
  std::uint64_t to_ = 0;
  std::uint64_t from_ = 0;
  Bytes size_;
  std::int64_t loads_ = 0;
  std::int64_t whole_ = 0;   // of them, those of 16 bytes, or lines of those
  std::int64_t oldest_ = 0;  // that has not retired
  std::int64_t next_ = 0;    // that has no entry yet
  std::vector<bool> done_;   // of each entry
  std::uint64_t last_answer_ = 0;
  Event retired_;
};

}  // namespace tsunagi::host
