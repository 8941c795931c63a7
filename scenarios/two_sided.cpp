// SPDX-License-Identifier: Apache-2.0
#include "scenarios/two_sided.hpp"

#include "config/error_at.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::scenarios {

Bytes many(Bytes size, std::int64_t times) {
  const auto n = checked_product(size, times);
  if (!n || *n > largest_given) throw config::error_at("/scenario", "messages to or from all ranks are too large");
  return *n;
}

void describe_ranks(config::Describer& d, int& ranks) {
  d.field("ranks", ranks, "the first so many ranks take part; 0: all", config::within(0, 1'000'000));
}

void expect_messages(comm::World& w, int given) {
  if (!w.library().has_messages())
    throw config::error_at("/scenario", "needs two-sided messages, which the library does not have");
  expect_ranks(w, given);
}

void expect_ranks(comm::World& w, int given) {
  const comm::Library& library = w.library();
  if (given > library.ranks())
    throw config::error_at("/scenario/ranks", "needs " + std::to_string(given) + " ranks, the library has " +
                                                  std::to_string(library.ranks()));
  w.check_data();
}

void expect_tags(comm::World& w, int tags) {
  if (const int known = w.messages().tags(); tags > known)
    throw config::error_at("/scenario",
                           "uses " + std::to_string(tags) + " tags, of which the library has " + std::to_string(known));
}

void expect_queues(comm::World& w, int messages) {
  if (messages > 1 && !w.messages().queues())
    throw config::error_at("/scenario", "has " + std::to_string(messages) +
                                            " messages of a rank to another one under way by one tag, of which the "
                                            "library takes one");
}

void expect_sends_first(comm::World& w, const comm::Buffer& b, int tags, int each) {
  if (const comm::TwoSided& m = w.messages(); m.nonblocking() || m.keeps(b, tags, each)) return;
  throw config::error_at("/scenario", "ranks send to each other before they receive, but by this library a send of " +
                                          to_string(b.size) + " waits until it is received: they would for ever");
}

void expect_windows(comm::World& w) {
  if (!w.messages().probes())
    throw config::error_at("/scenario/by",
                           "windows need a library that shows messages before they are received, which this one "
                           "does not");
}

}  // namespace tsunagi::scenarios
