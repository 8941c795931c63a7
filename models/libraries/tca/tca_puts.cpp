// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca/tca_puts.hpp"

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "models/libraries/tca/tca_routes.hpp"

namespace tsunagi::libraries {

using peach2::ChipRegion;
using peach2::Descriptor;
using peach2::Registers;

TcaPuts::TcaPuts(const comm::ByRank<TcaNode>& nodes, comm::ByRank<TcaDma>& dmas, const comm::Steps& step)
    : nodes_(nodes), dmas_(dmas), step_(step), states_(nodes.size()) {}

int TcaPuts::cables(int from, int to) const { return libraries::cables(nodes_, from, to); }

TcaPuts::Method TcaPuts::method_of(const std::string& name) {
  return name == "register" ? Method::in_registers : name == "chip_chain" ? Method::chip_chain : Method::chain;
}

std::size_t TcaPuts::descriptors_of(const std::vector<comm::Put>& puts) {
  return puts.size() +
         static_cast<std::size_t>(std::count_if(puts.begin(), puts.end(), [](const comm::Put& p) { return p.notify; }));
}

void TcaPuts::check(int rank, const std::vector<comm::Put>& puts, const std::string& method) const {
  const auto refuse = [](const std::string& why) { throw config::error_at("/scenario", why); };
  const std::size_t n = descriptors_of(puts);
  const Method m = method_of(method);
  if (m == Method::in_registers && n > Registers::descriptors)
    refuse(std::to_string(n) + " descriptors do not fit a channel's registers, which hold " +
           std::to_string(Registers::descriptors));
  if (m == Method::chip_chain && n > ChipRegion::descriptors)
    refuse("a chain of " + std::to_string(n) + " descriptors does not fit the chip's memory, which holds " +
           std::to_string(ChipRegion::descriptors));
  if (m == Method::chain && Descriptor::size * static_cast<std::int64_t>(n) > nodes_[rank].tables().size)
    refuse("a chain of " + std::to_string(n) + " descriptors does not fit the driver's table");
  for (const comm::Put& p : puts) {
    if (p.peer < 0 || p.peer >= static_cast<int>(nodes_.size()))
      refuse("there is no rank " + std::to_string(p.peer) + " to put to; ranks: " + std::to_string(nodes_.size()));
    const Bytes span = p.block == Bytes::zero() ? p.size : p.every * units_of(p.size, p.block);
    if (const std::string why = nodes_[rank].refusal(p.source.place, p.source.offset + span, false); !why.empty())
      refuse(why);
    if (const std::string why = nodes_[p.peer].refusal(p.target.place, p.target.offset + span, true); !why.empty())
      refuse(why);
  }
  // Pins GPU memory, while a window that is full is still an error of the config.
  for (const Descriptor& d : descriptors(rank, puts))
    if (const std::string why = refusal(d); !why.empty()) refuse(why);
}

std::string TcaPuts::refusal(const Descriptor& d) {
  try {
    peach2::check(d);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

std::vector<Descriptor> TcaPuts::descriptors(int rank, const std::vector<comm::Put>& puts) const {
  std::vector<Descriptor> out;
  for (const comm::Put& p : puts) {
    Descriptor d;
    const bool strided = p.block != Bytes::zero();
    const Bytes span = strided ? p.every * units_of(p.size, p.block) : p.size;
    d.source = nodes_[rank].local(p.source.place, p.source.offset, span);
    d.destination = nodes_[p.peer].shared(p.target.place, p.target.offset, span);
    d.length = p.size;
    if (strided) {
      d.burst = p.block;
      d.gap = p.every - p.block;
      d.source_strided = d.destination_strided = true;
    }
    out.push_back(d);
    if (!p.notify) continue;
    // Eight bytes more, behind the data: posted writes keep their order.
    Descriptor flag;
    flag.source = flag_source(rank);
    flag.destination = nodes_[p.peer].shared_word(flag_of(p.peer, rank));
    flag.length = 8_B;
    out.push_back(flag);
  }
  return out;
}

std::uint64_t TcaPuts::take_table(State& s, const Prepared& p, int rank) const {
  const std::uint64_t n = p.descriptors.size();
  const bool in_chip = p.method == Method::chip_chain;
  std::uint64_t& used = in_chip ? s.chip_used : s.table_used;
  const std::uint64_t room =
      in_chip ? ChipRegion::descriptors : static_cast<std::uint64_t>(nodes_[rank].tables().size / Descriptor::size);
  if (used + n > room)
    throw std::runtime_error("rank " + std::to_string(rank) + ": no room for another chain of " + std::to_string(n) +
                             " descriptors");
  const std::uint64_t at = used;
  used += n;
  return in_chip ? at : nodes_[rank].tables().base + at * static_cast<std::uint64_t>(Descriptor::size.count());
}

int TcaPuts::prepare(Fiber& f, int rank, const std::vector<comm::Put>& puts, const std::string& method) {
  State& s = states_[rank];
  TcaDma& dma = dmas_[rank];
  Prepared p;
  p.method = method_of(method);
  p.descriptors = descriptors(rank, puts);
  for (const comm::Put& put : puts) {
    p.payload += put.size;
    if (put.notify) p.notified.push_back(put.peer);
  }
  p.puts = static_cast<std::int64_t>(puts.size());
  p.owner = ++s.owners;
  const std::int64_t before = dma.stores();
  step_(f, rank, "write the descriptors", [&] {
    if (p.method == Method::in_registers)
      dma.program(f, p.owner, p.descriptors);
    else
      p.first = dma.write_chain(f, p.method == Method::chip_chain, take_table(s, p, rank), p.descriptors);
    dma.status_to(f, nodes_[rank].shared_word(own_status(rank)));
  });
  p.stores = dma.stores() - before;
  s.prepared.push_back(std::move(p));
  return static_cast<int>(s.prepared.size()) - 1;
}

void TcaPuts::start(Fiber& f, int rank, int number) {
  State& s = states_[rank];
  TcaDma& dma = dmas_[rank];
  const Prepared& p = s.prepared.at(static_cast<std::size_t>(number));
  if (!p.notified.empty()) nodes_[rank].core().store(f, flag_source(rank), 8_B, ++s.notified, 0);
  for (const int peer : p.notified) notices_[{peer, rank}].push_back(s.notified);
  dma.status_to(f, nodes_[rank].shared_word(own_status(rank)));
  const bool in_registers = p.method == Method::in_registers;
  if (in_registers && dma.owner() != p.owner)
    step_(f, rank, "set the DMA registers", [&] { dma.program(f, p.owner, p.descriptors); });
  step_.sent(p.payload, p.puts);
  step_.copied(comm::Copier::dma, p.payload, p.puts);
  step_(f, rank, "ring the doorbell",
        [&] { in_registers ? dma.ring(f, static_cast<int>(p.descriptors.size())) : dma.ring_chain(f, p.first); });
}

Time TcaPuts::finish(Fiber& f, int rank) {
  const TcaNode& me = nodes_[rank];
  step_(f, rank, "poll the status",
        [&] { me.core().poll(f, me.memory(), own_status(rank) + 8, dmas_[rank].started()); });
  return me.memory().word_ending_at(own_status(rank) + 8).since;
}

Time TcaPuts::await(Fiber& f, int rank, int from) {
  const TcaNode& me = nodes_[rank];
  const std::uint64_t end = flag_of(rank, from) + 8;
  std::deque<std::uint64_t>& notices = notices_[{rank, from}];
  const auto is_there = [&](std::uint64_t said) { return !notices.empty() && said >= notices.front(); };
  step_(f, rank, "poll the flag", [&] { me.core().poll(f, me.memory(), end, 8_B, is_there); });
  notices.pop_front();
  return me.memory().word_ending_at(end).since;
}

void TcaPuts::forget(int rank) {
  State& s = states_[rank];
  s.prepared.clear();
  s.table_used = s.chip_used = 0;
}

}  // namespace tsunagi::libraries
