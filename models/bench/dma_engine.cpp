// SPDX-License-Identifier: Apache-2.0
#include "models/bench/dma_engine.hpp"

#include <algorithm>
#include <utility>

#include "models/pcie/refusal.hpp"
#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::bench {

DmaEngine::DmaEngine(net::Device& card, flow::PacketPool& pool, const EngineConfig& c, bool align_writes, int max_train)
    : card_(card),
      pool_(pool),
      config_(c),
      clock_(c.clock),
      align_writes_(align_writes),
      max_train_(max_train),
      workers_(c.workers),
      bus_(config_.bus, clock_),
      reads_(card, pool, {Clock(c.clock), c.max_read_request, c.tags, 0},
             [this](net::Delivery d) { port().send(0, std::move(d)); }) {}

comm::Request DmaEngine::start(Fiber& f, const Transfer& t, EngineMethod by) {
  // A worker that gets free may do so before the one that is waited for.
  while (!workers_.any_free() || workers_.free_since(workers_.first_free()).when > f.now())
    f.wait_any({&worker_free_}, workers_.any_free() ? workers_.free_since(workers_.first_free()).when : Time::max(),
               "a worker of " + card_.name());
  const comm::Request request = requests_.make(f.now());
  Time ready = clock_.after(f.now(), config_.start(by));
  if (by == EngineMethod::dma) {
    std::optional<Time>& last = last_[t.reads ? 1 : 0];
    if (last) ready = std::max(ready, clock_.after(*last, config_.interval(by, t.reads)));
    last = ready;
  }
  const int worker = workers_.claim(t.size, {t, by, request, f.now(), ready, ++numbers_});
  started_[static_cast<std::size_t>(by)][t.reads ? 1 : 0].push_back(worker);
  card_.simulation().agenda().arm_by(started_alarm_, ready);
  return request;
}

void DmaEngine::issue() {
  const Time now = card_.simulation().now();
  flow::Ring<int>* started = next_started();
  for (; started != nullptr && workers_[started->front()].ready <= now; started = next_started())
    cross(started->take_front());
  if (started != nullptr) card_.simulation().agenda().arm_by(started_alarm_, workers_[started->front()].ready);
  while (!crossing_.empty() && crossing_.front().until <= now) begin(crossing_.take_front());
  if (!crossing_.empty()) card_.simulation().agenda().arm_by(started_alarm_, crossing_.front().until);
}

flow::Ring<int>* DmaEngine::next_started() {
  flow::Ring<int>* first = nullptr;
  const auto before = [this](int a, int b) {
    const Operation &x = workers_[a], &y = workers_[b];
    return x.ready != y.ready ? x.ready < y.ready : x.number < y.number;
  };
  for (auto& of_method : started_)
    for (flow::Ring<int>& started : of_method)
      if (!started.empty() && (first == nullptr || before(started.front(), first->front()))) first = &started;
  return first;
}

void DmaEngine::cross(int worker) {
  const Operation& o = workers_[worker];
  const bool in_bursts = o.by == EngineMethod::dma;
  const std::int64_t requests = in_bursts ? units_of(o.what.size, config_.max_read_request) : 0;
  const Time crossed =
      o.what.reads ? bus_.requests(requests, o.ready) : bus_.data(BusWay::out, o.what.size, in_bursts, o.ready);
  crossing_.push_back({worker, clock_.after(crossed, 0)});
}

void DmaEngine::begin(const Crossing& c) {
  const int worker = c.worker;
  const Operation& o = workers_[worker];
  const net::Wait why{c.until, {o.begin, 0}, net::Stage::pipeline, "engine starts an operation"};
  if (o.what.reads)
    reads_.ask(static_cast<std::uint64_t>(worker), o.what.address, o.what.size, why);
  else
    write(worker, why);
}

void DmaEngine::complete(net::Delivery d) {
  pcie::require_success(card_, *d.packet);
  const auto worker = static_cast<int>(reads_.arrived(*d.packet, d.schedule.back().tail).transfer);
  done(worker, d.packet->total_payload(), {d.schedule.back().tail, d.packet->id});
  d.slot.release(d.schedule);
  reads_.issue();
}

/// All at once: the link takes them one by one.
void DmaEngine::write(int worker, const net::Wait& why) {
  const Transfer& t = workers_[worker].what;
  const pcie::WriteCut cut{port().max_payload(), align_writes_};
  std::uint64_t address = t.address;
  for (Bytes left = t.size; left > Bytes::zero();) {
    const auto [piece, alike] = pcie::next_writes(cut, address, left, max_train_);
    net::Delivery d = card_.begin(pcie::memory_write(pool_, address, piece, alike), why, why.until);
    d.slot = net::Slot(*this, pcie::posted, {1, 0}, static_cast<int>(alike));
    address += unsigned_of(piece * alike);
    left -= piece * alike;
    leaving_.push_back({static_cast<std::size_t>(alike), left == Bytes::zero() ? worker : -1});
    port().send(0, std::move(d));
  }
}

void DmaEngine::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) {
    Leaving& first = leaving_.front();
    if (--first.writes > 0) continue;
    if (first.worker >= 0) done(first.worker, workers_[first.worker].what.size, {s.tail, packet});
    leaving_.pop_front();
  }
}

void DmaEngine::done(int worker, Bytes n, net::Cause by) {
  const Operation& o = workers_[worker];
  const EngineMethod method = o.by;
  const bool crosses = o.what.reads && workers_.is_last(worker, n);
  const Time there = crosses ? bus_.data(BusWay::in, o.what.size, method == EngineMethod::dma, by.when) : by.when;
  if (there > by.when) card_.tell(by.packet, 0, net::Stage::memory, "the card's bus", by.when, there);
  const Time seen = clock_.after(there, config_.end(method));
  if (!workers_.arrived(worker, n, {seen, by.packet})) return;
  card_.tell(by.packet, 0, net::Stage::pipeline, "engine reports the end", there, seen);
  std::exchange(workers_[worker].request, {}).reach(comm::Milestone::completed, seen);
  worker_free_.notify();
}

}  // namespace tsunagi::bench
