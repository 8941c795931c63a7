// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/collectives/call.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Collectives that a library does itself. Chosen by default where offered, by hardware first; programs name them
/// "hardware" and "software". Of barrier, broadcast, reduce and allreduce.
class LibraryCollectives {
 public:
  virtual ~LibraryCollectives() = default;
  /// Why it does not do such a call of these world ranks; empty: it does, now and later, for which it may set aside
  /// what there are few of. Asked before each call, and before time 0 by scenarios.
  virtual std::string refusal(const std::vector<int>& ranks, const CollectiveCall& c) = 0;
  /// The part of the group's rank `rank`, on its fiber; returns when that one's call is done.
  virtual void run(Fiber& f, const std::vector<int>& ranks, int rank, const CollectiveCall& c) = 0;
};

/// By hardware, as a crossbar's broadcast or a network's barrier.
class HardwareCollectives : public LibraryCollectives {};
/// By software of its own beside its messages, where hardware cannot.
class SoftwareCollectives : public LibraryCollectives {};

}  // namespace tsunagi::comm
