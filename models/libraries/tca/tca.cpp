// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca/tca.hpp"

#include <algorithm>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/cuda/cuda.hpp"
#include "models/libraries/tca/tca_routes.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

constexpr std::uint64_t send_owner = 1;  // of the DMA registers; prepared puts follow

std::string window_of(const peach2::Peach2Config& c) {
  return to_string(c.window_size) + " from " + to_string(c.window_base) + " for " + std::to_string(c.nodes) + " nodes";
}

/// The nodes by number.
comm::ByRank<TcaNode> nodes_of(const TcaConfig& c, Machine& m) {
  std::map<int, peach2::Peach2*> chips;
  for (peach2::Peach2* chip : m.all<peach2::Peach2>())
    if (const auto [it, first] = chips.emplace(chip->config().node, chip); !first)
      throw config::error_at("/machine", chip->name() + " and " + it->second->name() + " are both node " +
                                             std::to_string(chip->config().node));
  if (chips.empty()) throw config::error_at("/library", "library tca needs a machine with PEACH2 chips");
  comm::ByRank<TcaNode> out;
  for (const auto& [number, chip] : chips) {
    if (number != static_cast<int>(out.size()))
      throw config::error_at("/machine", "no PEACH2 is node " + std::to_string(out.size()));
    const peach2::Peach2Config& first = chips.begin()->second->config();
    const peach2::Peach2Config& mine = chip->config();
    if (mine.window_base != first.window_base || mine.window_size != first.window_size || mine.nodes != first.nodes)
      throw config::error_at("/machine", "all chips share one window, but that of " + chip->name() + " is " +
                                             window_of(mine) + ", that of " + chips.begin()->second->name() + " " +
                                             window_of(first));
    out.emplace_back(c, m, *chip, static_cast<int>(chips.size()));
  }
  return out;
}

}  // namespace

Tca::Tca(const TcaConfig& c, Machine& m)
    : nodes_(nodes_of(c, m)),
      dmas_(nodes_.begin(), nodes_.end()),
      puts_(nodes_, dmas_, step),
      two_sided_(c, nodes_, dmas_, step),
      streams_({[this](int rank) -> CudaDriver& { return cuda_[rank]; },
                [this](int rank, const std::string& place) -> gpu::Gpu* { return nodes_[rank].gpu(place); },
                [this](int rank, Bytes offset) { return nodes_[rank].local({}, offset, Bytes::zero()); },
                [this](int rank) { return nodes_[rank].user_memory(); }},
               step),
      devices_(nodes_, cuda_),
      processor_(nodes_),
      programmed_(nodes_.size()),
      hops_(nodes_.size(), -1) {
  processor_.set_devices(devices_);
  check_reachable(nodes_);
  for (const TcaNode& n : nodes_)
    cuda_.emplace_back(cuda_driver_of(c.cuda), n.core(), n.memory(), n.cuda_area(), n.gpus());
  add_facet<comm::Protocols>(*this);
  add_facet<comm::Puts>(puts_);
  add_facet<comm::Streams>(streams_);
  add_facet<comm::Transport>(two_sided_);
  if (!c.remote_reads) return;
  proxy_ = std::make_unique<TcaProxy>(nodes_, c.interrupt_cycles, m.simulation(), step);
  add_facet<comm::Gets>(*this);
}

comm::Protocol Tca::protocol(int /*from*/, int /*to*/, const comm::Buffer& b) const {
  if (b.method.empty()) return two_sided_.protocol(b);
  if (b.method == "pio") return {"programmed I/O", 1, 0, {}, "the core stores the bytes into the window"};
  if (b.method == "dma") return {"put", 0, 1, {}, "a descriptor in the chip's registers, a status behind the bytes"};
  return {"copy to the host, put", 0, 2, {}, "cudaMemcpy to the staging buffer, then as by \"dma\""};
}

void Tca::check_get(int rank, int peer, const comm::Buffer& b) const {
  comm::Buffer put = b;
  put.method = "dma";
  check(peer, rank, put);
}

void Tca::get(Fiber& f, int rank, int peer, const comm::Buffer& b) {
  step.sent(b.size);
  step(f, rank, "read by proxy", [&] { proxy_->get(f, rank, peer, b); });
}

std::uint64_t Tca::address(int at, int of, const comm::Buffer& b) const {
  if (const std::string why = nodes_[of].refusal(b.place, b.offset + b.size, at != of); !why.empty())
    throw config::error_at("/machine", why);
  return at == of ? nodes_[of].local(b.place, b.offset, b.size) : nodes_[of].shared(b.place, b.offset, b.size);
}

std::string Tca::advice() const { return deadlock_advice(nodes_); }

namespace {

/// Why a message cannot go from a node by way of its host memory; empty if it can.
std::string staging_refusal(const TcaNode& n, const comm::Buffer& b) {
  const gpu::Gpu* g = n.gpu(b.place);
  if (g == nullptr) {
    std::string known;
    for (const gpu::Gpu* k : n.gpus())
      known += (known.empty() ? "" : ", ") + k->name().substr(k->name().rfind('.') + 1);
    return "method \"staged\" sends what is in a GPU's memory; sources: " + known;
  }
  if (g->config().copy_engines.count == 0) return g->name() + " has no copy engine";
  if (b.offset + b.size > g->config().memory_size)
    return g->name() + " has " + to_string(g->config().memory_size) + " of memory";
  if (b.size > n.staging().size) return "method \"staged\" sends at most " + to_string(n.staging().size) + " at a time";
  return {};
}

}  // namespace

void Tca::check(int from, int to, const comm::Buffer& b) const {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/scenario", why);
  };
  refuse(nodes_[to].refusal(b.target, b.offset + b.size, true));
  if (b.method == "dma")
    refuse(nodes_[from].refusal(b.place, b.offset + b.size, false));
  else if (b.method == "staged")
    refuse(staging_refusal(nodes_[from], b));
  else if (!TcaNode::is_host(b.place))
    refuse("by PIO the core stores what it has: it cannot send from \"" + b.place + "\"");
  else if (!TcaNode::is_host(b.target) && b.size < 8_B)
    refuse("what is polled in \"" + b.target + "\" are the last 8 B of a message: it has to be that long, not " +
           to_string(b.size));
  // Pins GPU memory, while a window that is full is still an error of the config.
  if (by_dma(b.method))
    refuse(TcaPuts::refusal(descriptor(from, to, b)));
  else
    nodes_[to].shared(b.target, b.offset, b.size);
}

void Tca::check_message(int from, int to, const comm::Buffer& b) const {
  comm::Buffer moved = b;  // short ones that the core stores are in host memory
  moved.method = comm::is_host(b.place) && b.size <= two_sided_.eager_limit() ? "" : "dma";
  if (moved.method.empty()) moved.target = {};
  check(from, to, moved);
  if (const std::string why = nodes_[to].refusal(b.target, b.offset + b.size, true); !why.empty())
    throw config::error_at("/scenario", why);
  nodes_[to].shared(b.target, b.offset, b.size);
}

void Tca::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  step.sent(b.size);
  if (b.method == "staged") stage(f, from, b);
  step.copied(by_dma(b.method) ? comm::Copier::dma : comm::Copier::core, b.size);
  if (by_dma(b.method))
    send_dma(f, from, to, b);
  else
    send_pio(f, from, to, b);
}

void Tca::send_pio(Fiber& f, int from, int to, const comm::Buffer& b) {
  const std::uint64_t number = ++marks_[{to, nodes_[to].local(b.target, b.offset, b.size)}].last(b.size).sent;
  const std::uint64_t mark = Marks::of(number, Marks::width(b.size));
  const auto origin = static_cast<std::uint32_t>(++messages_);
  step(f, from, "store the message",
       [&] { nodes_[from].core().store(f, nodes_[to].shared(b.target, b.offset, b.size), b.size, mark, origin); });
}

void Tca::stage(Fiber& f, int rank, const comm::Buffer& b) {
  CudaDriver& cuda = cuda_[rank];
  gpu::CopyCommand what;
  what.source = static_cast<std::uint64_t>(b.offset.count());
  what.destination = nodes_[rank].staging().base;
  what.length = b.size;
  what.from = gpu::Aperture::local;
  what.to = gpu::Aperture::host;
  CudaDriver::Started copy;
  step.copied(comm::Copier::dma, b.size);
  step(f, rank, "enter cudaMemcpy", [&] { cuda.call(f); });
  step(f, rank, "push the copy", [&] { copy = cuda.start(f, *nodes_[rank].gpu(b.place), what); });
  step(f, rank, "poll the semaphore", [&] { cuda.wait(f, copy); });
  step(f, rank, "return from cudaMemcpy", [&] { cuda.finish(f); });
}

peach2::Descriptor Tca::descriptor(int from, int to, const comm::Buffer& b) const {
  peach2::Descriptor d;
  d.source = b.method == "staged" ? nodes_[from].staging().base : nodes_[from].local(b.place, b.offset, b.size);
  d.destination = nodes_[to].shared(b.target, b.offset, b.size);
  d.length = b.size;
  return d;
}

void Tca::program_dma(Fiber& f, int from, int to, const comm::Buffer& b) {
  dmas_[from].program(f, send_owner, {descriptor(from, to, b)});
  programmed_[from] = {to, b};
}

void Tca::send_dma(Fiber& f, int from, int to, const comm::Buffer& b) {
  TcaDma& dma = dmas_[from];
  const Programmed& now = programmed_[from];
  const bool same = dma.owner() == send_owner && now.to == to && now.what.offset == b.offset &&
                    now.what.size == b.size && now.what.method == b.method && now.what.place == b.place &&
                    now.what.target == b.target;
  if (!same) step(f, from, "set the DMA registers", [&] { program_dma(f, from, to, b); });
  dma.status_to(f, nodes_[to].shared_word(status_of(to, from)));
  step(f, from, "ring the doorbell", [&] { dma.ring(f, 1); });
}

void Tca::recv(Fiber& f, int to, int from, const comm::Buffer& b) {
  if (!by_dma(b.method)) return recv_pio(f, to, b);
  const TcaNode& me = nodes_[to];
  const std::uint64_t end = status_of(to, from) + 8;
  std::uint64_t& seen = seen_[{to, from}];
  step(f, to, "poll the status", [&] { me.core().poll(f, me.memory(), end, seen + 1); });
  const host::Word& word = me.memory().word_ending_at(end);
  seen = word.value;
  hops_[to] = word.hops;
}

void Tca::recv_pio(Fiber& f, int to, const comm::Buffer& b) {
  const TcaNode& me = nodes_[to];
  const std::uint64_t place = me.local(b.target, b.offset, b.size);
  const std::uint64_t end = place + unsigned_of(b.size);
  const std::uint64_t number = ++marks_[{to, place}].last(b.size).received;
  const Bytes width = Marks::width(b.size);
  const auto is_there = [&](std::uint64_t word) { return Marks::says(word, width, number); };
  if (!TcaNode::is_host(b.target)) {
    step(f, to, "poll the last word by uncached loads", [&] { me.core().poll_uncached(f, end, is_there); });
    return;
  }
  step(f, to, "poll the last word", [&] { me.core().poll(f, me.memory(), end, width, is_there); });
  hops_[to] = me.memory().word_ending_at(end, width).hops;
}

LibraryKind tca_library() { return library<Tca, TcaConfig>("tca", "TCA user library: puts over PEACH2, polled"); }

}  // namespace tsunagi::libraries
