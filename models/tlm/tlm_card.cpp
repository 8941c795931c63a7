// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/tlm_card.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "config/error_at.hpp"
#include "models/libraries/reach.hpp"
#include "models/pcie/refusal.hpp"
#include "models/pcie/slots.hpp"
#include "models/tlm/enabled_bytes.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::card {

namespace {

tlm::tlm_response_status response_of(pcie::CompletionStatus s) {
  switch (s) {
    case pcie::CompletionStatus::successful:
      return tlm::TLM_OK_RESPONSE;
    case pcie::CompletionStatus::unsupported_request:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    default:
      return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
}

}  // namespace

TlmCard::TlmCard(DeviceArgs args, const TlmCardConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      outbound_(*this, args.pool, config_),
      inbound_(
          *this, args.pool, config_,
          [this](tlm::tlm_generic_payload& t, sc_core::sc_time& delay) { initiator->b_transport(t, delay); },
          [this] { return initiator.size() > 0; }),
      at_(
          *this, c.tags, [this](tlm::tlm_generic_payload& t) { execute(t); },
          [this](tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            return target->nb_transport_bw(t, phase, delay);
          }) {
  net::PortSpec p;
  p.name = "pcie";
  p.protocol = "pcie";
  p.role = net::LinkRole::endpoint;
  p.needed = true;
  p.expects = pcie::completions_up_to(c.max_read_request);
  p.tx.pipeline.delay = c.port_latency;
  p.rx.pipeline.delay = c.port_latency;
  p.rx.buffers = pcie::buffer_credits(c.buffers);
  add_port(std::move(p));
  target.register_b_transport(this, &TlmCard::b_transport);
  target.register_nb_transport_fw(this, &TlmCard::nb_transport_fw);
  target.register_transport_dbg(this, &TlmCard::transport_dbg);
}

void TlmCard::wired() {
  if (!simulation().shares_kernel())
    throw config::error_at("/machine", name() +
                                           ": what is inside a tlm_card is a model of yours: your program has to run "
                                           "it (docs/embedding.md)");
  pcie::check_window(*this, config_.bar_base, config_.bar_size);
}

void TlmCard::receive(int, net::Delivery&& d) {
  const pcie::TlpType type = d.packet->header<pcie::Tlp>().type;
  if (type != pcie::TlpType::memory_write && type != pcie::TlpType::memory_read)
    return outbound_.complete(std::move(d));
  const std::uint64_t offset = d.packet->address - unsigned_of(config_.bar_base);
  if (offset >= unsigned_of(config_.bar_size))
    return pcie::refuse(*this, 0, 0, std::move(d), Time::zero(), "access beyond its window");
  d.packet->address = offset;
  inbound_.take(std::move(d));
}

std::string TlmCard::leftover() const {
  if (outbound_.busy() || at_.busy()) return "transactions of the model's initiator are under way";
  return inbound_.busy() ? "transactions for the model's target are under way" : "";
}

void TlmCard::b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
  sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  execute(t);
}

tlm::tlm_sync_enum TlmCard::nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  return at_.forward(t, phase, delay);
}

void TlmCard::execute(tlm::tlm_generic_payload& t) {
  t.set_dmi_allowed(false);
  t.set_response_status(refusal(t));
  if (t.get_response_status() != tlm::TLM_OK_RESPONSE || t.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const sim::Visit visit(simulation());
  auto worst = pcie::CompletionStatus::successful;
  for (const EnabledBytes& run : enabled_bytes(t)) {
    if (t.is_write())
      outbound_.write(run.address, t.get_data_ptr() + run.at, Bytes(run.size));
    else
      worst = std::max(worst, outbound_.read(run.address, t.get_data_ptr() + run.at, Bytes(run.size)));
  }
  t.set_response_status(response_of(worst));
}

unsigned TlmCard::transport_dbg(tlm::tlm_generic_payload& t) {
  if (!t.is_read()) return 0;
  return static_cast<unsigned>(
      libraries::peek(ports().front(), t.get_address(), t.get_data_ptr(), t.get_data_length()));
}

}  // namespace tsunagi::card
