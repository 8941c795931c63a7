// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/command_fetch.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/pcie/tlp.hpp"

namespace tsunagi::gpu {

CommandFetch::CommandFetch(net::Device& gpu, flow::PacketPool& pool, const CopyEngineConfig& c, int channel, Send send,
                           Execute execute)
    : gpu_(gpu),
      pool_(pool),
      config_(c),
      clock_(c.clock),
      channel_(channel),
      send_(std::move(send)),
      execute_(std::move(execute)) {}

void CommandFetch::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: channel {}: {}", gpu_.name(), channel_, what));
}

Wait CommandFetch::step(Cause by, const char* what) const {
  return {clock_.after(by.when, config_.fetch_cycles), by, net::Stage::pipeline, what};
}

void CommandFetch::write_register(std::uint64_t offset, std::uint64_t value, Cause by) {
  switch (offset) {
    case Registers::ring:
    case Registers::entries:
      if (busy()) fail("its ring is moved while it runs");
      (offset == Registers::ring ? ring_ : entries_) = value;
      put_ = get_ = 0;
      return;
    case Registers::put:
      if (ring_ == 0 || value >= entries_) fail(fmt::format("entry {} of a ring of {} is rung", value, entries_));
      put_ = value;
      ready_ = later(ready_, step(by, "channel decodes the doorbell"));
      return next();
    default:
      fail(fmt::format("no register at offset {:#x}", offset));
  }
}

void CommandFetch::next() {
  if (state_ != State::idle || get_ == put_) return;
  Wait why = ready_;
  if (handed_out_ >= ends_.size()) {
    if (ended_ + ends_.size() <= handed_out_) return;
    why = later(why, step(ends_[handed_out_ % ends_.size()], "channel has room for a command"));
  }
  state_ = State::entry;
  read(ring_ + get_ * static_cast<std::uint64_t>(RingEntry::size.count()), RingEntry::size, why);
}

void CommandFetch::read(std::uint64_t address, Bytes n, const Wait& why) {
  send_(gpu_.begin(pcie::memory_read(pool_, address, n), why, clock_.at_or_after(why.until)));
}

void CommandFetch::complete(const flow::Packet& p, Cause by) {
  if (state_ == State::entry) {
    const RingEntry e = decode_entry(p.last_word());
    if (e.length != CopyCommand::size)
      fail(fmt::format("entry {} of its ring points to {} B, no command", get_, e.length.count()));
    state_ = State::command;
    here_ = Bytes::zero();
    words_ = {};
    return read(e.address, CopyCommand::size, step(by, "channel decodes the ring entry"));
  }
  if (state_ != State::command || p.total_payload() > CopyCommand::size - here_) fail("a completion came for no fetch");
  // It may come in pieces, if it lies across a boundary of completions.
  for (std::int64_t i = 0; i < 8; ++i) words_[static_cast<std::size_t>(i)] |= p.contents.word(Bytes(8) * i - here_);
  here_ += p.total_payload();
  if (here_ < CopyCommand::size) return;
  state_ = State::idle;
  get_ = (get_ + 1) % entries_;
  ++handed_out_;
  ready_ = later(ready_, step(by, "channel goes to the next ring entry"));
  Command command;
  try {
    command = decode(words_);
  } catch (const std::invalid_argument& e) {
    fail(e.what());
  }
  execute_(command, by);
  next();
}

void CommandFetch::ended(Cause by) {
  ends_[ended_++ % ends_.size()] = by;
  next();
}

}  // namespace tsunagi::gpu
