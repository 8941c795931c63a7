// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/storage_controller.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "models/host/memory/memory.hpp"
#include "models/host/refusal.hpp"
#include "models/pcie/way_back.hpp"
#include "net/cut_through.hpp"
#include "units/parse.hpp"

namespace tsunagi::sr8000 {

namespace {

constexpr int way_base = 128;  // above all ports

}  // namespace

void describe(StorageControllerConfig& c, config::Describer& d) {
  using namespace config;
  d.field("cores", c.cores, "processors' ports: core0, core1, ...", within(1, 16));
  d.field("memory_size", c.memory_size, "addresses from 0 on that belong to the memory", within(1_MiB, 256_GiB));
  d.field("latency", c.latency, "from one port to another, of requests and of answers", at_most(10_us), ideal(0_ns));
  d.field("adapter_base", c.adapter_base, "first address of the network interface adapter", within(1_MiB, 1024_GiB));
  d.field("adapter_size", c.adapter_size, "addresses from there on that belong to it", within(4_KiB, 1_GiB));
  d.require(c.adapter_base >= c.memory_size, "\"adapter_base\" lies in the memory");
}

StorageController::StorageController(DeviceArgs args, const StorageControllerConfig& c)
    : Device(args.sim, args.pool, args.name), config_(c) {
  const auto spec = args.specs.of(c, 0, [&] {
    net::PortSpec s;
    s.protocol = "on_chip";
    s.sources = c.cores + 2;
    s.rx.trains = true;
    s.rx.store_and_forward = false;
    s.rx.pipeline.delay = c.latency;
    return s;
  });
  for (int i = 0; i < c.cores; ++i) add_port("core" + std::to_string(i), spec);
  add_port("memory", spec);
  add_port("adapter", spec);
}

void StorageController::wired() {
  const auto* m = dynamic_cast<const host::Memory*>(&port(memory_port()).channel().destination());
  if (m != nullptr && (m->config().base != Bytes::zero() || m->config().size != config_.memory_size))
    throw config::error_at(
        "/machine",
        fmt::format("{} has {} from {}, but {} passes on {} from 0 to it (\"memory_size\")", m->name(),
                    to_string(m->config().size), to_string(m->config().base), name(), to_string(config_.memory_size)));
}

int StorageController::port_to(std::uint64_t address) const {
  if (address < unsigned_of(config_.memory_size)) return memory_port();
  const std::uint64_t base = unsigned_of(config_.adapter_base);
  return address >= base && address - base < unsigned_of(config_.adapter_size) ? adapter_port() : -1;
}

void StorageController::receive(int in, net::Delivery&& d) {
  host::Transaction& t = d.packet->header<host::Transaction>();
  const bool answers = host::transaction_class(t.type) == host::answer_class;
  const int out = answers ? pcie::pop_port(t.requester.way, way_base) : port_to(d.packet->address);
  if (out < 0 || !port(out).connected()) {
    const std::string why = fmt::format("{}: nothing is at address {:#x}", name(), d.packet->address);
    return host::refuse(*this, in, in, std::move(d), Time::zero(), why);
  }
  if (t.type == host::TransactionType::read) pcie::push_port(t.requester.way, in, way_base);
  net::await_tail(*this, port(out), d);
  port(out).send(in, std::move(d));
}

}  // namespace tsunagi::sr8000
