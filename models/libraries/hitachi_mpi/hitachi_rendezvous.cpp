// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/hitachi_mpi/hitachi_rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tsunagi::libraries {

using comm::Milestone;

namespace {

constexpr Bytes receive_flag{8};

}  // namespace

HitachiZeroCopy::HitachiZeroCopy(comm::ByRank<ComBufNode>& nodes, const HitachiMpiConfig& c, SendRights& rights,
                                 const comm::Steps& step)
    : nodes_(nodes), config_(c), rights_(rights), step_(step), states_(nodes.size()) {
  for (ComBufNode& n : nodes) {
    flag_field_ = n.take_field("flags of long messages", receive_flag * c.long_receives, &flags_);
    tcws_ = n.take("TCWs of long messages", sr8000::Tcw::size * c.transfers).base;
  }
}

host::Core::Polled HitachiZeroCopy::flag(std::uint32_t receive, std::uint64_t last) const {
  return {flags_ + unsigned_of(receive_flag) * (receive + 1), receive_flag,
          [last](std::uint64_t said) { return said != last; }};
}

std::uint64_t HitachiZeroCopy::expose(int rank, const comm::Envelope& e, const comm::Buffer& b) {
  if (e.receive >= static_cast<std::uint32_t>(config_.long_receives))
    throw std::runtime_error(fmt::format("rank {} receives more than {} long messages at once (\"long_receives\")",
                                         rank, config_.long_receives));
  Coming c{e, nodes_[rank].said(flag(e.receive, 0).end)};
  c.envelope.kind = comm::Envelope::Kind::finished;
  states_[rank].coming[e.receive] = c;
  return unsigned_of(b.offset);
}

void HitachiZeroCopy::put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                          const comm::Envelope& e, const comm::Request& request) {
  states_[from].jobs.push_back({to, b, target, e.receive, request});
  start(f, from);
}

void HitachiZeroCopy::start(Fiber& f, int rank) {
  State& s = states_[rank];
  ComBufNode& me = nodes_[rank];
  while (!s.jobs.empty() && s.transfers.size() < static_cast<std::size_t>(config_.transfers)) {
    const Job job = s.jobs.front();
    s.jobs.pop_front();
    rights_.acquire(f, rank, job.to);
    const std::uint32_t number = s.tcws.take();
    const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * number;
    sr8000::Tcw t;
    t.source = me.user_base() + unsigned_of(job.bytes.offset);
    t.length = job.bytes.size;
    t.destination = nodes_[job.to].nia().node();
    t.field = static_cast<std::uint16_t>(me.user_field());
    t.offset = job.target;
    t.flagged = true;
    t.flag_field = static_cast<std::uint16_t>(flag_field_);
    t.flag_offset = unsigned_of(receive_flag) * job.receive;
    job.request.reach(Milestone::started, f.now());
    step_.copied(comm::Copier::dma, job.bytes.size);
    step_(f, rank, "build TCW", [&] { me.build(f, tcw, t); });
    step_(f, rank, "kick TCW", [&] { s.transfers.push_back({me.kick(f, tcw), number, job.request}); });
  }
}

/// Notices transfers that have left.
void HitachiZeroCopy::finish(Fiber& f, int rank) {
  State& s = states_[rank];
  ComBufNode& me = nodes_[rank];
  while (!s.transfers.empty() && me.said(me.sent_word_end()) >= s.transfers.front().number) {
    const Transfer t = s.transfers.front();
    s.transfers.pop_front();
    step_(f, rank, "end of a transfer", [&] { me.core().execute(f, "found sent", config_.sent_cycles); });
    s.tcws.give_back(t.tcw);
    t.request.reach(Milestone::completed, f.now());
  }
}

std::optional<comm::Arrival> HitachiZeroCopy::next(Fiber& f, int rank) {
  State& s = states_[rank];
  ComBufNode& me = nodes_[rank];
  finish(f, rank);
  start(f, rank);
  for (auto c = s.coming.begin(); c != s.coming.end(); ++c) {
    const host::Core::Polled w = flag(c->first, c->second.flag);
    if (!w.until(me.said(w.end))) continue;
    const comm::Arrival a{c->second.envelope, 0, me.memory().word_ending_at(w.end).since};
    s.coming.erase(c);
    step_(f, rank, "end of a long message", [&] { me.core().execute(f, "found flag", config_.wait_cycles); });
    return a;
  }
  return std::nullopt;
}

void HitachiZeroCopy::watch(int rank, std::vector<host::Core::Polled>& words) const {
  const State& s = states_[rank];
  for (const auto& [receive, c] : s.coming) words.push_back(flag(receive, c.flag));
  if (!s.transfers.empty()) words.push_back(nodes_[rank].sent(s.transfers.front().number));
}

HitachiChunks::HitachiChunks(comm::ByRank<ComBufNode>& nodes, const HitachiMpiConfig& c, SendRights& rights,
                             const comm::Steps& step)
    : nodes_(nodes),
      chunk_(c.chunk),
      slots_(nodes, c, "chunks", areas, 1, c.chunk, rights, step),
      step_(step),
      states_(nodes.size()) {}

std::uint64_t HitachiChunks::expose(int rank, const comm::Envelope& e, const comm::Buffer& b) {
  states_[rank].coming[e.receive] = {b, e, e.size};
  ++states_[rank].expected[e.source];
  return 0;
}

void HitachiChunks::put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t /*target*/,
                        const comm::Envelope& e, const comm::Request& request) {
  states_[from].leaving[to].push_back({b, e, request});
  send(f, from, to);
}

/// Messages to a peer leave one behind the other. A chunk is a message with its acknowledgement, so that one at a time
/// is on its way; meanwhile the next is copied in.
void HitachiChunks::send(Fiber& f, int rank, int to) {
  const auto at = states_[rank].leaving.find(to);
  std::deque<Leaving>& all = at->second;
  for (;;) {
    if (slots_.due(rank, to)) {
      Leaving& m = all.front();
      if (m.sent == Bytes::zero()) m.request.reach(Milestone::started, f.now());
      slots_.kick(f, rank, to);
      m.sent += std::min(chunk_, m.bytes.size - m.sent);
      if (m.sent == m.bytes.size) {
        m.request.reach(Milestone::completed, f.now());
        all.pop_front();
      }
    }
    const auto next = std::find_if(all.begin(), all.end(), [](const Leaving& m) { return m.filled < m.bytes.size; });
    if (next == all.end() || !slots_.room(rank, to)) break;
    comm::Envelope e = next->envelope;
    e.target = unsigned_of(next->filled);
    e.size = std::min(chunk_, next->bytes.size - next->filled);
    slots_.fill(f, rank, to, e, nodes_[rank].user_base() + unsigned_of(next->bytes.offset + next->filled), e.size);
    next->filled += e.size;
  }
  if (all.empty()) states_[rank].leaving.erase(at);
}

/// The next chunk of a peer, which has arrived.
void HitachiChunks::take(Fiber& f, int rank, int from) {
  const HitachiSlots::Came chunk = slots_.look(f, rank, from);
  const comm::Envelope& e = chunk.envelope;
  const auto c = states_[rank].coming.find(e.receive);
  const ComBufNode& me = nodes_[rank];
  step_.copied(comm::Copier::core, e.size);
  const std::uint64_t bytes = slots_.bytes(rank, from);
  slots_.free(f, rank, from);
  step_(f, rank, "copy out of the remote DMA area", [&] {
    me.core().copy(f, me.memory(), me.user_base() + unsigned_of(c->second.into.offset) + e.target, bytes, e.size);
  });
  c->second.missing -= e.size;
  if (c->second.missing > Bytes::zero()) return;
  states_[rank].arrived.add(c->second.envelope, chunk.at, comm::Held::as_it_came);
  states_[rank].coming.erase(c);
  const auto expected = states_[rank].expected.find(from);
  if (--expected->second == 0) states_[rank].expected.erase(expected);
}

std::optional<comm::Arrival> HitachiChunks::next(Fiber& f, int rank) {
  State& s = states_[rank];
  std::vector<int> peers;  // as of now: the maps change
  for (const auto& [from, messages] : s.expected)
    if (slots_.arrived(rank, from)) peers.push_back(from);
  for (const int from : peers) take(f, rank, from);
  peers.clear();
  for (const auto& [to, messages] : s.leaving) peers.push_back(to);
  for (const int to : peers) send(f, rank, to);
  return s.arrived.take();
}

void HitachiChunks::watch(int rank, std::vector<host::Core::Polled>& words) const {
  const State& s = states_[rank];
  for (const auto& [from, messages] : s.expected) words.push_back(slots_.arrival_word(rank, from));
  for (const auto& [to, messages] : s.leaving) words.push_back(slots_.room_word(rank, to));
}

}  // namespace tsunagi::libraries
