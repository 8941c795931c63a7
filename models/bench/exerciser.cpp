// SPDX-License-Identifier: Apache-2.0
#include "models/bench/exerciser.hpp"

#include <algorithm>
#include <stdexcept>

#include "flow/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::bench {

void describe(ExerciserConfig& c, config::Describer& d) {
  d.field("queue", c.queue, "writes that wait for the link at a time", config::within(1, 4096));
  d.choice("role", c.role,
           {{"endpoint", static_cast<std::int64_t>(net::LinkRole::endpoint), "a card in a host's slot"},
            {"root_complex", static_cast<std::int64_t>(net::LinkRole::root_complex), "in place of a host"}},
           "end of the link that it plays");
}

Exerciser::Exerciser(DeviceArgs args, const ExerciserConfig& c)
    : Device(args.sim, args.pool, std::move(args.name)), free_(c.queue), queue_(c.queue), max_train_(args.max_train) {
  net::PortSpec p;
  p.name = "link";
  p.protocol = "pcie";
  p.role = c.role;
  add_port(std::move(p));
}

void Exerciser::receive(int, net::Delivery) { throw std::runtime_error(name() + " only sends"); }

void Exerciser::slot_released(flow::FlowClass, flow::Credits, const net::Schedule& when) {
  free_ += static_cast<int>(when.size());
  if (free_ >= std::min(max_train_, queue_ / 2 + 1)) freed_.notify();
}

void Exerciser::write(comm::Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value) {
  for (Bytes done; done < n;) {
    // Whole trains only: the queue is long enough to keep the link busy meanwhile.
    while (free_ < std::min(max_train_, queue_ / 2 + 1)) f.wait(freed_, "a place in the queue of " + name());
    const std::uint64_t at = address + static_cast<std::uint64_t>(done.count());
    const Bytes most = port(0).max_payload();
    const Bytes piece = flow::next_piece(at, n - done, most, most);
    const std::int64_t whole = piece == most ? std::min<std::int64_t>({(n - done) / most, free_, max_train_}) : 1;
    net::Delivery d;
    d.packet = pcie::memory_write(pool(), at, piece);
    d.packet->set_train(static_cast<std::int32_t>(whole), piece, piece);
    done += piece * whole;
    if (done == n) d.packet->value = value;
    for (std::int64_t i = 0; i < whole; ++i) d.schedule.push_back({f.now(), f.now()});
    d.slot = net::Slot(*this, pcie::posted, {1, 0}, static_cast<int>(whole));
    free_ -= static_cast<int>(whole);
    port(0).send(0, std::move(d));
  }
}

void describe(ExerciserLibraryConfig& c, config::Describer& d) {
  d.field("exerciser", c.exerciser, "name of the exerciser");
  d.field("memory", c.memory, "name of the memory that it writes to");
  d.field("base", c.base, "address that the memory's first byte has at the exerciser", config::at_least(0_B));
}

ExerciserLibrary::ExerciserLibrary(const ExerciserLibraryConfig& c, Machine& m)
    : exerciser_(m.get<Exerciser>(c.exerciser)), memory_(m.get<host::Memory>(c.memory)), base_(static_cast<std::uint64_t>(c.base.count())) {}

void ExerciserLibrary::send(comm::Fiber& f, int from, int, const comm::Buffer& b) {
  if (from != 0) throw std::runtime_error("only rank 0 of an exerciser sends");
  exerciser_.write(f, base_ + static_cast<std::uint64_t>(b.offset.count()), b.size, ++messages_);
}

void ExerciserLibrary::recv(comm::Fiber& f, int, int, const comm::Buffer& b) {
  host::Word& w = memory_.word_ending_at(static_cast<std::uint64_t>((b.offset + b.size).count()));
  while (w.value == 0) f.wait(w.changed, "a write to " + memory_.name());
  w.value = 0;
}

std::unique_ptr<comm::Communicator> make_exerciser_library(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<ExerciserLibrary>(c.as<ExerciserLibraryConfig>(), m);
}

}  // namespace tsunagi::bench
