// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/compute_engine.hpp"

#include <stdexcept>
#include <utility>

#include "models/gpu/release.hpp"
#include "models/pcie/framing.hpp"

namespace tsunagi::gpu {

ComputeEngine::ComputeEngine(net::Device& gpu, flow::PacketPool& pool, const ComputeConfig& c, int release_cycles,
                             std::function<void(net::Delivery)> write)
    : gpu_(gpu), pool_(pool), config_(c), clock_(c.clock), release_cycles_(release_cycles), write_(std::move(write)) {}

void ComputeEngine::run(const Command& c, CommandOwner& owner, Cause by) {
  const auto* kernel = std::get_if<KernelCommand>(&c);
  if (kernel == nullptr) throw std::runtime_error(gpu_.name() + ": multiprocessors run kernels");
  jobs_.push_back({*kernel, &owner, by});
  if (jobs_.size() == 1) begin(by);
}

void ComputeEngine::begin(Cause by) {
  const Time first = by.when + config_.launch_latency;
  const Time last = first + kernel_time(config_, jobs_.front().what.work);
  running_ = gpu_.make_item();
  gpu_.tell(running_, by.packet, net::Stage::pipeline, "kernel is launched", by.when, first);
  gpu_.tell(running_, 0, net::Stage::step, "kernel", first, last);
  gpu_.simulation().agenda().arm(work_alarm_, last);
}

void ComputeEngine::work_over() {
  const std::uint32_t program = jobs_.front().what.program;
  if (program == 0) return end();
  if (programs_ == nullptr) throw std::runtime_error(gpu_.name() + ": nobody runs the programs of kernels");
  in_program_ = true;
  program_since_ = slot_now();
  programs_->begin(program, {slot_now(), running_});
}

void ComputeEngine::program_ended() {
  if (!std::exchange(in_program_, false)) throw std::logic_error(gpu_.name() + " runs no kernel with a program");
  gpu_.tell(running_, 0, net::Stage::step, "kernel's program", program_since_, slot_now());
  end();
}

void ComputeEngine::end() {
  const Job job = jobs_.take_front();
  const Cause over{slot_now(), running_};
  const Time at = clock_.after(over.when, release_cycles_);
  net::Delivery d =
      release_of(gpu_, pool_, job.what.semaphore, job.what.payload, over, at, "multiprocessors build the release");
  const Cause ended{at, d.packet->id};
  d.slot = net::Slot(*this, pcie::posted, flow::Credits::of(1, 4), 1);
  leaving_.push_back(job.owner);
  write_(std::move(d));
  if (!jobs_.empty()) begin(jobs_.front().ready.when > over.when ? jobs_.front().ready : over);
  job.owner->ended(ended);
}

void ComputeEngine::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  CommandOwner* const owner = leaving_.take_front();
  owner->left({when.back().tail, packet});
}

}  // namespace tsunagi::gpu
