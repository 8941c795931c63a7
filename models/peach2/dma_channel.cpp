// SPDX-License-Identifier: Apache-2.0
// The channel's registers and what starts it.
#include "models/peach2/dma_channel.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace tsunagi::peach2 {

DmaChannel::DmaChannel(net::Device& chip, flow::PacketPool& pool, const DmaConfig& c, Clock clock, int number,
                       DmaPorts ports)
    : chip_(chip),
      pool_(pool),
      config_(c),
      clock_(clock),
      ports_(std::move(ports)),
      number_(number),
      tags_(c.tags),
      buffer_(c.buffer) {}

void DmaChannel::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: DMA channel {}: {}", chip_.name(), number_, what));
}

std::uint64_t* DmaChannel::register_at(std::uint64_t offset) {
  if (offset == Registers::status) return &status_address_;
  const std::uint64_t number = offset / Registers::descriptor_block;
  const std::uint64_t word = offset % Registers::descriptor_block / 8;
  if (number >= registers_.size() || word >= registers_[number].size() || offset % 8 != 0)
    fail(fmt::format("no register at offset {:#x}", offset));
  return &registers_[number][word];
}

void DmaChannel::write_register(std::uint64_t offset, std::uint64_t value, Cause by) {
  if (offset == Registers::control) return start(value, by);
  if (offset == Registers::chain) return start_chain(value, by);
  *register_at(offset) = value;
}

std::uint64_t DmaChannel::read_register(std::uint64_t offset) const {
  if (offset == Registers::control) return busy() ? 1 : 0;
  if (offset == Registers::chain) return chain_address_;
  return *const_cast<DmaChannel*>(this)->register_at(offset);
}

Descriptor DmaChannel::described(std::size_t number) const {
  const auto& word = registers_[number];
  const auto bytes = [](std::uint64_t n) { return Bytes(static_cast<std::int64_t>(n)); };
  Descriptor d;
  d.source = word[Registers::source / 8];
  d.destination = word[Registers::destination / 8];
  d.length = bytes(word[Registers::length / 8]);
  d.burst = bytes(word[Registers::stride / 8] & 0xffffffff);
  d.gap = bytes(word[Registers::stride / 8] >> 32);
  const std::uint64_t flags = word[Registers::flags / 8];
  d.source_strided = (flags & Registers::source_strided) != 0;
  d.destination_strided = (flags & Registers::destination_strided) != 0;
  try {
    check(d);
  } catch (const std::invalid_argument& e) {
    fail(fmt::format("descriptor {}: {}", number, e.what()));
  }
  return d;
}

void DmaChannel::begin(Cause by) {
  if (busy()) fail("started while it runs");
  issued_ = loaded_ = {};
  last_write_ = by;
}

void DmaChannel::start(std::uint64_t count, Cause by) {
  begin(by);
  if (count == 0 || count > registers_.size()) fail(fmt::format("start of {} descriptors", count));
  // Two steps to the first request: the doorbell is decoded and the descriptor loaded, then the request is built.
  const Wait ready{steps_after(by.when, 2), by, net::Stage::pipeline, "DMA decode, build request"};
  for (std::size_t i = 0; i < count; ++i) add_job(described(i), ready, i + 1 == count);
  request_more();
}

void DmaChannel::add_job(const Descriptor& d, const Wait& ready, bool last) {
  jobs_.push_back({d, ready, Bytes::zero(), Bytes::zero(), ports_.is_own(Address(d.source)), last});
}

}  // namespace tsunagi::peach2
