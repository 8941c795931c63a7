// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "comm/by_rank.hpp"
#include "comm/facets/processor.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::process {

/// What computes in a process's other places, and copies between them and its host memory.
class Devices {
 public:
  virtual ~Devices() = default;
  /// Computes in that place of the rank's node, and returns when that is done. Throws std::runtime_error if nothing of
  /// that name computes there.
  virtual void compute(Fiber& f, int rank, const Work& w, const std::string& place) = 0;
  /// Copies `from` to `host`, an address of the node's memory, or `host` to `to`; both contiguous. Throws
  /// std::runtime_error if nobody can.
  virtual void copy_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host) = 0;
  virtual void copy_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host) = 0;
};

/// The core of each process computes and copies for its rank; what lies in other places is its devices'.
class CoreProcessor final : public comm::Processor {
 public:
  /// By rank, of a class that is a HostProcess; they outlive this, and may be filled in later.
  template <class Process>
  explicit CoreProcessor(const comm::ByRank<Process>& all)
      : of_([&all](int rank) -> const HostProcess& { return all[rank]; }) {}
  /// From now on; it outlives this.
  void set_devices(Devices& devices) { devices_ = &devices; }

  void compute(Fiber& f, int rank, Time t) override { of_(rank).core().compute(f, t); }
  void compute(Fiber& f, int rank, const Work& w, const std::string& place) override;
  std::unique_ptr<comm::MemoryWalk> walk(int rank) override;
  void copy(Fiber& f, int rank, const comm::Buffer& to, const comm::Buffer& from) override;
  void combine(Fiber& f, int rank, Bytes n) override;

 private:
  std::function<const HostProcess&(int rank)> of_;
  Devices* devices_ = nullptr;
};

}  // namespace tsunagi::process
