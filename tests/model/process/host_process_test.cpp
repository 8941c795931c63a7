// SPDX-License-Identifier: Apache-2.0
// What a process's library keeps of a node's memory, and what is left for programs.
#include "models/process/host_process.hpp"

#include "models/host/memory/memory.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"
#include "units/parse.hpp"

namespace host_process_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

class Process final : public process::HostProcess {
 public:
  Process(host::Core& core, host::Memory& memory) : HostProcess(core, memory) {}
  using HostProcess::areas;
  using HostProcess::keep_areas;
};

/// Of a memory of `size` a library keeps `kept`: what is left, or why that does not do.
std::string left(Bytes size, Bytes kept) {
  return in_child([=] {
    Bench b;
    host::MemoryConfig memory;
    memory.size = size;
    b.device("core", host::CoreConfig{});
    b.device("memory", memory);
    b.wire("core.bus", "memory.bus", host::OnChipConfig{});
    b.build();
    Process p(b.machine().get<host::Core>("core"), b.machine().get<host::Memory>("memory"));
    p.areas().take("queues", kept);
    try {
      p.keep_areas();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return to_string(p.user_memory()) + " from " + std::to_string(p.user_base()) + ", kept from " +
           std::to_string(p.memory().kept_from());
  });
}

}  // namespace

TEST_CASE("a library's areas lie at the end of a node's memory, programs' bytes below them") {
  CHECK(left(1_MiB, 64_KiB) == "960 KiB from 0, kept from 983040");
  // A large memory's first 4 GiB are no buffers' (host::buffers_from).
  CHECK(left(8_GiB, 1_GiB) == "3 GiB from 4294967296, kept from 7516192768");
}

TEST_CASE("a library may not keep all of a node's memory") {
  CHECK(left(1_MiB, 1_MiB - 4_KiB) == "4 KiB from 0, kept from 4096");
  CHECK_THAT(left(1_MiB, 1_MiB), Catch::Contains("memory has 1 MiB, of which the driver keeps 1 MiB"));
  CHECK_THAT(left(8_GiB, 4_GiB), Catch::Contains("of which the driver keeps 4 GiB"));
}

}  // namespace host_process_test
