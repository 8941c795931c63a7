// SPDX-License-Identifier: Apache-2.0
#include "scenarios/two_sided.hpp"

#include "config/error_at.hpp"
#include "units/checked.hpp"

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
  comm::Communicator& library = w.library();
  if (!library.has_messages())
    throw config::error_at("/scenario", "needs two-sided messages, which the library does not have");
  if (given > library.ranks())
    throw config::error_at("/scenario/ranks", "needs " + std::to_string(given) + " ranks, the library has " +
                                                  std::to_string(library.ranks()));
  w.check_data();
}

}  // namespace tsunagi::scenarios
