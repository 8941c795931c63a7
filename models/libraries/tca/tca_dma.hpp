// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fiber/fiber.hpp"
#include "models/libraries/tca/tca_node.hpp"
#include "models/peach2/descriptor.hpp"

namespace tsunagi::libraries {

/// A DMA channel of a node as a program drives it, through registers that are mapped into it: every access is a store.
class TcaDma {
 public:
  explicit TcaDma(const TcaNode& node, int channel = 0) : node_(node), channel_(channel) {}

  /// Whose descriptors the registers hold; 0: nobody's.
  std::uint64_t owner() const { return owner_; }
  /// Writes descriptors into the registers.
  void program(Fiber& f, std::uint64_t owner, const std::vector<peach2::Descriptor>& descriptors);
  /// Writes a chain of descriptors: to host memory from `table` on, or into the chip from descriptor `table` on.
  /// Returns the address of the first.
  std::uint64_t write_chain(Fiber& f, bool in_chip, std::uint64_t table,
                            const std::vector<peach2::Descriptor>& descriptors);
  /// Where the status goes from now on: an address in the shared window.
  void status_to(Fiber& f, std::uint64_t address);
  /// Starts the first `n` descriptors in the registers, or a chain.
  void ring(Fiber& f, int n);
  void ring_chain(Fiber& f, std::uint64_t first);
  /// Times that the channel has been started: what its last status says.
  std::uint64_t started() const { return started_; }
  /// Stores to the chip so far.
  std::int64_t stores() const { return stores_; }

 private:
  void set(Fiber& f, std::uint64_t reg, std::uint64_t value);

  const TcaNode& node_;
  int channel_;
  std::uint64_t owner_ = 0;
  std::uint64_t status_ = 0;
  std::uint64_t started_ = 0;
  std::int64_t stores_ = 0;
  std::vector<bool> strided_;  // registers that say so
};

}  // namespace tsunagi::libraries
