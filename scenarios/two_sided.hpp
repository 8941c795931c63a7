// SPDX-License-Identifier: Apache-2.0
// What scenarios of ranks that send each other tagged messages have in common.
#pragma once

#include <string>

#include "comm/world.hpp"
#include "config/describe.hpp"

namespace tsunagi::scenarios {

/// Bytes of `size` `times` over, as part of a footprint. Throws config::ConfigError if they are too many.
Bytes many(Bytes size, std::int64_t times);

/// The field "ranks".
void describe_ranks(config::Describer& d, int& ranks);

/// Before time 0, for programs of the first `given` ranks (0: all): throws config::ConfigError if the library has no
/// two-sided messages or fewer ranks than that. From now on it is kept which bytes lie where.
void expect_messages(comm::World& w, int given);
/// What of that a library needs that does the scenario's calls without messages.
void expect_ranks(comm::World& w, int given);

// What such programs do that not every library takes; before time 0 and behind `expect_messages`. Each throws
// config::ConfigError if the library does not.
/// They use tags 0 .. `tags` - 1.
void expect_tags(comm::World& w, int tags);
/// A rank has so many messages to another one under way by one tag.
void expect_queues(comm::World& w, int messages);
/// Ranks send messages of up to `b`, `each` by each of so many tags, before they receive others'.
void expect_sends_first(comm::World& w, const comm::Buffer& b, int tags, int each);
/// They make windows.
void expect_windows(comm::World& w);

/// How many of `all` take part if so many are `given`.
inline int taking_part(int given, int all) { return given == 0 ? all : given; }

}  // namespace tsunagi::scenarios
