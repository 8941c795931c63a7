// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/card_target.hpp"

#include <algorithm>
#include <utility>

#include "sim/sc_time.hpp"

namespace tsunagi::card {

namespace {

pcie::CompletionStatus status_of(tlm::tlm_response_status s) {
  if (s == tlm::TLM_OK_RESPONSE) return pcie::CompletionStatus::successful;
  return s == tlm::TLM_ADDRESS_ERROR_RESPONSE ? pcie::CompletionStatus::unsupported_request
                                              : pcie::CompletionStatus::completer_abort;
}

}  // namespace

CardTarget::CardTarget(net::Device& card, flow::PacketPool& pool, const TlmCardConfig& c, Call call,
                       std::function<bool()> bound)
    : card_(card), pool_(pool), completer_{card, pool, 1}, call_(std::move(call)), bound_(std::move(bound)) {
  sim::Simulation& sim = card.simulation();
  const std::string name = card.name() + " target ";
  sim.spawn_service(
      name + "writes", [this](Fiber& f) { serve_writes(f); }, sim::Stack::of_kernel);
  for (int i = 0; i < c.target_threads; ++i)
    sim.spawn_service(
        name + std::to_string(i), [this](Fiber& f) { serve_reads(f); }, sim::Stack::of_kernel);
}

void CardTarget::take(net::Delivery d) {
  if (pcie::is_write(*d.packet)) {
    ++writes_taken_;
    writes_.push_back(std::move(d));
    return writes_came_.notify();
  }
  reads_.push_back({std::move(d), writes_taken_});
  reads_may_begin_.notify();
}

void CardTarget::serve_writes(Fiber& f) {
  for (;;) {
    while (writes_.empty()) f.wait(writes_came_, "writes");
    net::Delivery d = writes_.take_front();
    ++serving_;
    f.wait_until(d.schedule.back().tail);
    write(f, std::move(d));
    --serving_;
    ++writes_ended_;
    reads_may_begin_.notify();
  }
}

void CardTarget::serve_reads(Fiber& f) {
  for (;;) {
    while (reads_.empty() || reads_[0].behind > writes_ended_) f.wait(reads_may_begin_, "reads");
    net::Delivery d = std::move(reads_.take_front().delivery);
    const std::uint64_t number = reads_begun_++;
    ++serving_;
    f.wait_until(d.schedule.back().tail);
    read(f, std::move(d), number);
    --serving_;
  }
}

tlm::tlm_response_status CardTarget::call(Fiber& f, tlm::tlm_command command, const flow::Packet& p,
                                          std::vector<std::uint8_t>& bytes) {
  if (!bound_()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(p.address);
  payload.set_data_ptr(bytes.data());
  payload.set_data_length(static_cast<unsigned>(bytes.size()));
  payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  call_(payload, delay);
  sim::Visit::resumed(card_.simulation());
  f.wait_for(sim::from_sc(delay));
  return payload.get_response_status();
}

void CardTarget::write(Fiber& f, net::Delivery d) {
  const flow::Packet& p = *d.packet;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(p.total_payload().count()));
  p.contents.copy(Bytes::zero(), p.total_payload(), bytes.data());
  const tlm::tlm_response_status s = call(f, tlm::TLM_WRITE_COMMAND, p, bytes);
  d.slot.release(net::Schedule::at(f.now()));
  if (s == tlm::TLM_OK_RESPONSE) return;
  ++failed_writes_;
  // The writer does not hear of it: a posted write has no completion.
  card_.simulation().complain(card_.name() + ": a write of " + std::to_string(bytes.size()) + " B at offset " +
                              std::to_string(p.address) + " of its window failed in its model");
}

void CardTarget::read(Fiber& f, net::Delivery d, std::uint64_t number) {
  const flow::Packet& request = *d.packet;
  std::vector<std::uint8_t> bytes(request.header<pcie::Tlp>().length);
  const pcie::CompletionStatus status = status_of(call(f, tlm::TLM_READ_COMMAND, request, bytes));
  while (reads_answered_ != number) f.wait(answered_, "the answers of earlier reads");
  ++reads_answered_;
  answered_.notify();
  d.slot.release(net::Schedule::at(f.now()));
  if (status == pcie::CompletionStatus::successful)
    return completer_.answer(request, 0, f.now(), f.now(), [&](flow::Packet& c) {
      const std::uint8_t* from = bytes.data() + (c.address - request.address);
      c.say(Bytes::zero(), {from, static_cast<std::size_t>(c.payload.count())});
    });
  net::Delivery answer;
  answer.packet = pool_.clone(request);
  pcie::set_failed(*answer.packet, status);
  answer.schedule = net::Schedule::at(f.now());
  card_.ports().front().send(0, std::move(answer));
}

}  // namespace tsunagi::card
