// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>

#include "fiber/fiber.hpp"
#include "flow/ring.hpp"
#include "net/device.hpp"

namespace tsunagi::card {

/// Transactions of approximately-timed initiators (base protocol, IEEE 1666-2011, 15.2): each is acquired, carried
/// out by a fiber of ours as a blocking one, and released.
class AtAdapter {
 public:
  using Execute = std::function<void(tlm::tlm_generic_payload&)>;
  /// The initiator's nb_transport_bw.
  using Backward = std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)>;

  /// `fibers` transactions at a time; others wait for their END_REQ.
  AtAdapter(net::Device& card, int fibers, Execute execute, Backward backward);

  /// nb_transport_fw. Payloads without a memory manager are errors.
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  /// Transactions have got their END_REQ and not ended.
  bool busy() const { return under_way_ != 0; }

 private:
  struct Request {
    tlm::tlm_generic_payload* payload = nullptr;
    Time when;
  };
  void serve(Fiber& f);
  void respond(Fiber& f, tlm::tlm_generic_payload& t);
  tlm::tlm_sync_enum call(Fiber& f, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase);

  net::Device& card_;
  Execute execute_;
  Backward backward_;
  flow::Ring<Request> requests_;
  Event came_;
  int under_way_ = 0;
  // The base protocol lets one response at a time be under way; they are in the order of their transactions' ends.
  std::uint64_t responses_ = 0;
  std::uint64_t responses_ended_ = 0;
  const tlm::tlm_generic_payload* responding_ = nullptr;
  Event response_free_;
  bool response_ended_ = false;
  Time response_ends_;
  Event end_came_;
};

}  // namespace tsunagi::card
