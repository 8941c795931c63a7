// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/gpu_ring/ring_config.hpp"

namespace tsunagi::libraries {

const char* name_of(RingProtocol p) {
  constexpr const char* names[] = {"ll", "ll128", "simple"};
  return names[static_cast<int>(p)];
}

const char* name_of(RingAlgorithm a) { return a == RingAlgorithm::ring ? "ring" : "tree"; }

void describe(RingProtocolConfig& c, config::Describer& d) {
  using namespace config;
  d.field("buffer", c.buffer, "bytes of a connection's buffer, at its receiver", within(64_KiB, 64_MiB));
  d.field("threads", c.threads, "threads of a block", within(32, 1024));
  d.field("thread_bytes", c.thread_bytes, "fewer channels take part where a thread would have fewer bytes than that",
          within(1_B, 1_MiB));
  d.field("base_latency", c.base_latency, "of a call, in the model that chooses a protocol", at_most(1_ms));
  d.field("step_latency", c.step_latency, "of a step of it, in that model", at_most(1_ms));
  d.field("rate", c.rate, "bytes a second of the bus, in that model", at_least(Rate::bytes_per_second(1'000'000)));
  d.field("enabled", c.enabled, "whether the model may choose it");
}

void describe(RingConfig& c, config::Describer& d) {
  using namespace config;
  d.field("channels", c.channels, "thread blocks of a kernel, each with a part of the data and connections of its own",
          within(1, 32));
  d.field("prologue_loads", c.prologue_loads,
          "loads one behind the other by which a block comes to its connections, before its first primitive",
          within(0, 1000), ideal(0));
  d.field("steps", c.steps, "slots of a connection's buffer", within(2, 64));
  d.field("chunk_steps", c.chunk_steps, "slots that a chunk has at most, of protocol simple", within(1, 64));
  d.field("slice_steps", c.slice_steps, "slots of a slice, of which chunks consist", within(1, 64));
  d.field("line", c.line, "a line of protocol ll", one_of({8, 16, 32}));
  d.field("line_data", c.line_data, "what of it is data", within(1_B, 32_B));
  d.field("line_128", c.line_128, "a line of protocol ll128", one_of({64, 128}));
  d.field("line_128_data", c.line_128_data, "what of it is data", within(1_B, 128_B));
  d.object("ll", c.ll, "lines that carry their flag");
  d.object("ll128", c.ll128, "longer lines that do, where the way keeps them whole");
  d.object("simple", c.simple, "slices, and flags behind a fence");
  d.field("protocol", c.protocol, "ll, ll128 or simple, whatever the model says; empty: its choice");
  d.choice("algorithm", c.algorithm,
           {{"ring", static_cast<std::int64_t>(RingAlgorithm::ring), "from each rank to the next"},
            {"tree", static_cast<std::int64_t>(RingAlgorithm::tree), "up a binary tree and down again (all-reduce)"}},
           "who sends to whom");
  d.require(c.protocol.empty() || c.protocol == "ll" || c.protocol == "ll128" || c.protocol == "simple",
            "\"protocol\" is none of ll, ll128, simple");
  d.require(c.ll.enabled || c.ll128.enabled || c.simple.enabled, "no protocol is enabled");
  d.require(c.slice_steps <= c.chunk_steps && c.chunk_steps % c.slice_steps == 0,
            "\"chunk_steps\" must be a multiple of \"slice_steps\"");
  d.require(c.steps % c.slice_steps == 0 && c.chunk_steps <= c.steps,
            "\"steps\" must be a multiple of \"slice_steps\", and a chunk's");
  d.require(c.line_data <= c.line && c.line_128_data <= c.line_128, "a line has more data than bytes");
}

}  // namespace tsunagi::libraries
