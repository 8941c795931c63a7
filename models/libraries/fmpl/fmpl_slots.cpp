// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "comm/library.hpp"

namespace tsunagi::libraries {

FmplSlots::FmplSlots(const FmplConfig& c, comm::ByRank<ComBufNode>& nodes)
    : slots_(c.slots),
      header_cycles_(c.header_cycles),
      any_tag_(c.any_tag),
      any_source_(c.any_source),
      nodes_(nodes),
      ends_(nodes.size()) {
  const std::int64_t all = static_cast<std::int64_t>(nodes.size()) * slots_of_pair();
  for (ComBufNode& n : nodes) {
    matching_field_ = n.take_field("matching slots", header_size_ * all, &matching_);
    flag_field_ = n.take_field("completion flags", flag_size_ * all, &flags_);
    empty_field_ = n.take_field("empty messages", flag_size_, &empty_);
    headers_ = n.take("headers", header_size_ * all).base;
    header_tcws_ = n.take("TCWs of headers", sr8000::Tcw::size * all).base;
    data_tcws_ = n.take("TCWs of data", sr8000::Tcw::size * all).base;
    records_ = n.take("records of slots", record_size_ * all).base;
  }
}

FmplSlots::Pair& FmplSlots::pair(int rank, int peer) {
  Pair& p = ends_[rank].pairs[peer];
  if (p.slots.empty()) p.slots.resize(static_cast<std::size_t>(slots_of_pair()));
  return p;
}

int FmplSlots::number(int rank, int context, int tag, std::uint32_t& collectives) const {
  const int lower = slots_ / 2;
  if (context % 2 != 0) return lower + static_cast<int>(collectives++ % static_cast<std::uint32_t>(slots_ - lower));
  if (tag == comm::any_tag) {
    if (any_tag_) return any_tag_slot();
    throw std::runtime_error(fmt::format(
        "rank {} receives with any tag: library fmpl looks for such receives with \"any_tag\" alone", rank));
  }
  if (tag >= lower)
    throw std::runtime_error(
        fmt::format("rank {} uses tag {}, but programs have matching slots 0 to {} (\"slots\")", rank, tag, lower - 1));
  return tag;
}

bool FmplSlots::receives(int rank, int peer, int slot) const {
  const auto& pairs = ends_[rank].pairs;
  const auto known = pairs.find(peer);
  return known != pairs.end() && known->second.slots[static_cast<std::size_t>(slot)].receives;
}

std::uint64_t FmplSlots::place(int peer, int slot, Bytes each) const {
  return unsigned_of(each) * (static_cast<std::uint64_t>(peer) * static_cast<std::uint64_t>(slots_of_pair()) +
                              static_cast<std::uint64_t>(slot));
}

std::vector<int> FmplSlots::headers_of(int slot) const {
  if (any_tag_ && slot < slots_ / 2) return {slot, any_tag_slot()};
  return {slot};
}

host::Core::Polled FmplSlots::header_word(int rank, int peer, int slot) {
  const std::uint64_t last = at(rank, peer, slot).header;
  return {matching_ + place(peer, slot, header_size_) + unsigned_of(header_size_), 8_B,
          [last](std::uint64_t said) { return said != 0 && said != last; }};
}

bool FmplSlots::header_is_there(int rank, int peer, int slot) {
  const std::vector<int> slots = headers_of(slot);
  return std::any_of(slots.begin(), slots.end(), [&](int s) { return nodes_[rank].says(header_word(rank, peer, s)); });
}

host::Core::Polled FmplSlots::flag_word(int rank, int peer, int slot) {
  const std::uint64_t last = at(rank, peer, slot).flag;
  return {flags_ + place(peer, slot, flag_size_) + unsigned_of(flag_size_), 8_B,
          [last](std::uint64_t said) { return said != last; }};
}

void FmplSlots::look_up(Fiber& f, int rank, int peer, int slot) const {
  const ComBufNode& n = nodes_[rank];
  n.core().touch(f, n.memory(), records_ + place(peer, slot, record_size_), record_size_, "its slot");
}

void FmplSlots::send_header(Fiber& f, int rank, int peer, int slot, Bytes offset, Bytes size) {
  ComBufNode& n = nodes_[rank];
  const std::uint64_t from = headers_ + place(peer, slot, header_size_);
  const std::uint64_t tcw = header_tcws_ + place(peer, slot, sr8000::Tcw::size);
  Slot& s = at(rank, peer, slot);
  if (!s.ready) {
    sr8000::Tcw t;
    t.source = from;
    t.length = header_size_;
    t.destination = nodes_[peer].nia().node();
    t.field = static_cast<std::uint16_t>(matching_field_);
    t.offset = place(rank, slot, header_size_);
    n.preset(tcw, t);
    s.ready = true;
  }
  std::uint8_t header[32] = {};
  flow::write_word(&header[0], unsigned_of(offset), 8);
  flow::write_word(&header[8], unsigned_of(size), 8);
  flow::write_word(&header[24], ++ends_[rank].headers, 8);
  n.core().execute(f, "make header", header_cycles_);
  n.wait_sent(f, n.kick(f, tcw, {{from, {header, sizeof header}}}));
}

FmplSlots::Header FmplSlots::read_header(Fiber& f, int rank, int peer, int slot) {
  const ComBufNode& n = nodes_[rank];
  const std::vector<int> slots = headers_of(slot);
  std::vector<host::Core::Polled> words;
  for (const int s : slots) words.push_back(header_word(rank, peer, s));
  Header out;
  out.slot = slots[n.core().poll_any(f, n.memory(), words)];
  const std::uint64_t header = matching_ + place(peer, out.slot, header_size_);
  n.core().touch(f, n.memory(), header, header_size_, "the header");
  const std::vector<std::uint8_t> said = n.memory().bytes(header, header_size_);
  out.offset = flow::read_word(&said[0], 8);
  out.size = Bytes(static_cast<std::int64_t>(flow::read_word(&said[8], 8)));
  at(rank, peer, out.slot).header = flow::read_word(&said[24], 8);
  return out;
}

void FmplSlots::change_data(Fiber& f, int rank, int peer, int slot, const Header& to, std::uint64_t source,
                            Bytes size) {
  ComBufNode& n = nodes_[rank];
  const bool data = size > Bytes::zero();
  sr8000::Tcw t;
  t.source = data ? source : empty_;
  t.length = data ? size : flag_size_;
  t.destination = nodes_[peer].nia().node();
  t.field = static_cast<std::uint16_t>(data ? n.user_field() : empty_field_);
  t.offset = data ? to.offset : 0;
  t.flagged = true;
  t.flag_field = static_cast<std::uint16_t>(flag_field_);
  t.flag_offset = place(rank, to.slot, flag_size_);
  n.change(f, data_tcws_ + place(peer, slot, sr8000::Tcw::size), t);
}

std::uint64_t FmplSlots::kick_data(Fiber& f, int rank, int peer, int slot, const Header& to) {
  const std::uint64_t last_word = matching_ + place(peer, to.slot, header_size_) + unsigned_of(header_size_) - 8;
  const flow::WordBytes none(0);
  return nodes_[rank].kick(f, data_tcws_ + place(peer, slot, sr8000::Tcw::size), {{last_word, none}});
}

void FmplSlots::wait_data(Fiber& f, int rank, int peer, int slot) {
  nodes_[rank].wait_flag(f, flags_ + place(peer, slot, flag_size_), at(rank, peer, slot).flag);
  look_up(f, rank, peer, slot);
}

}  // namespace tsunagi::libraries
