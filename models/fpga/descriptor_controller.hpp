// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "fiber/fiber.hpp"
#include "flow/ring.hpp"
#include "models/fpga/data_mover.hpp"
#include "models/fpga/dma_config.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::fpga {

/// A descriptor that has been done.
struct Completion {
  int id = 0;
  Time elapsed;  // from the moment when it had been written to the data mover to the completion signal
  Cause signal;
};

/// One of the two modules of the descriptor controller (paper 003, 3.3 and figure 9): the FIFOs of descriptors of host
/// and kernel in front of a data mover, and the priority encoder that says whose goes next. The mover tells when it can
/// take another; that takes `hand_over_cycles`.
class DescriptorModule final : private sim::Alarm {
 public:
  using Completed = std::function<void(Writer, const Completion&)>;

  /// `card` tells observers of waits.
  DescriptorModule(net::Device& card, const DescriptorControllerConfig& c, Clock clock, Completed completed);
  void connect(DataMover& mover) { mover_ = &mover; }

  /// Room for another descriptor of that writer.
  bool has_room(Writer w) const;
  /// Notified when there is more.
  Event& room() { return room_; }
  /// A descriptor that has been checked and is in the FIFO by `by`; there is room. The fetch of a table needs none.
  void push(Writer w, const Descriptor& d, Cause by);
  // What the data mover tells.
  void mover_free(Time from);
  void mover_done(const Descriptor& d, Cause signal);

  bool busy() const { return !written_.empty() || !fifo(Writer::host).empty() || !fifo(Writer::kernel).empty(); }

 private:
  struct Entry {
    Descriptor what;
    Cause ready;
  };
  using Fifo = flow::Ring<Entry>;
  Fifo& fifo(Writer w) { return fifos_[static_cast<std::size_t>(w)]; }
  const Fifo& fifo(Writer w) const { return fifos_[static_cast<std::size_t>(w)]; }
  /// Rings when a descriptor can be handed over: all that are there by then compete.
  void ring() override;
  void arm();

  net::Device& card_;
  const DescriptorControllerConfig& config_;
  Clock clock_;
  Completed completed_;
  DataMover* mover_ = nullptr;
  std::array<Fifo, 2> fifos_;
  int fetches_ = 0;  // of tables, that wait in the host's
  Event room_;
  bool mover_is_free_ = true;
  Time free_from_;
  flow::Ring<Time> written_;  // of each that is under way, in order: when it had been written to the mover
};

}  // namespace tsunagi::fpga
