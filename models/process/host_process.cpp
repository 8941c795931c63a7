// SPDX-License-Identifier: Apache-2.0
#include "models/process/host_process.hpp"

#include "config/error_at.hpp"

namespace tsunagi::process {

HostProcess::HostProcess(host::Core& core, host::Memory& memory, std::uint64_t end)
    : core_(&core),
      memory_(&memory),
      plan_(unsigned_of(memory.config().base), end),
      user_base_(unsigned_of(memory.config().base + host::buffers_from(memory.config().size))) {}

void HostProcess::keep_areas() {
  const Bytes before = host::buffers_from(memory_->config().size);
  if (const std::string why = plan_.refusal(before + 1_B); !why.empty())
    throw config::error_at("/machine", memory_->name() + " " + why);
  memory_->keep_from(plan_.lowest());
}

}  // namespace tsunagi::process
