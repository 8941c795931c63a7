// SPDX-License-Identifier: Apache-2.0
#include "models/bench/exerciser.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::bench {

void describe(ExerciserConfig& c, config::Describer& d) {
  d.field("queue", c.queue, "writes that wait for the link at a time", config::within(1, 4096));
  d.field("memory", c.memory, "bytes of the card's memory; it answers to every address, modulo this",
          config::within(1_MiB, Bytes(std::int64_t{1} << 46)));
  d.choice("role", c.role,
           {{"endpoint", static_cast<std::int64_t>(net::LinkRole::endpoint), "a card in a host's slot"},
            {"root_complex", static_cast<std::int64_t>(net::LinkRole::root_complex), "in place of a host"}},
           "end of the link that it plays");
  d.field("align_writes", c.align_writes, "no write crosses a multiple of the link's max payload, not only of 4 KiB");
  d.field("port_latency", c.port_latency, "between the link and the card's inside, each way", config::at_most(10_us),
          config::ideal(0_ns));
  d.field("answer_latency", c.answer_latency, "from a read of the card's memory to the completions",
          config::at_most(10_us), config::ideal(0_ns));
  d.object("engine", c.engine, "DMA engine");
  d.object("buffers", c.buffers, "receive buffer");
}

Exerciser::Exerciser(DeviceArgs args, const ExerciserConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      refill_(c.queue / 2 + c.queue % 2),
      max_train_(std::min(args.max_train, refill_)),
      free_(c.queue),
      words_(args.sim) {
  net::PortSpec p;
  p.name = "link";
  p.protocol = "pcie";
  p.role = c.role;
  p.needed = true;
  p.expects = pcie::completions_up_to(c.engine.workers == 0 ? Bytes::zero() : c.engine.max_read_request);
  p.tx.pipeline.delay = c.port_latency;
  p.rx.pipeline.delay = c.port_latency;
  p.rx.buffers = pcie::buffer_credits(c.buffers);
  p.rx.trains = true;
  add_port(std::move(p));
  if (c.engine.workers == 0) return;
  engine_ = std::make_unique<DmaEngine>(*this, pool(), config_.engine, config_.align_writes, args.max_train);
}

void Exerciser::receive(int, net::Delivery&& d) {
  switch (d.packet->header<pcie::Tlp>().type) {
    case pcie::TlpType::memory_write:
      return take(std::move(d));
    case pcie::TlpType::memory_read:
      return answer(std::move(d));
    default:
      if (engine_ == nullptr) throw std::runtime_error(name() + " received a completion for no read");
      return engine_->complete(std::move(d));
  }
}

void Exerciser::take(net::Delivery&& d) {
  const flow::Packet& p = *d.packet;
  for (std::int32_t i = 0; p.contents && i < p.count; ++i)
    words_.write(p, i, (p.address + unsigned_of(p.stride * i)) % unsigned_of(config_.memory),
                 d.schedule[static_cast<std::size_t>(i)].tail);
  d.slot.release(d.schedule);
}

void Exerciser::answer(net::Delivery request) {
  const flow::Packet& asked = *request.packet;
  for (std::int32_t i = 0; i < asked.count; ++i) {
    const Time read = request.schedule[static_cast<std::size_t>(i)].tail;
    completer_.answer(asked, i, read, read + config_.answer_latency, [&](flow::Packet& c) {
      c.contents = words_.read(pool().contents(), c.address % unsigned_of(config_.memory), c.payload, read);
    });
  }
  request.slot.release(request.schedule);
}

std::string Exerciser::leftover() const {
  if (engine_ != nullptr && engine_->busy()) return "DMA operations are under way";
  if (!jobs_.empty()) return "writes not posted yet";
  return words_.pending() ? "writes not visible yet" : "";
}

void Exerciser::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t) {
  free_ += static_cast<int>(when.size());
  // Not from here: the port is about to hand on what it just granted.
  if (free_ >= refill_ && !jobs_.empty()) simulation().agenda().arm_by(refill_alarm_, now());
}

void Exerciser::write(Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value) {
  const std::uint64_t mine = ++accepted_;
  jobs_.push_back({address, n, std::min(n, 8_B), value, now()});
  if (jobs_.size() == 1) feed();
  while (posted_ < mine) f.wait(job_posted_, "a place in the queue of " + name());
}

void Exerciser::feed() {
  const std::uint64_t before = posted_;
  while (!jobs_.empty() && free_ >= max_train_) {
    post_train(jobs_.front());
    if (jobs_.front().left > Bytes::zero()) continue;
    jobs_.pop_front();
    ++posted_;
  }
  if (posted_ != before) job_posted_.notify();
}

void Exerciser::post_train(Job& job) {
  const pcie::WriteCut cut{port(0).max_payload(), config_.align_writes};
  const auto [piece, whole] = pcie::next_writes(cut, job.address, job.left, max_train_);
  net::Delivery d;
  d.packet = pcie::memory_write(pool(), job.address, piece, whole);
  tell(d.packet->id, 0, net::Stage::buffer, "place in the queue", job.begin, now());
  d.packet->say(job.left - job.word, flow::WordBytes(job.value));
  job.left -= piece * whole;
  job.address += static_cast<std::uint64_t>((piece * whole).count());
  d.schedule = net::Schedule::at(now(), whole);
  d.slot = net::Slot(*this, pcie::posted, {1, 0}, static_cast<int>(whole));
  free_ -= static_cast<int>(whole);
  port(0).send(0, std::move(d));
}

}  // namespace tsunagi::bench
