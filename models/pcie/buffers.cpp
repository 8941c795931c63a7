// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/buffers.hpp"

namespace tsunagi::pcie {

void describe(BufferConfig& c, config::Describer& d) {
  using namespace config;
  const auto range = within(std::int64_t{0}, std::int64_t{1'000'000});
  d.field("posted_headers", c.posted_headers, "posted header credits; 0: infinite", range, ideal(std::int64_t{0}));
  d.field("posted_data", c.posted_data, "posted data credits of 16 B; 0: infinite", range, ideal(std::int64_t{0}));
  d.field("non_posted_headers", c.non_posted_headers, "non-posted header credits; 0: infinite", range,
          ideal(std::int64_t{0}));
  d.field("non_posted_data", c.non_posted_data, "non-posted data credits of 16 B; 0: infinite", range,
          ideal(std::int64_t{0}));
  d.field("completion_headers", c.completion_headers, "completion header credits; 0: infinite", range,
          ideal(std::int64_t{0}));
  d.field("completion_data", c.completion_data, "completion data credits of 16 B; 0: infinite", range,
          ideal(std::int64_t{0}));
}

std::vector<flow::Credits> buffer_credits(const BufferConfig& c) {
  const auto or_infinite = [](std::int64_t n) {
    return n == 0 ? flow::Credits::infinite : static_cast<std::int32_t>(n);
  };
  return {{or_infinite(c.posted_headers), or_infinite(c.posted_data)},
          {or_infinite(c.non_posted_headers), or_infinite(c.non_posted_data)},
          {or_infinite(c.completion_headers), or_infinite(c.completion_data)}};
}

std::vector<Bytes> completions_up_to(Bytes most) {
  constexpr Bytes largest_payload = 4_KiB;  // Base Specification 7.8.4: of any link
  return {largest_payload, largest_payload, most};
}

}  // namespace tsunagi::pcie
