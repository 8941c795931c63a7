// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/at_adapter.hpp"

#include <utility>

#include "sim/sc_time.hpp"

namespace tsunagi::card {

AtAdapter::AtAdapter(net::Device& card, int fibers, Execute execute, Backward backward)
    : card_(card), execute_(std::move(execute)), backward_(std::move(backward)) {
  for (int i = 0; i < fibers; ++i)
    card.simulation().spawn_service(
        card.name() + " initiator " + std::to_string(i), [this](Fiber& f) { serve(f); }, sim::Stack::of_kernel);
}

tlm::tlm_sync_enum AtAdapter::forward(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                      const sc_core::sc_time& delay) {
  sim::Visit::resumed(card_.simulation());
  const Time when = card_.simulation().now() + sim::from_sc(delay);
  if (phase == tlm::BEGIN_REQ) {
    if (!t.has_mm())
      SC_REPORT_ERROR("tsunagi", (card_.name() + ": a non-blocking payload has no memory manager").c_str());
    t.acquire();
    requests_.push_back({&t, when});
    came_.notify();
  } else if (phase == tlm::END_RESP) {
    if (&t != responding_) SC_REPORT_ERROR("tsunagi", (card_.name() + ": END_RESP for no response").c_str());
    response_ended_ = true;
    response_ends_ = when;
    end_came_.notify();
    return tlm::TLM_COMPLETED;
  }  // other phases may be ignored
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum AtAdapter::call(Fiber& f, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum s = backward_(t, phase, delay);
  sim::Visit::resumed(card_.simulation());
  if (s != tlm::TLM_ACCEPTED) f.wait_for(sim::from_sc(delay));  // else the caller's own
  return s;
}

void AtAdapter::serve(Fiber& f) {
  for (;;) {
    while (requests_.empty()) f.wait(came_, "transactions");
    const Request r = requests_.take_front();
    f.wait_until(r.when);
    const sim::Visit visit(card_.simulation(), f);
    ++under_way_;
    tlm::tlm_phase phase = tlm::END_REQ;
    call(f, *r.payload, phase);
    execute_(*r.payload);
    respond(f, *r.payload);
    --under_way_;
    r.payload->release();
  }
}

void AtAdapter::respond(Fiber& f, tlm::tlm_generic_payload& t) {
  const std::uint64_t number = responses_++;
  while (responses_ended_ != number) f.wait(response_free_, "an earlier response's end");
  responding_ = &t;
  response_ended_ = false;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  const tlm::tlm_sync_enum s = call(f, t, phase);
  const bool ended = s == tlm::TLM_COMPLETED || (s == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  while (!ended && !response_ended_) f.wait(end_came_, "END_RESP");
  if (!ended) f.wait_until(response_ends_);
  responding_ = nullptr;
  ++responses_ended_;
  response_free_.notify();
}

}  // namespace tsunagi::card
