// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/pcie/refusal.hpp"
#include "models/pcie/slots.hpp"
#include "models/pcie/tlp.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::gpu {

namespace {

// Queues at the port: completions; of each copy engine reads of its channel's commands, reads of data, and writes;
// reads of streams' commands, and the multiprocessors' writes: releases, and then what kernels store.
constexpr int queues_before_engines = 1;
constexpr int queues_of_engine = 3;
constexpr int queues_of_streams = 3;

int queues_before_streams(const GpuConfig& c) {
  return queues_before_engines + queues_of_engine * c.copy_engines.count;
}

/// The tag of a channel's fetches: behind those of the engines.
int fetch_tag(const GpuConfig& c, int channel) {
  return c.copy_engines.count * CopyEngine::tag_numbers(c.copy_engines) + channel;
}

}  // namespace

void describe(GpuConfig& c, config::Describer& d) {
  using namespace config;
  d.field("memory_size", c.memory_size, "bytes of the GPU's memory", within(1_MiB, 1024_GiB));
  d.field("bar_base", c.bar_base, "first host address of the window onto the memory (BAR1)", at_most(largest_given));
  d.field("bar_size", c.bar_size, "bytes of that window", within(1_MiB, 1024_GiB));
  d.field("page_size", c.page_size, "memory is shown in the window by pages of this size", within(4_KiB, 2_MiB));
  d.field("register_size", c.register_size, "bytes of registers (BAR0), behind the window", within(64_KiB, 1_GiB));
  d.field("port_latency", c.port_latency, "latency of the PCIe port, one direction", at_most(1_us), ideal(0_ns));
  d.field("translation_latency", c.translation_latency, "from an address in the window to one in the memory",
          at_most(1_us), ideal(0_ns));
  d.field("read_latency", c.read_latency, "from a read with its address translated to its data", at_most(10_us),
          ideal(0_ns));
  d.field("write_latency", c.write_latency, "from a write with its address translated to its visibility",
          at_most(10_us), ideal(0_ns));
  d.object("copy_engines", c.copy_engines, "what copies between this memory, the host's and other GPUs'");
  d.object("compute", c.compute, "what kernels are computed with");
  d.object("stores", c.stores, "what kernels store by to other GPUs and to the host");
  d.field("streams", c.streams, "channels for streams: commands of any engine, in their order; 0: none",
          within(0, 128));
  d.object("nvlink", c.nvlink, "links to other GPUs, and what copies by them");
  d.require(c.nvlink.links == 0 || c.bar_size >= c.memory_size,
            "with NVLink \"bar_size\" must hold \"memory_size\": its addresses name the memory on NVLink");
  d.require(c.nvlink.links == 0 || c.copy_engines.count > 0, "with NVLink there must be copy engines");
  d.object("buffers", c.buffers, "receive buffer of the port");
  d.field("record", c.record, "keep every extent written (tests)");
  const auto pages = [&](Bytes b) { return c.page_size > Bytes::zero() && b.count() % c.page_size.count() == 0; };
  d.require(pages(c.memory_size) && pages(c.bar_size),
            "\"memory_size\" and \"bar_size\" must be multiples of \"page_size\"");
  d.require(pages(c.bar_base), "\"bar_base\" must be a multiple of \"page_size\"");
  d.require(unsigned_of(c.register_size) >= Registers::of_channel(c.copy_engines.count + c.streams),
            "\"register_size\" must hold 4 KiB for each copy engine and each stream");
}

Gpu::Gpu(DeviceArgs args, const GpuConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      max_train_(args.max_train),
      completer_{*this, args.pool, args.max_train},
      bar_(c.memory_size, c.bar_size, c.page_size),
      written_(args.sim, c.record) {
  add_port("pcie", args.specs.of(c, 1, [&] {
    net::PortSpec p;
    p.protocol = "pcie";
    p.role = net::LinkRole::endpoint;
    p.needed = true;
    const bool copies = c.copy_engines.count != 0;
    p.expects = pcie::completions_up_to(copies          ? c.copy_engines.max_read_request
                                        : c.streams > 0 ? CopyCommand::size
                                                        : Bytes::zero());
    p.tx.pipeline.delay = c.port_latency;
    p.rx.pipeline.delay = c.port_latency;
    p.rx.trains = true;
    p.rx.buffers = pcie::buffer_credits(c.buffers);
    p.sources = queues_before_streams(c) + (c.streams > 0 ? queues_of_streams : 0);
    return p;
  }));
  for (int i = 0; i < c.nvlink.links; ++i)
    add_port(fmt::format("nvlink{}", i), args.specs.of(c, 2, [&] { return NvlinkPorts::port_spec(c.nvlink); }));
  if (c.nvlink.links > 0)
    nvlink_ = std::make_unique<NvlinkPorts>(*this, args.pool, config_.nvlink, config_.copy_engines, inside(),
                                            unsigned_of(c.bar_base));
  engines_.resize(static_cast<std::size_t>(c.copy_engines.count));
  channels_.resize(static_cast<std::size_t>(c.copy_engines.count + c.streams));
}

CopyEngine& Gpu::engine(std::size_t number) {
  std::unique_ptr<CopyEngine>& e = engines_[number];
  if (e == nullptr)
    e = std::make_unique<CopyEngine>(*this, pool(), config_.copy_engines, static_cast<int>(number),
                                     engine_ports(static_cast<int>(number)));
  return *e;
}

ComputeEngine& Gpu::multiprocessors() {
  if (multiprocessors_ == nullptr)
    multiprocessors_ = std::make_unique<ComputeEngine>(
        *this, pool(), config_.compute, config_.copy_engines.release_cycles,
        [this](net::Delivery d) { port(0).send(queues_before_streams(config_) + 1, std::move(d)); });
  return *multiprocessors_;
}

StoreUnit& Gpu::stores() {
  if (stores_ == nullptr) {
    StoreUnit::Ports p;
    p.way = [this](std::uint64_t address) -> StoreUnit::Way {
      const StoreUnit::Way by_nvlink = nvlink_ == nullptr ? StoreUnit::Way{} : nvlink_->way(address);
      return by_nvlink.port > 0 ? by_nvlink : StoreUnit::Way{0, port(0).max_payload(), max_train_};
    };
    p.write = [this](int by, net::Delivery d) {
      if (by > 0) return nvlink_->store(by, std::move(d));
      port(0).send(queues_before_streams(config_) + 2, std::move(d));
    };
    p.flush = [this](int by, int block, net::Delivery d) { nvlink_->flush(by, block, std::move(d)); };
    p.word = [this](std::uint64_t end) -> host::Word& { return word_ending_at(end); };
    stores_ = std::make_unique<StoreUnit>(*this, pool(), config_.stores, std::move(p));
    if (nvlink_ != nullptr) nvlink_->set_flushed([this](int block, Cause by) { stores_->flushed(block, by); });
  }
  return *stores_;
}

Engine& Gpu::engine_of(std::size_t channel, const Command& c) {
  const auto* copy = std::get_if<CopyCommand>(&c);
  if (copy != nullptr && (copy->from == Aperture::nvlink || copy->to == Aperture::nvlink)) {
    if (nvlink_ == nullptr) throw std::runtime_error(name() + " has no NVLink");
    return nvlink_->engine(*copy);
  }
  if (channel < engines_.size()) return engine(channel);
  if (copy == nullptr) return multiprocessors();
  if (engines_.empty()) throw std::runtime_error(name() + " has no copy engine");
  return engine(copy->from == Aperture::local ? 0 : engines_.size() - 1);
}

Channel& Gpu::channel(std::size_t number) {
  std::unique_ptr<Channel>& c = channels_[number];
  if (c != nullptr) return *c;
  const int tag = fetch_tag(config_, static_cast<int>(number));
  const bool of_stream = number >= engines_.size();
  const int source =
      of_stream ? queues_before_streams(config_) : queues_before_engines + queues_of_engine * static_cast<int>(number);
  ChannelPorts p;
  p.fetch = [this, tag, source](net::Delivery d) {
    d.packet->header<pcie::Tlp>().requester.tag = static_cast<std::uint16_t>(tag);
    port(0).send(source, std::move(d));
  };
  // An engine's channel releases by the queue in which the engine writes.
  const int releases = of_stream ? queues_before_streams(config_) + 1 : source + 2;
  p.write = [this, releases](net::Delivery d) { port(0).send(releases, std::move(d)); };
  p.engine = [this, number](const Command& what) -> Engine& { return engine_of(number, what); };
  p.ended = [this](std::uint32_t other) {
    if (other >= channels_.size())
      throw std::runtime_error(fmt::format("{}: a stream waits for channel {} of {}", name(), other, channels_.size()));
    return channels_[other] == nullptr ? 0 : channels_[other]->commands_ended();
  };
  p.progressed = [this](Cause by) {
    for (const auto& other : channels_)
      if (other != nullptr) other->look(by);
  };
  c = std::make_unique<Channel>(*this, pool(), config_.copy_engines, static_cast<int>(number), std::move(p));
  return *c;
}

EnginePorts Gpu::engine_ports(int number) {
  const int first = queues_before_engines + queues_of_engine * number;
  EnginePorts p = inside();
  p.read = [this, first](net::Delivery d) { port(0).send(first + 1, std::move(d)); };
  p.write = [this, first](net::Delivery d) { port(0).send(first + 2, std::move(d)); };
  p.max_payload = [this] { return port(0).max_payload(); };
  p.release = nullptr;
  return p;
}

/// What all engines need, whatever they copy by.
EnginePorts Gpu::inside() {
  EnginePorts p;
  // Of engines that do not write to the host: in the queue of the multiprocessors, or of the first engine.
  const int releases = config_.streams > 0 ? queues_before_streams(config_) + 1 : queues_before_engines + 2;
  p.release = [this, releases](net::Delivery d) { port(0).send(releases, std::move(d)); };
  p.store = [this](const flow::Packet& packet, std::int32_t i, std::uint64_t at, Time when) {
    store(packet, i, at, when);
  };
  p.load = [this](std::uint64_t at, Bytes n, Time read) {
    return written_.words().read(pool().contents(), at, n, read);
  };
  p.says = [this](std::uint64_t at, Bytes n) { return written_.words().has(at, n); };
  p.memory_size = config_.memory_size;
  p.read_latency = config_.read_latency;
  p.write_latency = config_.write_latency;
  p.max_train = max_train_;
  return p;
}

void Gpu::wired() {
  pcie::check_window(*this, config_.bar_base, config_.bar_size + config_.register_size, "its window and registers are");
  if (nvlink_ != nullptr) nvlink_->wired();
}

std::uint64_t Gpu::pin(Bytes offset, Bytes size) {
  try {
    return unsigned_of(config_.bar_base) + bar_.pin(offset, size);
  } catch (const std::runtime_error& e) {
    throw config::error_at("/machine", name() + ": " + e.what());
  }
}

std::uint64_t Gpu::register_address(std::uint64_t offset) const {
  return unsigned_of(config_.bar_base) + unsigned_of(config_.bar_size) + offset;
}

pcie::Window Gpu::nvlink_window() const { return {name(), config_.bar_base, config_.memory_size}; }

std::string Gpu::leftover() const {
  if (nvlink_ != nullptr && nvlink_->busy()) return "a copy engine of NVLink is at work";
  for (const auto& e : engines_)
    if (e != nullptr && e->busy()) return "a copy engine is at work";
  if (multiprocessors_ != nullptr && multiprocessors_->busy()) return "a kernel runs";
  if (stores_ != nullptr && stores_->busy()) return "stores of kernels are under way";
  for (const auto& c : channels_)
    if (c != nullptr && c->busy()) return "a channel has commands";
  return !written_.words().pending() ? "" : "writes not visible yet";
}

std::uint64_t Gpu::memory_at(std::uint64_t address) const {
  const std::uint64_t offset = address - unsigned_of(config_.bar_base);
  if (offset < unsigned_of(config_.bar_size)) {
    if (const auto at = bar_.memory_at(offset)) return *at;
    throw std::runtime_error(
        fmt::format("{}: no memory is pinned at address {:#x} of its BAR window", name(), address));
  }
  throw std::runtime_error(fmt::format("{}: nothing answers at address {:#x}", name(), address));
}

void Gpu::receive(int port, net::Delivery&& d) {
  if (port > 0) return nvlink_->receive(port, std::move(d));
  switch (d.packet->header<pcie::Tlp>().type) {
    case pcie::TlpType::memory_write:
      return write(std::move(d));
    case pcie::TlpType::memory_read:
      return answer(std::move(d));
    default:
      return complete(std::move(d));
  }
}

void Gpu::complete(net::Delivery d) {
  pcie::require_success(*this, *d.packet);
  const std::size_t tag = d.packet->header<pcie::Tlp>().requester.tag;
  const std::size_t number = tag / static_cast<std::size_t>(CopyEngine::tag_numbers(config_.copy_engines));
  if (number < engines_.size()) return engine(number).complete(std::move(d));
  const std::size_t of_channel = tag - static_cast<std::size_t>(fetch_tag(config_, 0));
  if (of_channel >= channels_.size()) throw std::runtime_error(name() + " received a completion for no read");
  const Cause by{d.schedule.back().tail, d.packet->id};
  d.slot.release(d.schedule);
  channel(of_channel).complete(*d.packet, by);
}

void Gpu::write_register(std::uint64_t offset, net::Delivery d) {
  const std::uint64_t number = offset / Registers::block;
  if (number >= channels_.size() || d.packet->count != 1)
    throw std::runtime_error(fmt::format("{}: no register at offset {:#x}", name(), offset));
  const Cause by{d.schedule.front().tail, d.packet->id};
  d.slot.release(d.schedule);
  channel(number).write_register(offset % Registers::block, d.packet->last_word(), by);
}

void Gpu::store(const flow::Packet& p, std::int32_t i, std::uint64_t at, Time when) {
  last_store_ = std::max(last_store_, when);  // words get visible in the order of their arrival
  written_.write(p, i, at, last_store_);
}

void Gpu::write(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  if (const std::uint64_t offset = p.address - register_address(0); offset < unsigned_of(config_.register_size))
    return write_register(offset, std::move(d));
  const Time arrived = d.schedule.front().tail;
  tell(p.id, 0, net::Stage::pipeline, "BAR translation", arrived, arrived + config_.translation_latency);
  tell(p.id, 0, net::Stage::memory, "write", arrived + config_.translation_latency,
       arrived + config_.translation_latency + config_.write_latency);
  for (std::int32_t i = 0; i < p.count; ++i) {
    net::Span& s = d.schedule[static_cast<std::size_t>(i)];
    s.head = s.tail = s.tail + config_.translation_latency;
    store(p, i, memory_at(p.address + unsigned_of(p.stride * i)), s.tail + config_.write_latency);
  }
  d.slot.release(d.schedule);
}

void Gpu::answer(net::Delivery request) {
  const flow::Packet& p = *request.packet;
  if (p.count != 1) throw std::logic_error(name() + " received a train of reads");
  const Time arrived = request.schedule.back().tail;
  const Time translated = arrived + config_.translation_latency;
  // It reaches the memory's words as a write would, behind all before it.
  const Time read = translated + std::min(config_.write_latency, config_.read_latency);
  tell(p.id, 0, net::Stage::pipeline, "BAR translation", arrived, translated);
  tell(p.id, 0, net::Stage::memory, "read", translated, read);
  request.slot.release(net::Schedule::at(translated));
  completer_.answer(p, 0, read, translated + config_.read_latency, [&](flow::Packet& c) {
    c.origin_offset = memory_at(c.address);
    c.contents = written_.words().read(pool().contents(), c.origin_offset, c.total_payload(), read);
  });
}

}  // namespace tsunagi::gpu
