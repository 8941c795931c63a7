// SPDX-License-Identifier: Apache-2.0
#include "models/process/host_process.hpp"

#include "config/error_at.hpp"
#include "models/process/node_part.hpp"

namespace tsunagi::process {

HostProcess::HostProcess(host::Core& core, host::Memory& memory, std::uint64_t end)
    : core_(&core),
      memory_(&memory),
      plan_(unsigned_of(memory.config().base), end),
      user_base_(unsigned_of(memory.config().base + host::buffers_from(memory.config().size))) {}

HostProcess::HostProcess(const Machine& m, const std::string& prefix, const std::string& core,
                         const std::string& memory)
    // By braces: the core is looked for first, whatever the compiler.
    : HostProcess{node_part<host::Core>(m, prefix, core, "core"),
                  node_part<host::Memory>(m, prefix, memory, "memory")} {}

void HostProcess::keep_areas(Bytes least, const std::string& shown) {
  if (const std::string why = plan_.refusal(least); !why.empty())
    throw config::error_at("/machine", memory_->name() + shown + " " + why);
  memory_->keep_from(plan_.lowest());
}

}  // namespace tsunagi::process
