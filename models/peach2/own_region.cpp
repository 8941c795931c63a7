// SPDX-License-Identifier: Apache-2.0
// The chip's own region of the window: registers, descriptor memory, packet memory, and who may read them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "models/pcie/refusal.hpp"
#include "models/pcie/tlp.hpp"
#include "models/peach2/peach2.hpp"
#include "units/parse.hpp"

namespace tsunagi::peach2 {

DmaChannel& Peach2::dma(std::size_t index) {
  std::unique_ptr<DmaChannel>& channel = dma_.at(index);
  if (channel != nullptr) return *channel;
  const int number = static_cast<int>(index);
  const int source = port_count + number;
  const Clock clock(config_.clock);
  channel = std::make_unique<DmaChannel>(
      *this, pool(), config_.dma, clock, number,
      DmaPorts{[this, number](net::Delivery d) { read_for_dma(number, std::move(d)); },
               [this, source](net::Delivery d) { forward(source, std::move(d)); },
               [this](Address address) { return is_own(address); }, [this] { return largest_payload(); }});
  const auto fill_in = [this](flow::Packet& p) { fill(p); };
  const auto complete = [made = channel.get()](net::Delivery d) { made->complete(std::move(d)); };
  const auto shape = [&](const char* what) {
    return ChipReads::Shape{clock, config_.datapath_width, max_train_, what};
  };
  dma_reads_[index] = std::make_unique<OwnReads>(*this, pool(), shape("read packet memory"),
                                                 shape("DMA fetch descriptor"), fill_in, complete);
  return *channel;
}

std::string Peach2::leftover() const {
  for (std::size_t i = 0; i < dma_.size(); ++i)
    if (dma_[i] != nullptr && dma_[i]->busy()) return fmt::format("DMA channel {} still runs", i);
  if (host_reads_->busy()) return "a read of the chip's own region is not answered";
  return {};
}

void Peach2::check_region() const {
  const Bytes region = map_.region_size();
  if (memory_.end() > static_cast<std::uint64_t>(region.count()))
    throw config::error_at(
        "/machine", fmt::format("{}: registers, descriptor memory and {} of packet memory need {}, but the chip's "
                                "region of the window has {}",
                                name(), to_string(config_.memory.packet_memory),
                                to_string(Bytes(static_cast<std::int64_t>(memory_.end()))), to_string(region)));
}

bool Peach2::is_own(Address address) const {
  return map_.node_of(address) == config_.node && map_.region_of(address) == Region::chip;
}

Bytes Peach2::largest_payload() const {
  for (const net::Port& p : ports())
    if (p.connected()) return p.max_payload();
  return 4_KiB;
}

void Peach2::write_own(int source, net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const std::uint64_t offset = map_.offset_in_region(Address(p.address));
  const Bytes n = p.total_payload();
  if (offset < ChipRegion::descriptor_memory) {
    write_register(source, offset, d);
  } else if (memory_.in_descriptors(offset, n)) {
    if (n > Descriptor::size || n.count() % 8 != 0)
      throw std::runtime_error(
          fmt::format("{}: a write of {} B to descriptor memory at offset {:#x}; it takes 8, 16, 24 or 32 B at a time",
                      name(), n.count(), offset));
    memory_.write(p, offset, d.schedule, now());
  } else if (memory_.in_packets(offset, n)) {
    memory_.write(p, offset, d.schedule, now());
  } else {
    throw std::runtime_error(
        fmt::format("{}: nothing in the chip's own region takes {} B at offset {:#x}", name(), n.count(), offset));
  }
  d.slot.release(d.schedule, p.id);
}

void Peach2::write_register(int source, std::uint64_t offset, const net::Delivery& d) {
  if (d.packet->total_payload() != 8_B)
    throw std::runtime_error(fmt::format("{}: a write of {} B to the register at offset {:#x}; registers take 8 B",
                                         name(), d.packet->total_payload().count(), offset));
  const std::uint64_t channel = offset / Registers::channel_block;
  if (channel < dma_.size())
    return dma(channel).write_register(offset % Registers::channel_block, d.packet->last_word(),
                                       {d.schedule.back().tail, d.packet->id});
  if (offset == Registers::interrupt_address) {
    interrupt_address_ = d.packet->last_word();
  } else if (offset == Registers::interrupt) {
    interrupt(source, d);
  } else {
    throw std::runtime_error(fmt::format("{}: no register at offset {:#x}", name(), offset));
  }
}

void Peach2::interrupt(int source, const net::Delivery& by) {
  interrupt_value_ = by.packet->last_word();
  if (interrupt_address_ == 0)
    throw std::runtime_error(fmt::format("{}: an interrupt, but its interrupt address is not set", name()));
  if (map_.node_of(Address(interrupt_address_)))
    throw std::runtime_error(
        fmt::format("{}: its interrupt address {:#x} is no address of the host", name(), interrupt_address_));
  const Time arrived = by.schedule.back().tail;
  net::Delivery d;
  d.packet = pcie::memory_write(pool(), interrupt_address_, 8_B);
  d.packet->say_last(interrupt_value_);
  d.packet->parent = by.packet->id;
  d.schedule = net::Schedule::at(Clock(config_.clock).after(arrived, config_.dma.step_cycles));
  tell(d.packet->id, by.packet->id, net::Stage::pipeline, "build interrupt", arrived, d.schedule.front().head);
  send_north(source, std::move(d));
}

std::uint64_t Peach2::read_register(std::uint64_t offset) {
  const std::uint64_t channel = offset / Registers::channel_block;
  if (channel < dma_.size()) return dma(channel).read_register(offset % Registers::channel_block);
  if (offset == Registers::interrupt_address) return interrupt_address_;
  if (offset == Registers::interrupt) return interrupt_value_;
  throw std::runtime_error(fmt::format("{}: no register at offset {:#x}", name(), offset));
}

std::string Peach2::read_refusal(int in, Address address, Bytes n) const {
  constexpr const char* puts = "PEACH2 only puts across nodes; remote reads go by proxy (interrupt register)";
  if (in != north) return puts;
  const auto node = map_.node_of(address);
  if (!node) return "the address is outside the window";
  if (*node != config_.node) return puts;
  if (!is_own(address)) return "only the chip's own region answers reads";
  const std::uint64_t offset = map_.offset_in_region(address);
  const bool memory = memory_.in_descriptors(offset, n) || memory_.in_packets(offset, n);
  if (memory || (offset < ChipRegion::descriptor_memory && n == 8_B)) return {};
  return fmt::format("nothing in the chip's own region answers with {} B at offset {:#x}", n.count(), offset);
}

void Peach2::answer(int in, net::Delivery d) {
  const Address address(d.packet->address);
  if (const std::string why = read_refusal(in, address, Bytes(d.packet->header<pcie::Tlp>().length)); !why.empty())
    return pcie::refuse(*this, in, in, std::move(d), Time::zero(),
                        fmt::format("a read of address {} came by port {} and was refused: {}", to_string(address),
                                    static_cast<char>(std::toupper(port(in).name()[0])), why));
  const std::uint64_t offset = map_.offset_in_region(address);
  host_reads_->read(std::move(d), memory_.read_cycles(offset), largest_payload());
}

void Peach2::read_for_dma(int channel, net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Address address(p.address);
  if (!map_.node_of(address)) return send_north(port_count + channel, std::move(d));
  const auto refuse = [&](const char* why) {
    throw std::runtime_error(
        fmt::format("{}: DMA channel {} would have to read address {}: {}", name(), channel, to_string(address), why));
  };
  if (!is_own(address)) refuse("PEACH2 only puts; it reads host-local addresses and its own memory");
  const std::uint64_t offset = map_.offset_in_region(address);
  const Bytes n(p.header<pcie::Tlp>().length);
  const bool fetches = DmaChannel::fetches(config_.dma, p.header<pcie::Tlp>().requester.tag);
  if (fetches && !memory_.in_descriptors(offset, n)) refuse("that is not in descriptor memory");
  if (!fetches && !memory_.in_packets(offset, n)) refuse("that is not in packet memory");
  OwnReads& reads = *dma_reads_[static_cast<std::size_t>(channel)];
  (fetches ? reads.descriptors : reads.data).read(std::move(d), memory_.read_cycles(offset), largest_payload());
}

void Peach2::fill(flow::Packet& p) {
  const std::uint64_t offset = map_.offset_in_region(Address(p.address));
  if (offset < ChipRegion::descriptor_memory)
    p.say_last(read_register(offset));
  else
    p.contents = memory_.read(pool().contents(), offset, p.total_payload(), now());
}

}  // namespace tsunagi::peach2
