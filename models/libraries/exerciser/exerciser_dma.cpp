// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/exerciser/exerciser_dma.hpp"

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"

namespace tsunagi::libraries {

ExerciserDma::ExerciserDma(bench::Exerciser& e, const ReachedMemory& local, const ReachedMemory& remote,
                           const comm::Steps& step)
    : exerciser_(e), memories_{local, remote}, step_(step) {}

std::vector<std::string> ExerciserDma::methods() const {
  std::vector<std::string> out{"dma"};
  if (engine_config().command.largest > Bytes::zero()) out.emplace_back("command");
  return out;
}

Bytes ExerciserDma::buffer(comm::DmaMemory m) const {
  if (reached(m).memory == nullptr)
    throw config::error_at("/library", "the library has no memory of another socket (\"remote_memory\")");
  return reached(m).size();
}

Rate ExerciserDma::link_rate() const { return exerciser_.ports().front().channel().wire().rate; }

bench::DmaWay ExerciserDma::way(comm::DmaMemory m) const {
  const net::Channel& link = exerciser_.ports().front().channel();
  bench::DmaWay w;
  w.link = &link.wire();
  w.address = reached(m).seen;
  w.max_read_request = engine_config().max_read_request;
  const host::RootComplex* rc = host::root_complex_above(exerciser_);
  w.completion_size = rc == nullptr ? w.link->max_payload : rc->config().completion_size;
  w.port_latency = exerciser_.config().port_latency;
  return w;
}

comm::DmaLoad ExerciserDma::load(const comm::DmaOperation& o) const {
  return bench::load(way(o.memory), o.kind, o.size);
}

Time ExerciserDma::least(const comm::DmaOperation& o) const {
  return bench::least(way(o.memory), engine_config(), static_cast<bench::EngineMethod>(o.method), o.kind, o.size);
}

comm::Request ExerciserDma::start(Fiber& f, const comm::DmaOperation& o) {
  step_.sent(o.size);
  return exerciser_.engine()->start(
      f, {o.kind == comm::DmaOperation::Kind::read, reached(o.memory).seen + unsigned_of(o.offset), o.size},
      static_cast<bench::EngineMethod>(o.method));
}

void ExerciserDma::make_cold() {
  for (const ReachedMemory& m : memories_)
    if (m.memory != nullptr) m.memory->make_cold();
}

void ExerciserDma::warm(comm::DmaMemory m, Bytes offset, Bytes n, comm::WarmedBy by) {
  reached(m).memory->warm(reached(m).there + unsigned_of(offset), n,
                          by == comm::WarmedBy::host ? host::WarmedBy::host : host::WarmedBy::device);
}

}  // namespace tsunagi::libraries
