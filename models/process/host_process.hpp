// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "machine/machine.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/process/memory_plan.hpp"

namespace tsunagi::process {

/// What a rank's process has of its node: a core, host memory, areas that its library keeps at that memory's end, and
/// the program's own bytes below them. Core and memory outlive it.
class HostProcess {
 public:
  host::Core& core() const { return *core_; }
  host::Memory& memory() const { return *memory_; }
  /// Whether a word of the memory says now what is waited for.
  bool says(const host::Core::Polled& w) const { return w.until(memory_->word_ending_at(w.end, w.width).value); }
  /// Returns when it does: spins on it.
  void await(Fiber& f, const host::Core::Polled& w) const { core_->poll(f, *memory_, w.end, w.width, w.until); }
  /// Programs' memory: from here on, so many bytes.
  std::uint64_t user_base() const { return user_base_; }
  Bytes user_memory() const { return Bytes(static_cast<std::int64_t>(plan_.lowest() - user_base_)); }
  /// What is kept of it.
  const MemoryPlan& plan() const { return plan_; }

 protected:
  /// Of a memory whose addresses up to `end` the process can use; programs' begin at host::buffers_from.
  HostProcess(host::Core& core, host::Memory& memory, std::uint64_t end);
  /// The same of all of it that no other library keeps.
  HostProcess(host::Core& core, host::Memory& memory) : HostProcess(core, memory, memory.kept_from()) {}
  /// Of parts of a node whose devices' names begin with `prefix`. Throws config::ConfigError at /library/core or
  /// /library/memory if it lacks that.
  HostProcess(const Machine& m, const std::string& prefix, const std::string& core, const std::string& memory);
  MemoryPlan& areas() { return plan_; }
  /// Nothing more is kept. Throws config::ConfigError if that leaves less than `least` of the memory; without it, no
  /// byte for programs. `shown`: how much of the memory there is, if that is not all.
  void keep_areas(Bytes least, const std::string& shown = "");
  void keep_areas() { keep_areas(host::buffers_from(memory_->config().size) + 1_B); }
  void begin_user_at(std::uint64_t address) { user_base_ = address; }

 private:
  host::Core* core_;
  host::Memory* memory_;
  MemoryPlan plan_;
  std::uint64_t user_base_ = 0;
};

}  // namespace tsunagi::process
