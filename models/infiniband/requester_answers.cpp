// SPDX-License-Identifier: Apache-2.0
// What comes back: acknowledgements, answers, and what is sent again.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/infiniband/requester.hpp"

namespace tsunagi::infiniband {

void Requester::left(std::uint32_t number, net::Cause when) {
  if (reliable()) {
    for (std::size_t i = 0; i < asked_.size(); ++i)
      if (asked_[i].number == number) {
        asked_[i].left = true;
        asked_[i].at = when.when;
      }
    if (!timer_.armed()) restart_timer();
    return;
  }
  for (std::size_t i = 0; i < works_.size(); ++i)
    if (works_[i].sent != 0 && works_[i].number == number) {
      works_[i].done = true;
      works_[i].last = when;
    }
  while (!works_.empty() && works_.front().done) complete(works_.front(), works_.front().last);
}

void Requester::complete(Work& w, net::Cause by) {
  const bool tells = w.what.signalled;
  Completion c;
  c.queue_pair = number_;
  c.index = w.index;
  c.length = w.what.length;
  works_.pop_front();
  if (cursor_ > 0) --cursor_;
  if (tells) completions_.push(parts_, writer_, c, by);
  requests_->completed(by);
}

void Requester::built(std::uint32_t number, const net::Cause& by) {
  if (cursor_ == works_.size() && !works_.empty() && works_.back().number == number) requests_->drained(by);
}

void Requester::acknowledge(std::uint32_t sequence, const net::Cause& by) {
  const std::uint32_t before = oldest_;
  while (!works_.empty()) {
    Work& w = works_.front();
    const std::uint32_t end = (w.first + w.packets) & number_mask;
    if (is_answered(w.what.operation) && !w.done) break;
    if (ahead(sequence, end) < 0) break;
    oldest_ = end;
    complete(w, by);
  }
  if (!works_.empty() && !is_answered(works_.front().what.operation) && ahead(sequence, oldest_) > 0)
    oldest_ = sequence;
  if (oldest_ == before) return;
  retries_left_ = config_.retries.count;
  ready_retries_left_ = config_.retries.receiver_not_ready_count;
  restart_timer();
}

void Requester::answered(net::Delivery d, const net::Cause& by) {
  const flow::Packet& p = *d.packet;
  const Header h = p.header<Header>();
  // Of another message: the one that is under way is for somebody else.
  if (reliable_datagrams() && (works_.empty() || h.route.source != works_.front().what.lid))
    return d.slot.release(d.schedule);
  // Of a packet that was never sent, or that is long done.
  if (ahead(h.sequence, oldest_) < 0 || ahead(h.sequence, sequence_) >= 0) return d.slot.release(d.schedule);
  if (ahead(h.sequence, renewed_) >= 0) stale_ = false;
  if (h.code() != Opcode::acknowledge) return answer_came(std::move(d), by);
  d.slot.release(d.schedule);
  switch (static_cast<Syndrome>(h.syndrome)) {
    case acknowledged:
      acknowledge((h.sequence + 1) & number_mask, by);
      return passed(h.sequence);
    case sequence_error:
      acknowledge(h.sequence, by);
      return retry("the peer misses packets", false);
    case receiver_not_ready:
      acknowledge(h.sequence, by);
      if (waits_) return;
      if (config_.retries.receiver_not_ready_count != 7 && ready_retries_left_-- == 0)
        fail("the receiver has posted no receive, retries exceeded");
      waits_ = true;
      parts_.card.simulation().agenda().arm(timer_, now() + config_.retries.receiver_not_ready);
      return requests_->waits(by);
    case invalid_request:
      fail("the peer refuses a message: it is longer than the receive that is posted for it");
    case remote_access_error:
      fail(fmt::format("the peer refuses access to {:#x}, which is not registered there", works_.front().what.remote));
  }
}

void Requester::answer_came(net::Delivery d, const net::Cause& by) {
  const flow::Packet& p = *d.packet;
  const std::uint32_t sequence = p.header<Header>().sequence;
  // Answers keep their order: where their numbers fall the peer has begun to answer what was sent again.
  if (ahead(sequence, std::exchange(came_, sequence)) <= 0) stale_ = false;
  acknowledge(sequence, by);
  Work* w = works_.empty() ? nullptr : &works_.front();
  if (w == nullptr || !is_answered(w->what.operation) || ((w->first + w->came) & number_mask) != sequence) {
    // A packet of an answer is missing, or it has come twice.
    d.slot.release(d.schedule);
    return passed(sequence);
  }
  stale_ = false;
  const Bytes offset = config_.mtu * static_cast<std::int64_t>(w->came);
  ++w->came;
  dma::Port::Write data;
  data.address = w->what.local + unsigned_of(offset);
  data.size = p.total_payload();
  data.contents = std::move(d.packet->contents);
  data.origin = p.origin;
  data.origin_offset = p.origin_offset;
  data.held = std::move(d.slot);
  data.data = true;
  if (data.size > Bytes::zero())
    parts_.host.write(writer_, std::move(data), {std::max(by.when, now()), by, net::Stage::pipeline, "answer"});
  else
    data.held.release(d.schedule);
  if (w->came < w->packets) {
    oldest_ = (sequence + 1) & number_mask;
    retries_left_ = config_.retries.count;
    return restart_timer();
  }
  w->done = true;
  if (w->sent != 0) --answers_;  // it may have come when it was to be asked for again
  acknowledge((sequence + 1) & number_mask, by);
  parts_.engine.wake(stream_);
}

/// An answer that something behind it has passed is lost (9.7.5.1.1, implied NAK): it is asked for again at once. What
/// comes for packets of before that says nothing new.
void Requester::passed(std::uint32_t sequence) {
  if (works_.empty() || stale_ || waits_) return;
  const Work& w = works_.front();
  if (is_answered(w.what.operation) && ahead(sequence, (w.first + w.came) & number_mask) >= 0)
    retry("answers do not come", true);
}

void Requester::retry(const char* why, bool stale) {
  if (retries_left_-- == 0) fail(fmt::format("{}, retries exceeded", why));
  stale_ = stale;
  renewed_ = highest_;
  go_back();
}

void Requester::go_back() {
  parts_.engine.recall(stream_);
  answers_ = 0;
  cursor_ = 0;
  while (!asked_.empty()) asked_.pop_front();
  since_ask_ = 0;
  for (std::size_t i = 0; i < works_.size(); ++i) {
    Work& w = works_[i];
    w.sent = 0;
    if (i == 0 && !is_answered(w.what.operation) && ahead(oldest_, w.first) > 0)
      w.sent = static_cast<std::uint32_t>(ahead(oldest_, w.first));
  }
  waits_ = false;
  restart_timer();
  parts_.engine.wake(stream_);
}

bool Requester::give_back() {
  // An older request that is to be answered comes first: the peer may have executed it.
  if (!waits_ || is_answered(works_.front().what.operation)) return false;
  parts_.engine.recall(stream_);
  parts_.card.simulation().agenda().disarm(timer_);
  const Work& oldest = works_.front();
  oldest_ = sequence_ = oldest.first;
  if (reliable_datagrams()) next_to_[oldest.what.lid] = sequence_;
  messages_ -= static_cast<std::uint32_t>(works_.size());
  while (!works_.empty()) works_.pop_front();
  while (!asked_.empty()) asked_.pop_front();
  cursor_ = 0;
  answers_ = since_ask_ = 0;
  waits_ = stale_ = false;
  return true;
}

void Requester::save(SavedContext& c) const {
  if (reliable_datagrams()) fail("contexts of reliable datagrams, one a peer, are not saved");
  c.word[2] = std::uint64_t{messages_} << 32 | sequence_;
}

void Requester::restore(const SavedContext& c) {
  messages_ = static_cast<std::uint32_t>(c.word[2] >> 32);
  sequence_ = oldest_ = highest_ = renewed_ = static_cast<std::uint32_t>(c.word[2]);
}

void Requester::timed_out() {
  if (!waits_) return retry("nobody acknowledges", true);
  stale_ = false;  // what the peer had to say it has said before that it was not ready
  go_back();
}

void Requester::restart_timer() {
  sim::Agenda& agenda = parts_.card.simulation().agenda();
  if (waits_) return;
  while (!asked_.empty() && ahead(asked_.front().until, oldest_) < 0) asked_.pop_front();
  if (!asked_.empty() && asked_.front().left && config_.retries.timeout_code > 0)
    agenda.arm(timer_, std::max(asked_.front().at, now()) + config_.retries.timeout());
  else
    agenda.disarm(timer_);
}

}  // namespace tsunagi::infiniband
