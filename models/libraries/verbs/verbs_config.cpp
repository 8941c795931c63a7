// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/infiniband/link.hpp"
#include "models/libraries/verbs/verbs_node.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void describe(VerbsNodeConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  d.field("core", c.core, "the core of a node that runs its rank");
  d.field("memory", c.memory, "the memory with its buffers and queues");
  d.field("rails", c.rails,
          "ports of the node's host channel adapters (\"hca.port1\"); messages take turns on them, two-sided ones of "
          "library verbs go by the first");
  d.choice("provider", c.provider,
           {{"mlx4", static_cast<std::int64_t>(Provider::mlx4),
             "requests with inline data or without any are written into the card, of others it is told by a doorbell"},
            {"mlx5", static_cast<std::int64_t>(Provider::mlx5),
             "each request that fits is written into the card, behind a doorbell record; a store fence ends it"}},
           "the user driver that posts: libmlx4's up to ConnectX-3, libmlx5's since ConnectX-4");
  d.field("mtu", c.mtu, "of the path", one_of({256, 512, 1024, 2048, 4096}));
  d.field("inline_limit", c.inline_limit, "messages up to that are written into work requests", within(0_B, 900_B));
  d.field("depth", c.depth, "work requests of a send queue", within(1, 16384));
  d.field("receive_depth", c.receive_depth,
          "receives that are posted at a time for sends of a queue pair; 0: \"depth\"", within(0, 16384));
  d.field("post_cycles", c.post_cycles, "core cycles of ibv_post_send or ibv_post_recv, beside the stores",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("poll_cycles", c.poll_cycles, "core cycles of ibv_poll_cq when it finds an entry",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("timeout_code", c.timeout_code, "retransmission after 4.096 us x 2^code; 0: never", within(0, 31));
  d.field("retry_count", c.retry_count, "retransmissions before a connection fails", within(0, 7));
  d.field("rnr_retry_count", c.rnr_retry_count, "the same after \"receiver not ready\"; 7: for ever", within(0, 7));
  d.require(!c.rails.empty(), "\"rails\" is empty");
  for (const std::string& name : c.rails) {
    if (!parse_rail(name))
      d.require(false, in_quotes(name) + " in \"rails\" is no port; write \"hca.port1\", \"hca.port2\"");
    d.require(std::count(c.rails.begin(), c.rails.end(), name) == 1, in_quotes(name) + " is in \"rails\" twice");
  }
}

std::vector<config::Message> oddities(const VerbsNodeConfig& c, const topo::Graph& machine) {
  std::optional<Bytes> least;
  for (const topo::Link& l : machine.links)
    if (l.wire.kind() == "infiniband")
      least = std::min(least.value_or(infiniband::LinkConfig::most_mtu), l.wire.as<infiniband::LinkConfig>().mtu);
  if (!least || *least <= c.mtu) return {};
  return {{{},
           "/library/mtu",
           fmt::format("packets have {} at most, though every InfiniBand wire carries {}; that is used only if it is "
                       "written here, too",
                       to_string(c.mtu), to_string(*least))}};
}

void describe(VerbsConfig& c, config::Describer& d) {
  using namespace config;
  describe(static_cast<VerbsNodeConfig&>(c), d);
  d.choice("service", c.service,
           {{"reliable_connection", static_cast<std::int64_t>(infiniband::Service::reliable_connection),
             "in order, acknowledged, retransmitted"},
            {"unreliable_datagram", static_cast<std::int64_t>(infiniband::Service::unreliable_datagram),
             "sends of up to one packet, which may be lost"}},
           "of its queue pairs");
  d.field("eager_limit", c.messages.eager_limit, "longest two-sided message that is copied", within(0_B, 1_MiB));
  d.field("slots", c.messages.slots, "receives posted for those", within(2, 65536));
  d.field("unexpected", c.messages.unexpected, "messages that are kept because nobody has posted a receive",
          within(1, 1'000'000));
}

void describe(FastPathConfig& c, config::Describer& d) {
  using namespace config;
  d.field("slots", c.slots, "of a peer; 0: none", within(0, 255));
  d.field("slot", c.slot, "bytes of one, with the words that begin and end it", within(64_B, 64_KiB));
  d.field("after", c.after, "messages that come from a peer before its slots are polled", within(0, 1'000'000));
  d.require(c.slot.count() % 64 == 0, "\"slot\" must be a multiple of 64 B");
}

}  // namespace tsunagi::libraries
