// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/pcie/tlp.hpp"
#include "models/tlm/card_config.hpp"
#include "net/device.hpp"

namespace tsunagi::card {

/// What a model's initiator asks of the cluster: writes and reads of a card, cut into TLPs. Called by SC_THREADs of
/// others, inside a sim::Visit; they block here.
class CardRequests final : private net::SlotOwner {
 public:
  CardRequests(net::Device& card, flow::PacketPool& pool, const TlmCardConfig& c);

  /// Posts writes; returns when the port has taken the last of them. TLPs end at 4 KiB (Base Specification 2.2.7).
  void write(std::uint64_t address, const std::uint8_t* bytes, Bytes n);
  /// Reads; returns when the last completion is there, with how the worst one ended. Of bytes that say nothing, 0.
  pcie::CompletionStatus read(std::uint64_t address, std::uint8_t* bytes, Bytes n);

  /// A completion that arrives as its schedule says.
  void complete(net::Delivery d);
  bool busy() const { return under_way_ != 0; }

 private:
  /// What one call of `read` waits for.
  struct Job {
    sc_core::sc_event done;
    int requests = 0;  // whose last completion has not come
    Time there;        // when the last byte of those that have come is there
    pcie::CompletionStatus status = pcie::CompletionStatus::successful;
  };
  struct Tag {
    Job* job = nullptr;  // null: free
    std::uint8_t* to = nullptr;
    Bytes left;
    Time free_at;
  };
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override;
  void wait(const sc_core::sc_event& e) const;
  void wait_until(Time t) const;
  std::size_t take_tag();

  net::Device& card_;
  flow::PacketPool& pool_;
  const TlmCardConfig& config_;
  int free_places_;
  sc_core::sc_event place_freed_{"place_freed"};
  std::vector<Tag> tags_;
  int under_way_ = 0;  // reads
  sc_core::sc_event tag_freed_{"tag_freed"};
};

}  // namespace tsunagi::card
