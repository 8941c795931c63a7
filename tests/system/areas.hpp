// SPDX-License-Identifier: Apache-2.0
// Areas of ranks' memory, and how long one message between them takes.
#pragma once

#include <string>

#include "comm/rank.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace tsunagi::test {

inline comm::Buffer at(Bytes offset, Bytes n) { return {offset, n, {}, {}}; }
/// In blocks, so far apart from start to start.
inline comm::Buffer columns(Bytes offset, Bytes n, Bytes block, Bytes every) {
  return {offset, n, {}, {}, {}, block, every};
}

/// From the send's beginning to the receive's end, which has been waiting for long, after messages that made the way
/// known.
inline Time one_way(const std::string& run, const Overrides& overrides, const comm::Buffer& from,
                    const comm::Buffer& to) {
  const std::string fs = in_child([&] {
    constexpr Time begin = 2_ms;
    ProgramBench b(run, overrides);
    Time end;
    b.program(0, [&](comm::Rank& r) {
      r.send(1, from);
      r.send(1, from);
      r.wait_until(begin);
      r.send(1, from);
    });
    b.program(1, [&](comm::Rank& r) {
      for (int i = 0; i < 3; ++i) r.recv(0, to);
      end = r.now();
    });
    b.run();
    return std::to_string((end - begin).fs());
  });
  return Time::from_fs(std::stoll(fs));
}

}  // namespace tsunagi::test
