// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "flow/ring.hpp"
#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::ethernet {

struct PacketMemoryConfig {
  Bytes size = 1_MiB;
  Bytes port_limit;  // 0: none
  Bytes cell = 64_B;
};
/// As fields of a switch whose frames have at most `largest`.
void describe_memory(PacketMemoryConfig& c, Bytes largest, config::Describer& d);

/// A packet memory that all ports of a switch share, in cells: a frame takes whole ones. An output port may have so
/// much of it waiting, and no more, however much is free (a static threshold; Irland, "Buffer Management in a Packet
/// Switch", IEEE Trans. Comm. 26(3), 1978). Knows by input, too, what is whose. Pure: time is what it is asked for.
class PacketMemory {
 public:
  PacketMemory(const PacketMemoryConfig& c, int ports);

  std::int64_t cells(Bytes frame) const { return units_of(frame, cell_); }
  /// Room for a frame of `n` cells that comes by `in` and leaves by `out`, at `now`: false if there is none. What
  /// leaves at `now` has left.
  bool take(int in, int out, std::int64_t n, Time now);
  /// Such a frame leaves at `when`, not earlier than any `now` asked for.
  void leaves(int in, int out, std::int64_t n, Time when) { flow::push_by_time(leaving_, Leaving{when, n, in, out}); }
  /// What has left by `now` is free.
  void catch_up(Time now);
  /// When the next frame leaves, as far as is known; max: that is not known.
  Time next_leaving() const { return leaving_.empty() ? Time::max() : leaving_.front().when; }

  // As of the last `now`:
  Bytes used_by_input(int in) const { return cell_ * by_input_[static_cast<std::size_t>(in)]; }
  Bytes used_by_output(int out) const { return cell_ * by_output_[static_cast<std::size_t>(out)]; }
  Bytes used() const { return cell_ * used_; }
  /// Nothing is in it once all that is known to leave has left.
  bool empty() const;

 private:
  struct Leaving {
    Time when;
    std::int64_t cells;
    int in;
    int out;
  };
  Bytes cell_;
  std::int64_t size_;   // cells
  std::int64_t limit_;  // cells
  std::int64_t used_ = 0;
  std::vector<std::int64_t> by_input_;
  std::vector<std::int64_t> by_output_;
  flow::Ring<Leaving> leaving_;
};

}  // namespace tsunagi::ethernet
