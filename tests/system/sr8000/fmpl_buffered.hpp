// SPDX-License-Identifier: Apache-2.0
// FMPL with a buffer for sends that nobody receives in time.
#pragma once

#include <string>

#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "system/program_bench.hpp"

namespace tsunagi::test {

inline Overrides buffered(const std::string& size, const std::string& timeout = "0 s") {
  return {{"/library/send_buffer", "\"" + size + "\""}, {"/library/timeout", "\"" + timeout + "\""}};
}

/// From the call of a send to the first look for its header, by a slot that was not used before: cycles, a miss.
constexpr Time begun = 500_ns + 300_ns;
constexpr Time visit = 40_ns;
constexpr Time noted = 1_us;

inline Time copied(ProgramBench& b, Bytes n) {
  return b.machine().get<host::Core>("node0.core0").config().copy.rate(n).time(n);
}

/// A text in a rank's memory.
class Texts {
 public:
  explicit Texts(ProgramBench& b) : b_(b) {}
  host::Memory& memory(int rank) { return b_.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory"); }
  std::uint64_t user() { return unsigned_of(host::buffers_from(memory(0).config().size)); }
  void preset(int rank, Bytes offset, const std::string& text) {
    memory(rank).preset(user() + unsigned_of(offset),
                        {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  std::string read(int rank, Bytes offset, std::size_t n) {
    const auto bytes = memory(rank).bytes(user() + unsigned_of(offset), Bytes(static_cast<std::int64_t>(n)));
    return {bytes.begin(), bytes.end()};
  }

 private:
  ProgramBench& b_;
};

}  // namespace tsunagi::test
