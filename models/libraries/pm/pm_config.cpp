// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_config.hpp"

namespace tsunagi::libraries {

void describe(PmBuffersConfig& c, config::Describer& d) {
  using namespace config;
  d.field("longest", c.longest, "PM's MTU: the longest message, and size of each buffer", within(64_B, 1_MiB));
  d.field("send_memory", c.send_memory, "send buffers of a node", within(64_B, 1_GiB));
  d.field("receive_memory", c.receive_memory,
          "receive buffers of a node, or, if they are not shared, of each of its queue pairs", within(64_B, 1_GiB));
  d.field("buffer_cycles", c.buffer_cycles, "of the core, to get or to give back a buffer", within(0, 100'000),
          ideal(0));
  d.field("look_cycles", c.look_cycles, "of the core, to look for a message", within(0, 100'000), ideal(0));
  d.require(c.longest <= c.send_memory, "\"send_memory\" cannot hold one message (\"longest\")");
  d.require(c.longest <= c.receive_memory, "\"receive_memory\" cannot hold one message (\"longest\")");
}

void describe(PmInfiniBandConfig& c, config::Describer& d) {
  using namespace config;
  describe(static_cast<VerbsNodeConfig&>(c), d);
  using infiniband::Service;
  d.choice(
      "service", c.service,
      {{"reliable_connection", static_cast<std::int64_t>(Service::reliable_connection), "a queue pair a peer (RC)"},
       {"reliable_datagram", static_cast<std::int64_t>(Service::reliable_datagram),
        "one queue pair, whose next message waits until the one before is acknowledged (RD)"}},
      "InfiniBand's service");
  describe(static_cast<PmBuffersConfig&>(c), d);
  d.field("shared_receives", c.shared_receives,
          "all queue pairs of a node take buffers from one queue (ASQP and SRQP), else each has its own (RCQP)");
  d.field("driver_cycles", c.driver_cycles, "of the core, a call of the card's driver", within(0, 1'000'000), ideal(0));
  d.choice("commands", c.commands,
           {{"range", static_cast<std::int64_t>(Commanded::range), "one for all queue pairs"},
            {"each", static_cast<std::int64_t>(Commanded::each), "one for each queue pair"}},
           "of the driver to the card, to stop what a node sends, let it go on, save its state and put it back");
  d.require(c.shared_receives || c.service == Service::reliable_connection,
            "one queue pair has one receive queue: \"shared_receives\" must be true with reliable datagrams");
}

}  // namespace tsunagi::libraries
