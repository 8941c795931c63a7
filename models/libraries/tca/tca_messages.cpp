// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca/tca_messages.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/libraries/envelope_line.hpp"
#include "models/libraries/tca/tca_puts.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using comm::Milestone;

namespace {

constexpr std::uint64_t first_owner = std::uint64_t{1} << 32;  // of the DMA registers: above all prepared puts

}  // namespace

TcaMessages::TcaMessages(const TcaConfig& c, const std::vector<TcaNode>& nodes, std::vector<TcaDma>& dmas,
                         const comm::Steps& step)
    : config_(c.messages), nodes_(nodes), dmas_(dmas), step_(step), states_(nodes.size()), owners_(first_owner) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    states_[i].peers.resize(nodes.size());
    states_[i].unexpected.emplace(nodes[i].unexpected().base, config_.slot_size(), config_.unexpected);
  }
}

std::uint64_t TcaMessages::slot_end(int at, int from, std::uint64_t n) const {
  const auto slots = static_cast<std::uint64_t>(config_.slots);
  const std::uint64_t i = static_cast<std::uint64_t>(from) * slots + n % slots;
  return node(at).rings().base + (i + 1) * unsigned_of(config_.slot_size());
}

std::uint64_t TcaMessages::oldest_bytes(int rank, int from, Bytes n) const {
  return slot_end(rank, from, peer(rank, from).consumed) - unsigned_of(EnvelopeLine::size + n);
}

host::Word& TcaMessages::mark(int rank, int from) {
  return node(rank).memory().word_ending_at(slot_end(rank, from, peer(rank, from).consumed));
}

bool TcaMessages::arrived(int rank, int from) { return mark(rank, from).value == peer(rank, from).consumed + 1; }

bool TcaMessages::room(int from, int to) const {
  const std::uint64_t taken =
      node(from).memory().word_ending_at(node(from).words().credit(to) + 8).value;  // what the peer said last
  return peer(from, to).sent - taken < static_cast<std::uint64_t>(config_.slots);
}

void TcaMessages::post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
                       const comm::Request* request) {
  if (b != nullptr) check(from, "sends", *b, false);
  Peer& p = peer(from, to);
  const Bytes n = b == nullptr ? Bytes::zero() : b->size;
  const std::uint64_t end = slot_end(to, from, p.sent);
  const EnvelopeLine line(e, ++p.sent);
  const std::uint64_t begin = end - unsigned_of(EnvelopeLine::size + n);
  if (request != nullptr) request->reach(Milestone::started, f.now());
  const TcaNode& me = node(from);
  step_.copied(comm::Copier::core, n);
  step_(f, from, b == nullptr ? "store the envelope" : "store the message", [&] {
    me.core().store(f, node(to).shared_word(begin), me.memory(), b == nullptr ? 0 : me.local("", b->offset, n), n,
                    line.bytes(), ++messages_);
  });
  if (request != nullptr) request->reach(Milestone::completed, f.now());
}

comm::Protocol TcaMessages::protocol(const comm::Buffer& b) const {
  if (b.size <= config_.eager_limit && eager_from(b))
    return {"eager", 2, 0, {}, "\"eager_limit\" is " + to_string(config_.eager_limit)};
  return {"rendezvous put",
          0,
          1,
          {"ready to send", "clear to send", "finished"},
          TcaNode::is_host(b.place) ? "longer than \"eager_limit\"" : "a core stores no bytes that lie in a device"};
}

void TcaMessages::check(int rank, const char* call, const comm::Buffer& b, bool shared) const {
  if (const std::string why = node(rank).refusal(b.place, b.offset + b.size, shared); !why.empty())
    throw std::runtime_error("rank " + std::to_string(rank) + " " + call + ": " + why);
}

std::uint64_t TcaMessages::expose(Fiber&, int rank, const comm::Envelope&, const comm::Buffer& b) {
  check(rank, "receives", b, true);
  return node(rank).shared(b.place, b.offset, b.size);
}

void TcaMessages::put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                      const comm::Envelope& last, const comm::Request& request) {
  check(from, "sends", b, false);
  state(from).jobs.push_back({to, b, target, last, request});
  start_job(f, from);
}

/// Hands the first job to the DMA controller if it is idle and there is a buffer for the envelope behind the bytes.
void TcaMessages::start_job(Fiber& f, int rank) {
  State& s = state(rank);
  if (s.running || s.jobs.empty() || !room(rank, s.jobs.front().to)) return;
  const Job& job = s.jobs.front();
  const TcaNode& me = node(rank);
  TcaDma& dma = dmas_[static_cast<std::size_t>(rank)];
  Peer& p = peer(rank, job.to);
  peach2::Descriptor data;
  data.source = me.local(job.what.place, job.what.offset, job.what.size);
  data.destination = job.target;
  data.length = job.what.size;
  peach2::Descriptor behind;
  behind.source = me.words().last_line();
  behind.destination = node(job.to).shared_word(slot_end(job.to, rank, p.sent) - unsigned_of(EnvelopeLine::size));
  behind.length = EnvelopeLine::size;
  s.running = true;
  const EnvelopeLine line(job.last, ++p.sent);
  job.request.reach(Milestone::started, f.now());
  step_(f, rank, "set the DMA registers", [&] {
    me.core().store(f, me.words().last_line(), line.bytes());
    dma.program(f, ++owners_, {data, behind});
    dma.status_to(f, me.shared_word(me.words().message_status()));
  });
  step_.copied(comm::Copier::dma, data.length);
  step_(f, rank, "ring the doorbell", [&] { dma.ring(f, 2); });
  s.number = dma.started();
}

bool TcaMessages::sent_by_dma(int rank) {
  const State& s = state(rank);
  return s.running && node(rank).memory().word_ending_at(node(rank).words().message_status() + 8).value == s.number;
}

std::optional<comm::Arrival> TcaMessages::next(Fiber& f, int rank) {
  State& s = state(rank);
  const int ranks = static_cast<int>(nodes_.size());
  if (sent_by_dma(rank)) {
    s.jobs.front().request.reach(Milestone::completed, f.now());
    s.jobs.pop_front();
    s.running = false;
  }
  start_job(f, rank);
  const bool polled = std::exchange(s.polled, false);
  for (int i = 1; i <= ranks; ++i) {
    const int from = (s.served + i) % ranks;
    if (from == rank) continue;
    const bool there = arrived(rank, from);
    if (!polled) node(rank).core().execute(f, "look at a ring", node(rank).core().config().poll_cycles);
    if (!there) continue;
    s.served = from;
    const host::Word& word = mark(rank, from);
    const std::vector<std::uint8_t> line =
        node(rank).memory().bytes(word.place.end - unsigned_of(EnvelopeLine::size), EnvelopeLine::size);
    return comm::Arrival{EnvelopeLine::decode(line), static_cast<std::uint64_t>(from), word.since};
  }
  return std::nullopt;
}

void TcaMessages::wait(Fiber& f, int rank, const std::vector<Event*>&, Time) {
  const TcaNode& me = node(rank);
  State& s = state(rank);
  // A buffer for the next envelope behind bytes that was given back while `next` looked: nobody would say so again.
  if (!s.running && !s.jobs.empty() && room(rank, s.jobs.front().to)) return;
  std::vector<host::Core::Polled> words;
  for (int from = 0; from < static_cast<int>(nodes_.size()); ++from) {
    if (from == rank) continue;
    const std::uint64_t number = peer(rank, from).consumed + 1;
    words.push_back({slot_end(rank, from, number - 1), 8_B, [number](std::uint64_t said) { return said == number; }});
    // Of a peer whose buffers are all full, how many it has emptied.
    if (room(rank, from)) continue;
    const std::uint64_t taken = peer(rank, from).sent - static_cast<std::uint64_t>(config_.slots);
    words.push_back({me.words().credit(from) + 8, 8_B, [taken](std::uint64_t said) { return said > taken; }});
  }
  if (s.running)
    words.push_back({me.words().message_status() + 8, 8_B, [n = s.number](std::uint64_t said) { return said == n; }});
  step_(f, rank, "poll the rings", [&] { me.core().poll_any(f, me.memory(), words); });
  s.polled = true;
}

void TcaMessages::take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) {
  const Bytes n = a.envelope.kind == comm::Envelope::Kind::eager ? a.envelope.size : Bytes::zero();
  const bool aside = a.held == comm::Held::aside;
  const int from = static_cast<int>(a.handle);  // unless it is aside
  protocols::UnexpectedQueue& unexpected = *state(rank).unexpected;
  if (n > Bytes::zero()) {
    check(rank, "receives", b, false);
    const TcaNode& me = node(rank);
    const std::uint64_t source = aside ? unexpected.address(a.handle) : oldest_bytes(rank, from, n);
    const std::uint64_t to = me.local(b.place, b.offset, n);
    step_.copied(comm::Copier::core, n);
    step_(f, rank, "copy the message", [&] {
      if (TcaNode::is_host(b.place))
        me.core().copy(f, me.memory(), to, source, n);
      else
        me.core().store(f, to, me.memory(), source, n, {}, ++messages_);
    });
  }
  if (aside)
    unexpected.give_back(a.handle);
  else
    free_slot(f, rank, from);
}

void TcaMessages::set_aside(Fiber& f, int rank, comm::Arrival& a) {
  const int from = static_cast<int>(a.handle);
  const Bytes n = a.envelope.size;
  a.handle = state(rank).unexpected->copy_aside(f, rank, step_, node(rank), oldest_bytes(rank, from, n), n);
  a.held = comm::Held::aside;
  free_slot(f, rank, from);
}

/// Half a ring at a time the sender is told.
void TcaMessages::free_slot(Fiber& f, int rank, int from) {
  Peer& p = peer(rank, from);
  ++p.consumed;
  if (p.consumed - p.told < static_cast<std::uint64_t>((config_.slots + 1) / 2)) return;
  p.told = p.consumed;
  step_(f, rank, "give buffers back", [&] {
    node(rank).core().store(f, node(from).shared_word(node(from).words().credit(rank)), 8_B, p.consumed, 0);
  });
}

void TcaMessages::visit(Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) {
  protocols::MatchingQueues(node(rank).queues()).visit(f, rank, step_, node(rank), q, entries);
}

const gpu::Gpu& TcaDevices::gpu(int rank, const std::string& place, const char* does) const {
  if (const gpu::Gpu* g = nodes_[static_cast<std::size_t>(rank)].gpu(place)) return *g;
  throw std::runtime_error("rank " + std::to_string(rank) + " " + does + " \"" + place +
                           "\", but its node has no such GPU");
}

void TcaDevices::compute(Fiber& f, int rank, const Work& w, const std::string& place) {
  cuda_[static_cast<std::size_t>(rank)].compute(f, gpu(rank, place, "computes on"), w);
}

void TcaDevices::copy_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host) {
  gpu::CopyCommand what;
  what.source = unsigned_of(from.offset);
  what.destination = host;
  what.length = from.size;
  what.from = gpu::Aperture::local;
  what.to = gpu::Aperture::host;
  copy(f, rank, gpu(rank, from.place, "copies out of"), what);
}

void TcaDevices::copy_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host) {
  gpu::CopyCommand what;
  what.source = host;
  what.destination = unsigned_of(to.offset);
  what.length = to.size;
  what.from = gpu::Aperture::host;
  what.to = gpu::Aperture::local;
  copy(f, rank, gpu(rank, to.place, "copies into"), what);
}

void TcaDevices::copy(Fiber& f, int rank, const gpu::Gpu& g, const gpu::CopyCommand& what) {
  CudaDriver& cuda = cuda_[static_cast<std::size_t>(rank)];
  cuda.call(f);
  cuda.wait(f, cuda.start(f, g, what));
  cuda.finish(f);
}

}  // namespace tsunagi::libraries
