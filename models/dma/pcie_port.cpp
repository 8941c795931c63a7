// SPDX-License-Identifier: Apache-2.0
#include "models/dma/pcie_port.hpp"

#include <algorithm>
#include <utility>

#include "models/pcie/refusal.hpp"
#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::dma {

PciePort::PciePort(net::Device& card, flow::PacketPool& pool, const pcie::RequesterSpec& spec, Registers& registers,
                   int writers, int max_train, Bytes max_write, bool relaxed_ordering)
    : card_(card),
      pool_(pool),
      registers_(registers),
      max_train_(max_train),
      max_write_(max_write),
      relaxed_ordering_(relaxed_ordering),
      reads_(card, pool, spec, [this](net::Delivery d) { port().send(0, std::move(d)); }),
      writers_(static_cast<std::size_t>(writers)) {}

PciePort::~PciePort() {
  for (Writer& w : writers_)
    for (; !w.leaving.empty(); w.leaving.pop_front()) w.leaving.front().held.abandon();
}

void PciePort::read(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n, const net::Wait& ready) {
  const std::uint64_t number = first_transfer_ + transfers_.size();
  Transfer t;
  t.reader = &reader;
  t.token = token;
  t.left = n;
  transfers_.push_back(std::move(t));
  reads_.ask(number, address, n, ready);
}

void PciePort::read_behind(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n,
                           const net::Wait& ready) {
  Behind b{&reader, token, address, n, ready, {}, 0, {}};
  for (std::size_t i = 0; i < writers_.size(); ++i) {
    const Writer& w = writers_[i];
    b.posted[i] = w.posted;
    if (!w.leaving.empty()) ++b.open;
    if (w.last.when > b.left.when) b.left = w.last;
  }
  behind_.push_back(b);
  read_freed();
}

void PciePort::read_freed() {
  const Time now = card_.simulation().now();
  while (!behind_.empty() && behind_.front().open == 0) {
    if (behind_.front().left.when > now) return card_.simulation().agenda().arm_by(freed_, behind_.front().left.when);
    const Behind b = behind_.take_front();
    read(*b.reader, b.token, b.address, b.size,
         later(b.ready, {b.left.when, b.left, net::Stage::buffer, "writes before"}));
  }
}

void PciePort::came(net::Delivery d) {
  switch (d.packet->header<pcie::Tlp>().type) {
    case pcie::TlpType::memory_write:
      return stored(std::move(d));
    case pcie::TlpType::memory_read:
      return pcie::refuse(card_, 0, 0, std::move(d), Time::zero(), "its registers answer no reads");
    default:
      pcie::require_success(card_, *d.packet);
      return completed(std::move(d));
  }
}

void PciePort::stored(net::Delivery d) {
  for (std::int32_t i = 0; i < d.packet->count; ++i)
    registers_.stored(*d.packet, i, {d.schedule[static_cast<std::size_t>(i)].tail, d.packet->id});
  d.slot.release(d.schedule);
}

void PciePort::completed(net::Delivery d) {
  flow::Packet& p = *d.packet;
  const net::Cause last{d.schedule.back().tail, p.id};
  d.slot.release(d.schedule);
  const pcie::ReadRequester::Part part = reads_.arrived(p, last.when);
  Transfer& t = transfers_[part.transfer - first_transfer_];
  if (p.contents) {
    const flow::Contents::Part said = p.contents.part(Bytes::zero(), p.total_payload());
    t.contents.add(pool_.contents(), part.offset + said.at, said.bytes);
  }
  t.left -= p.total_payload();
  if (last.when >= t.last.when) t.last = last;
  if (t.left == Bytes::zero()) {
    flow::Contents bytes = std::move(t.contents);
    Reader& reader = *std::exchange(t.reader, nullptr);
    const std::uint64_t token = t.token;
    const net::Cause when = t.last;
    while (!transfers_.empty() && transfers_.front().reader == nullptr) {
      transfers_.pop_front();
      ++first_transfer_;
    }
    reader.data_came(token, std::move(bytes), when);
  }
  reads_.issue();
}

void PciePort::write(int writer, Write w, const net::Wait& why) {
  const Bytes largest = std::min(max_write_, port().max_payload());
  flow::Ring<Leaving>& leaving = writers_[static_cast<std::size_t>(writer)].leaving;
  ++writers_[static_cast<std::size_t>(writer)].posted;
  leaving.push_back({0, std::move(w.held)});
  net::Delivery first;  // mostly the only one
  std::vector<net::Delivery> others;
  for (Bytes done; done < w.size;) {
    const std::uint64_t at = w.address + unsigned_of(done);
    const Bytes left = w.size - done;
    const auto [piece, count] = pcie::next_writes({largest}, at, left, max_train_);
    net::Delivery d = card_.begin(pcie::memory_write(pool_, at, piece, count), why, why.until);
    d.packet->header<pcie::Tlp>().attributes.relaxed_ordering = relaxed_ordering_ && w.data;
    d.packet->origin = w.origin;
    d.packet->origin_offset = w.origin_offset + unsigned_of(done);
    done += piece * count;
    if (w.contents) {
      if (done < w.size)
        d.packet->contents = w.contents.take_front(piece * count);
      else
        d.packet->contents = std::move(w.contents);
    }
    leaving.back().packets += count;
    d.slot = net::Slot(*this, static_cast<flow::FlowClass>(writer), {1, 0}, static_cast<int>(count));
    if (first.packet == nullptr)
      first = std::move(d);
    else
      others.push_back(std::move(d));
  }
  port().send(1 + writer, std::move(first));
  for (net::Delivery& d : others) port().send(1 + writer, std::move(d));
}

void PciePort::slot_released(flow::FlowClass writer, flow::Credits, net::Spans when, std::uint64_t packet) {
  Writer& w = writers_[writer];
  for (const net::Span& s : when) {
    Leaving& l = w.leaving.front();
    if (--l.packets > 0) continue;
    net::Slot held = std::move(l.held);
    w.leaving.pop_front();
    w.last = {s.tail, packet};
    const std::uint64_t left = w.posted - w.leaving.size();
    for (std::size_t i = 0; i < behind_.size(); ++i) {
      Behind& b = behind_[i];
      if (b.open == 0 || b.posted[writer] != left) continue;
      --b.open;
      if (w.last.when > b.left.when) b.left = w.last;
    }
    if (!behind_.empty() && behind_.front().open == 0)
      card_.simulation().agenda().arm_by(freed_, std::max(s.tail, card_.simulation().now()));
    held.release(net::Schedule::at(s.tail), packet);
  }
}

}  // namespace tsunagi::dma
