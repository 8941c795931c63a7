// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "flow/tags.hpp"
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
  bool busy() const { return calls_ != 0 || !tags_.all_free(); }

 private:
  /// What one call of `read` waits for. Its completions come although who waits may be killed.
  struct Job {
    explicit Job(Bytes n) : bytes(static_cast<std::size_t>(n.count())) {}
    std::vector<std::uint8_t> bytes;  // as they have come so far; what says nothing is 0
    sc_core::sc_event done;
    int requests = 0;  // whose last completion has not come
    Time there;        // when the last byte of those that have come is there
    pcie::CompletionStatus status = pcie::CompletionStatus::successful;
  };
  /// A request of a job's.
  struct Read {
    std::shared_ptr<Job> job = {};
    std::uint8_t* to = nullptr;  // where its next byte goes, in the job's bytes
  };
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override;
  /// Threads that wait for the same, first come first served, though one of them may be killed meanwhile.
  struct Line {
    explicit Line(const char* name) : changed(name) {}
    sc_core::sc_event changed;  // who is first shall look
    std::list<int> waiting;     // the values say nothing
  };
  class Turn;
  void wait(const sc_core::sc_event& e) const;
  void wait_until(Time t) const;
  void wait_for_tag();

  net::Device& card_;
  flow::PacketPool& pool_;
  const TlmCardConfig& config_;
  int free_places_;
  Line for_place_{"place"};
  flow::Tags<Read> tags_;
  int calls_ = 0;  // of `write` and `read` under way
  Line for_tag_{"tag"};
};

}  // namespace tsunagi::card
