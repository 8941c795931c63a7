// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "flow/ring.hpp"
#include "flow/tags.hpp"
#include "models/pcie/segmentation.hpp"
#include "net/device.hpp"
#include "net/wait.hpp"
#include "units/clock.hpp"

namespace tsunagi::pcie {

/// How a DMA engine asks for data.
struct RequesterSpec {
  Clock clock;
  Bytes max_read_request;             // MRRS
  int tags = 0;                       // requests under way at most
  int first_tag = 0;                  // their numbers: from here on
  int cycles = 1;                     // from one request to the next
  Bytes boundary = request_boundary;  // that no request crosses; at most that
  /// What observers call its waits: for a tag, and for the cycle behind the last request.
  const char* tag_wait = "read tag";
  const char* cycle_wait = "next read request";
  /// Requests that leave in one cycle ask for so many bytes together; no more than one: zero.
  Bytes asked_a_cycle = Bytes::zero();
};

/// The read side of a DMA engine: cuts transfers into memory reads of at most MRRS, and has as many under way as it has
/// tags. Transfers are asked for one behind the other; what comes back for different tags may
/// come in any order (Base Specification 2.4.1).
class ReadRequester {
 public:
  using Send = std::function<void(net::Delivery)>;

  ReadRequester(net::Device& device, flow::PacketPool& pool, const RequesterSpec& spec, Send send)
      : device_(device), pool_(pool), spec_(spec), send_(std::move(send)), tags_(spec.tags) {}

  /// Asks for `n` bytes (> 0) from `address` on, once `ready` has passed and what was asked for before has been
  /// requested. `transfer` is told with what comes.
  void ask(std::uint64_t transfer, std::uint64_t address, Bytes n, const net::Wait& ready);

  /// Bytes that have come.
  struct Part {
    std::uint64_t transfer = 0;
    Bytes offset;  // of the first of them in the transfer
  };
  /// A completion (or a train of them) for one of the tags, the last of which has been taken in at `when`. Throws
  /// std::runtime_error if none of its reads expects that. Who has stored it calls `issue`.
  Part arrived(const flow::Packet& p, Time when);
  /// Requests what there are tags for.
  void issue();
  /// Transfers of which not all has been requested.
  std::size_t waiting() const { return transfers_.size(); }
  /// When the last request of the transfer before the one asked for last has left; not while that waits.
  Time requested_before() const { return transfers_.empty() ? before_ : last_; }

 private:
  struct Transfer {
    std::uint64_t number = 0;
    std::uint64_t address = 0;
    Bytes left;  // to be requested
    Bytes requested;
    net::Wait ready;
  };

  net::Device& device_;
  flow::PacketPool& pool_;
  RequesterSpec spec_;
  Send send_;
  flow::Tags<Part> tags_;
  flow::Ring<Transfer> transfers_;  // not all requested yet
  net::Wait issued_;                // until the next can be made
  Time cycle_;                      // of the last one
  Bytes cycle_left_;                // what others in that cycle may ask for
  Time last_;                       // behind the last request of the last transfer that has been requested
  Time before_;                     // of the one before it
};

}  // namespace tsunagi::pcie
