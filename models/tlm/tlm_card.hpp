// SPDX-License-Identifier: Apache-2.0
// With src/sim the one place that names SystemC: what a model of somebody else's sees.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "machine/machine.hpp"
#include "models/pcie/bar_window.hpp"
#include "models/tlm/at_adapter.hpp"
#include "models/tlm/card_config.hpp"
#include "models/tlm/card_requests.hpp"
#include "models/tlm/card_target.hpp"

namespace tsunagi::card {

/// A PCIe card whose inside is somebody else's TLM-2.0 model (docs/embedding.md). Either socket may stay unbound.
class TlmCard final : public net::Device, public pcie::BarWindow {
 public:
  TlmCard(DeviceArgs args, const TlmCardConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

  /// The model's initiator binds to it: what it asks goes to host addresses, as memory writes and reads on PCIe.
  ///  - A delay that comes with a transaction passes first. A write is OK when the card's port has taken it; a read
  ///    ends with its last completion: an unsupported request is an address error, a completer abort a generic error.
  ///  - Byte enables and a streaming width below the length are carried out; no bytes, no streaming width or no byte
  ///    enables are burst and byte enable errors, commands that are none are command errors.
  ///  - Approximately-timed transactions are acquired and released. There is no direct memory interface.
  ///  - transport_dbg reads, without time, what a host memory keeps of contents; it writes nothing.
  tlm_utils::simple_target_socket_optional<TlmCard> target{"target"};
  /// It binds to the model's target: what arrives in the card's window comes as transactions at offsets there, from
  /// SC_THREADs of the card's own. A read that is not OK becomes a completion that says so; failed writes are counted.
  tlm_utils::simple_initiator_socket_optional<TlmCard> initiator{"initiator"};

  const TlmCardConfig& config() const { return config_; }
  Address bar_base() const override { return Address::at(config_.bar_base); }
  Bytes bar_size() const override { return config_.bar_size; }
  /// Writes to the window that the model's target did not accept.
  std::int64_t failed_writes() const { return inbound_.failed_writes(); }

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& t);
  void execute(tlm::tlm_generic_payload& t);

  TlmCardConfig config_;
  CardRequests outbound_;
  CardTarget inbound_;
  AtAdapter at_;
};

}  // namespace tsunagi::card
