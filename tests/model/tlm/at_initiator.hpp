// SPDX-License-Identifier: Apache-2.0
// An approximately-timed initiator of the TLM-2.0 base protocol (IEEE 1666-2011, 15.2) that ends responses as it is
// told.
#pragma once

#include <map>
#include <memory>

#include "model/tlm/tlm_bench.hpp"

namespace tsunagi::test {

/// How an initiator ends a response.
enum class Ends { later, at_once, updated, inside, announced };

class AtInitiator : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<AtInitiator> socket{"socket"};
  Time end_after = 40_ns;  // of Ends::later
  std::function<Ends()> ends = [] { return Ends::later; };

  struct Transaction {
    tlm::tlm_generic_payload t;
    Data data;
    Time asked;
    Time end_req = Time::max();
    Time begin_resp = Time::max();
    bool ended = false;
  };

  AtInitiator(const sc_core::sc_module_name& name, card::TlmCard& card) : sc_core::sc_module(name) {
    socket.bind(card.target);
    socket.register_nb_transport_bw(this, &AtInitiator::nb_transport_bw);
  }
  /// To be called by a thread: returns when the request has ended.
  Transaction& begin(tlm::tlm_command command, std::uint64_t address, Data data, Time delay = Time::zero()) {
    Transaction& x = *all.emplace_back(std::make_unique<Transaction>());
    x.data = std::move(data);
    x.asked = kernel_time();
    x.t.set_command(command);
    x.t.set_address(address);
    x.t.set_data_ptr(x.data.data());
    x.t.set_data_length(static_cast<unsigned>(x.data.size()));
    x.t.set_streaming_width(static_cast<unsigned>(x.data.size()));
    x.t.set_dmi_allowed(true);
    x.t.set_mm(this);
    x.t.acquire();
    by_payload_[&x.t] = &x;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time d = sc(delay);
    CHECK(socket->nb_transport_fw(x.t, phase, d) == tlm::TLM_ACCEPTED);
    while (x.end_req == Time::max()) sc_core::wait(changed_);
    return x;
  }
  void wait_for(const Transaction& x) {
    while (!x.ended) sc_core::wait(changed_);
  }
  int responses = 0;  // under way
  int most_under_way = 0;
  std::vector<std::unique_ptr<Transaction>> all;
  int freed = 0;

 private:
  void free(tlm::tlm_generic_payload* t) override {
    t->reset();
    ++freed;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    Transaction& x = *by_payload_.at(&t);
    changed_.notify(delay);
    if (phase == tlm::END_REQ) {
      CHECK(x.end_req == Time::max());
      x.end_req = kernel_time();
      most_under_way = std::max(most_under_way, ++under_way_);
      return tlm::TLM_ACCEPTED;
    }
    REQUIRE(phase == tlm::BEGIN_RESP);
    CHECK(x.end_req != Time::max());
    CHECK(x.begin_resp == Time::max());
    CHECK(++responses == 1);  // the response exclusion rule
    x.begin_resp = kernel_time();
    --under_way_;
    switch (ends()) {
      case Ends::at_once:
        end(x);
        return tlm::TLM_COMPLETED;
      case Ends::updated:
        end(x);
        phase = tlm::END_RESP;
        delay += sc(end_after);
        return tlm::TLM_UPDATED;
      case Ends::inside:
        send_end(x, Time::zero());
        return tlm::TLM_ACCEPTED;
      case Ends::announced:
        send_end(x, end_after);
        return tlm::TLM_ACCEPTED;
      case Ends::later:
        break;
    }
    sc_core::sc_spawn([this, &x] {
      sc_core::wait(sc(end_after));
      send_end(x, Time::zero());
    });
    delay += sc(1_ms);  // of TLM_ACCEPTED nobody takes it
    return tlm::TLM_ACCEPTED;
  }
  void end(Transaction& x) {
    --responses;
    x.ended = true;
    changed_.notify(sc_core::SC_ZERO_TIME);
  }
  void send_end(Transaction& x, Time delay) {
    end(x);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time d = sc(delay);
    CHECK(socket->nb_transport_fw(x.t, phase, d) == tlm::TLM_COMPLETED);
  }
  std::map<const tlm::tlm_generic_payload*, Transaction*> by_payload_;
  sc_core::sc_event changed_;
  int under_way_ = 0;
};

/// All transactions have ended and been let go by the card.
inline void expect_released(AtInitiator& dma) {
  for (const auto& x : dma.all) {
    CHECK(x->ended);
    CHECK(x->t.get_ref_count() == 1);  // the initiator's own
    CHECK_FALSE(x->t.is_dmi_allowed());
    x->t.release();
  }
  CHECK(dma.freed == static_cast<int>(dma.all.size()));
}

}  // namespace tsunagi::test
