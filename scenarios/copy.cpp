// SPDX-License-Identifier: Apache-2.0
#include "scenarios/copy.hpp"

#include <algorithm>

#include "config/error_at.hpp"

namespace tsunagi::scenarios {

void describe(CopyConfig& c, config::Describer& d) {
  using namespace config;
  d.field("source", c.source, "memory that is copied from, as the library names places", required);
  d.field("target", c.target, "memory that is copied to", required);
  d.field("sizes", c.sizes, "bytes of a copy, a row each", within(1_B, largest_given));
  d.field("iterations", c.iterations, "copies a row, one after the other", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "copies before those that are measured, of each size", within(0, 1'000'000));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

void Copy::fit(comm::World& w) {
  const comm::DeviceCopies* copies = w.library().facet<comm::DeviceCopies>();
  if (copies == nullptr)
    throw config::error_at("/library",
                           "the library copies nothing between devices (fpga_dma, opencl_cuda and gdrcopy do)");
  for (const Bytes size : config_.sizes) copies->check_copy(0, copy_of(size));
}

void Copy::declare(report::Recorder& r, const comm::Communicator& c) const {
  r.rate("bandwidth", "size", "time");
  const Bytes most = *std::max_element(config_.sizes.begin(), config_.sizes.end());
  for (const comm::Ceiling& ceiling : c.facet<comm::DeviceCopies>()->copy_ceilings(0, copy_of(most)))
    r.ceiling({{}, ceiling.name, ceiling.rate, ceiling.burst, false});
}

void Copy::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() != 0) return;
  for (const Bytes size : config_.sizes) {
    Time total;
    for (int i = 0; i < config_.warm_up; ++i) rank.copy(copy_of(size));
    r.begin_account();
    for (int i = 0; i < config_.iterations; ++i) total += rank.copy(copy_of(size));
    r.row().bytes("size", size).time("time", Time::from_fs(total.fs() / config_.iterations));
  }
}

std::unique_ptr<Scenario> make_copy(const config::AnyConfig& c) { return std::make_unique<Copy>(c.as<CopyConfig>()); }

}  // namespace tsunagi::scenarios
