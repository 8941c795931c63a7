// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca/tca_proxy.hpp"

#include "config/error_at.hpp"

namespace tsunagi::libraries {

using peach2::Registers;

namespace {

constexpr int driver_channel = 1;  // programs use channel 0

}  // namespace

TcaProxy::TcaProxy(const comm::ByRank<TcaNode>& nodes, std::int64_t interrupt_cycles, sim::Simulation& sim,
                   const comm::Steps& step)
    : nodes_(nodes),
      interrupt_cycles_(interrupt_cycles),
      step_(step),
      asked_(nodes.size(), std::vector<std::uint64_t>(nodes.size())) {
  for (const TcaNode& n : nodes) {
    if (n.chip().config().dma.channels <= driver_channel)
      throw config::error_at("/machine", n.chip().name() + ": reads by proxy need a second DMA channel");
    dmas_.emplace_back(n, driver_channel);
    n.chip().set_interrupt_address(interrupt_at(n.number()));
    const int me = n.number();
    sim.spawn_service("driver of " + n.chip().name(), [this, me](Fiber& f) { drive(f, me); });
  }
}

void TcaProxy::get(Fiber& f, int rank, int peer, const comm::Buffer& b) {
  host::Core& core = nodes_[rank].core();
  const std::uint64_t n = ++asked_[rank][static_cast<std::size_t>(peer)];
  const auto write = [&](Word w, std::uint64_t value) {
    core.store(f, shared(peer, request_at(peer, rank) + w), 8_B, value, 0);
  };
  write(source, nodes_[peer].local(b.place, b.offset, b.size));
  write(destination, nodes_[rank].shared(b.target, b.offset, b.size));
  write(length, static_cast<std::uint64_t>(b.size.count()));
  write(number, n);
  core.store(f, nodes_[peer].reg(Registers::interrupt), 8_B, wide(rank) + 1, 0);
  core.poll(f, nodes_[rank].memory(), answer_at(rank, peer) + 8, n);
}

void TcaProxy::drive(Fiber& f, int me) {
  host::Memory& memory = nodes_[me].memory();
  host::Word& interrupt = memory.word_ending_at(interrupt_at(me) + 8);
  std::vector<std::uint64_t> done(nodes_.size());
  for (std::uint64_t seen = 0;;) {
    nodes_[me].core().wait_for_interrupt(f, interrupt, seen);
    nodes_[me].core().execute(f, "interrupt handler", interrupt_cycles_);
    // One interrupt may stand for several requests.
    for (int rank = 0; rank < static_cast<int>(nodes_.size()); ++rank) {
      std::uint64_t& last = done[rank];
      const std::uint64_t asked = memory.word_ending_at(request_at(me, rank) + number + 8).value;
      if (asked == last) continue;
      answer(f, me, rank, asked);
      last = asked;
    }
  }
}

void TcaProxy::answer(Fiber& f, int me, int rank, std::uint64_t asked) {
  host::Core& core = nodes_[me].core();
  host::Memory& memory = nodes_[me].memory();
  TcaDma& dma = dmas_[me];
  const auto value = [&](Word w) { return memory.word_ending_at(request_at(me, rank) + w + 8).value; };
  peach2::Descriptor data;
  data.source = value(source);
  data.destination = value(destination);
  data.length = Bytes(static_cast<std::int64_t>(value(length)));
  peach2::Descriptor flag;
  flag.source = answer_source(me);
  flag.destination = shared(rank, answer_at(rank, me));
  flag.length = 8_B;
  core.store(f, answer_source(me), 8_B, asked, 0);
  dma.program(f, 1, {data, flag});
  dma.status_to(f, shared(me, done_at(me)));
  step_.copied(comm::Copier::dma, data.length);
  dma.ring(f, 2);
  core.poll(f, memory, done_at(me) + 8, dma.started());
}

}  // namespace tsunagi::libraries
