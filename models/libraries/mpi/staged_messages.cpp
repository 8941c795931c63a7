// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/mpi/staged_messages.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tsunagi::libraries {

using comm::Milestone;

namespace {

constexpr int no_block = -1;   // of host memory, that a write is sent from
constexpr int first_rail = 0;  // by which blocks go (1.9b), unless by all
constexpr int parts_bits = 8;  // of what a block that is filled says of itself, behind its number

std::vector<int> all_of(int n) {
  std::vector<int> out;
  for (int i = n; i-- > 0;) out.push_back(i);
  return out;
}

int take(std::vector<int>& free) {
  const int i = free.back();
  free.pop_back();
  return i;
}

}  // namespace

StagedMessages::StagedMessages(const GpuBuffersConfig& c, comm::ByRank<VerbsNode>& nodes, comm::ByRank<GpuMemory>& gpus,
                               const comm::Steps& step)
    : config_(c), gpus_(gpus), step_(step) {
  for (VerbsNode& n : nodes) {
    State s;
    s.sending = n.take("blocks of GPU messages to send", c.block * c.pool);
    s.receiving = n.take_for_peers("blocks of GPU messages that come", c.block * c.pool);
    s.free_to_send = s.free_to_receive = all_of(c.pool);
    states_.push_back(std::move(s));
  }
}

comm::Buffer StagedMessages::piece(const comm::Buffer& b, std::int64_t i) const {
  return {b.offset + config_.block * i, std::min(config_.block, b.size - config_.block * i), b.place, {}, {}};
}

std::uint64_t StagedMessages::expect(Fiber& f, int rank, const comm::Buffer& into) {
  State& s = states_[rank];
  gpus_[rank].make_event(f, rank);
  const std::uint64_t ticket = DeviceBuffers::first_ticket + s.tickets++;
  s.expected.emplace(ticket, into);
  return ticket;
}

void StagedMessages::clear(Fiber& f, int rank, const comm::Envelope& e) {
  State& s = states_[rank];
  const auto at = s.expected.find(e.target);
  Receive r;
  r.clear = e;
  r.clear.target = 0;
  r.into = at->second;
  s.expected.erase(at);
  s.receives.emplace(e.receive, std::move(r));
  s.to_grant.push_back(e.receive);
  grant_blocks(f, rank);
}

/// Clear to send, or further ones: as many blocks as are free.
void StagedMessages::grant_blocks(Fiber& f, int rank) {
  State& s = states_[rank];
  while (!s.to_grant.empty() && !s.free_to_receive.empty()) {
    Receive& r = s.receives.at(s.to_grant.front());
    if (!engine_->room(rank, r.clear.source)) return;
    s.to_grant.pop_front();
    MessageHeader h;
    h.envelope = r.clear;
    if (r.granted > 0) h.notice = MessageHeader::Notice::blocks;
    const std::int64_t wanted = std::min<std::int64_t>(config_.granted, blocks(r.into.size) - r.granted);
    while (static_cast<std::int64_t>(h.blocks.size()) < wanted && !s.free_to_receive.empty()) {
      const int block = r.held[r.granted++] = take(s.free_to_receive);
      h.blocks.push_back(place(s.receiving, block));
    }
    engine_->send(f, rank, r.clear.source, h);
  }
}

void StagedMessages::told(Fiber& f, int rank, int peer, const MessageHeader& h) {
  State& s = states_[rank];
  const comm::Envelope& e = h.envelope;
  if (h.notice != MessageHeader::Notice::block_filled) {
    std::deque<std::uint64_t>& there = s.granted[{peer, e.receive}];
    there.insert(there.end(), h.blocks.begin(), h.blocks.end());
    return;
  }
  Receive& r = s.receives.at(e.receive);
  // Parts of a block come by several rails, and those of the next one perhaps before its last.
  const auto i = static_cast<std::int64_t>(e.target >> parts_bits);
  if (++r.parts[i] < static_cast<int>(e.target & ((1u << parts_bits) - 1))) return;
  r.parts.erase(i);
  const int block = r.held.at(i);
  r.held.erase(i);
  if (r.held.empty() && r.granted < blocks(r.into.size)) {
    s.to_grant.push_back(e.receive);
    grant_blocks(f, rank);
  }
  const comm::Buffer b = piece(r.into, i);
  step_.copied(comm::Copier::dma, b.size, i == 0 ? 1 : 0);
  s.events.push_back({gpus_[rank].start(f, rank, b, place(s.receiving, block), false), false, false, e.receive, block});
}

void StagedMessages::put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                         const comm::Envelope& last, const comm::Request& request) {
  Send s{to, b, target, last, request, 0, 0, 0};
  request.reach(Milestone::started, f.now());
  states_[from].sends.emplace(states_[from].send_numbers++, std::move(s));
  progress(f, from);
}

void StagedMessages::progress(Fiber& f, int rank) {
  ask_for_events(f, rank);
  copy_blocks(f, rank);
  grant_blocks(f, rank);
}

void StagedMessages::ask_for_events(Fiber& f, int rank) {
  State& s = states_[rank];
  for (std::size_t i = 0; i < s.events.size();) {
    if (!s.events[i].over) s.events[i].over = gpus_[rank].over(f, rank, s.events[i].event);
    const Copying c = s.events[i];
    // Blocks of a message leave in order: a later one may be found there by a core that asked for the earlier one just
    // before that was.
    const auto before = s.events.begin() + static_cast<std::ptrdiff_t>(i);
    const bool first = std::none_of(s.events.begin(), before,
                                    [&](const Copying& other) { return other.out && other.message == c.message; });
    const bool due = c.over && (!c.out || (first && may_post(rank, s.sends.at(c.message))));
    if (!due) {
      ++i;
      continue;
    }
    s.events.erase(s.events.begin() + static_cast<std::ptrdiff_t>(i));
    if (c.out)
      post_block(f, rank, c.message, place(s.sending, c.block), c.block);
    else
      came_in(rank, c);
  }
}

/// A block is where it belongs.
void StagedMessages::came_in(int rank, const Copying& c) {
  State& s = states_[rank];
  Receive& r = s.receives.at(c.message);
  s.free_to_receive.push_back(c.block);
  if (++r.copied < blocks(r.into.size)) return;
  s.finished.add(r.clear, gpus_[rank].over_since(c.event), comm::Held::nowhere);
  s.receives.erase(c.message);
}

bool StagedMessages::busy(int rank) const {
  const std::vector<Copying>& all = states_[rank].events;
  return std::any_of(all.begin(), all.end(), [](const Copying& c) { return !c.over; });
}

std::int64_t StagedMessages::welcome(int rank, const Send& s) const {
  if (s.target != 0) return blocks(s.what.size);
  const auto at = states_[rank].granted.find({s.to, s.last.receive});
  return s.posted + (at == states_[rank].granted.end() ? 0 : static_cast<std::int64_t>(at->second.size()));
}

bool StagedMessages::may_post(int rank, const Send& s) const {
  if (s.posted >= welcome(rank, s)) return false;
  const std::vector<int> told = told_by(s);
  const auto room = [&](int rail) {
    return engine_->room(rank, s.to, rail, 2, std::max<int>(1, static_cast<int>(told.size())));
  };
  for (const VerbsEngine::Share& part : shares(piece(s.what, s.posted).size))
    if (!room(part.rail)) return false;
  return std::all_of(told.begin(), told.end(), room);
}

std::vector<VerbsEngine::Share> StagedMessages::shares(Bytes n) const {
  if (config_.all_rails) return engine_->shares(n, first_rail);
  return {{first_rail, Bytes::zero(), n}};
}

std::vector<int> StagedMessages::told_by(const Send& s) const {
  const bool last = s.posted + 1 == blocks(s.what.size);
  std::vector<int> out;
  if (s.target != 0 && !last) return out;
  // The whole message is there when the last block is, and what was cut over other rails before.
  const Bytes n = s.target == 0 ? piece(s.what, s.posted).size : std::min(config_.block, s.what.size);
  for (const VerbsEngine::Share& part : shares(n)) out.push_back(part.rail);
  return out;
}

void StagedMessages::post_block(Fiber& f, int rank, std::uint32_t number, std::uint64_t from, int block) {
  State& state = states_[rank];
  Send& s = state.sends.at(number);
  const std::vector<int> told = told_by(s);
  const std::int64_t i = s.posted++;
  const Bytes n = piece(s.what, i).size;
  const bool last = s.posted == blocks(s.what.size);
  std::uint64_t to = s.target + unsigned_of(config_.block * i);
  if (s.target == 0) {
    const auto there = state.granted.find({s.to, s.last.receive});
    to = there->second.front();
    there->second.pop_front();
    if (last) state.granted.erase(there);
  }
  step_.copied(comm::Copier::dma, n, i == 0 ? 1 : 0);
  const std::vector<VerbsEngine::Share> parts = shares(n);
  const auto left = std::make_shared<std::size_t>(parts.size());
  for (const VerbsEngine::Share& part : parts) {
    infiniband::WorkRequest w;
    w.operation = infiniband::Operation::write;
    w.length = part.size;
    w.local = from + unsigned_of(part.from);
    w.remote = to + unsigned_of(part.from);
    engine_->post(f, rank, s.to, part.rail, "post the write", w, [this, rank, number, block, left](Fiber& by) {
      if (--*left == 0) written(by, rank, number, block);
    });
  }
  MessageHeader h;
  h.envelope = s.last;
  h.envelope.target = told.size();
  if (s.target == 0) {
    h.notice = MessageHeader::Notice::block_filled;
    h.envelope.target |= static_cast<std::uint64_t>(i) << parts_bits;
  }
  for (const int rail : told) engine_->send_behind(f, rank, s.to, rail, h, {});
}

/// Has messages that leave copied to host memory; from there, those that lie there are written block by block.
void StagedMessages::copy_blocks(Fiber& f, int rank) {
  State& s = states_[rank];
  for (auto& [number, send] : s.sends) {
    const std::int64_t n = blocks(send.what.size);
    if (comm::is_host(send.what.place)) {
      while (send.posted < n && may_post(rank, send))
        post_block(f, rank, number, engine_->node(rank).user_base() + unsigned_of(piece(send.what, send.posted).offset),
                   no_block);
      continue;
    }
    for (; send.copied < n && !s.free_to_send.empty(); ++send.copied) {
      // Ahead of what the receiver has room for, but not into the last block: others may need it to go on.
      if (send.copied >= welcome(rank, send) && s.free_to_send.size() == 1) break;
      const comm::Buffer b = piece(send.what, send.copied);
      const int block = take(s.free_to_send);
      step_.copied(comm::Copier::dma, b.size, send.copied == 0 ? 1 : 0);
      s.events.push_back({gpus_[rank].start(f, rank, b, place(s.sending, block), true), true, false, number, block});
    }
  }
}

void StagedMessages::written(Fiber& f, int rank, std::uint32_t number, int block) {
  State& s = states_[rank];
  if (block != no_block) s.free_to_send.push_back(block);
  Send& send = s.sends.at(number);
  if (++send.written < blocks(send.what.size)) return;
  send.request.reach(Milestone::completed, f.now());
  s.sends.erase(number);
}

}  // namespace tsunagi::libraries
