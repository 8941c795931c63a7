// SPDX-License-Identifier: Apache-2.0
// No rule of networks knows how long a nanosecond is: where all times of a machine are k times as long (clocks and
// rates a k-th, flights k-fold), all results are, to the femtosecond. Bytes take whole femtoseconds here; of others
// fractions are rounded, which decides who is first where several are at once (docs/routers.md).
#include <fmt/format.h>

#include <random>

#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace time_scaling_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// A small network and what its ranks do, by a seed.
class AnyMachine {
 public:
  explicit AnyMachine(unsigned seed) : random_(seed) {
    const std::string grids = any({"dimension_order", "minimal_adaptive", "valiant", "ugal"});
    const std::string sizes = any({"[3, 3]", "[4, 2]", "[5, 3]"});
    topology_ = any({fmt::format(R"("kind": "ring", "nodes": {}, "routes": "{}")", number(3, 13), grids),
                     fmt::format(R"("kind": "torus", "sizes": {}, "routes": "{}")", sizes, grids),
                     fmt::format(R"("kind": "mesh", "sizes": {}, "routes": "{}")", sizes, grids),
                     fmt::format(R"("kind": "crossbar", "terminals": {})", number(3, 9)),
                     R"("kind": "fat_tree", "radix": 4, "levels": 2)",
                     fmt::format(R"("kind": "dragonfly", "terminals": 1, "routers": 2, "global_links": 1,
                                    "routes": "{}")",
                                 any({"minimal", "valiant", "ugal"}))});
    router_ = any({fmt::format(R"("kind": "router", "buffer_packets": {})", any({"0", "2", "3"})),
                   R"("kind": "input_queued_router")"});
    router_ +=
        fmt::format(R"(, "virtual_channels": 6, "latency": {}, "buffer_flits": {})", number(0, 5), any({"64", "512"}));
    terminal_ = fmt::format(R"("send_latency": {}, "receive_latency": {})", number(0, 3), number(0, 3));
    wire_ = fmt::format(R"("virtual_channels": 6, "header": "8 B", "flit": "16 B", "max_payload": "{}")",
                        any({"64 B", "256 B"}));
    clock_ = std::stoll(any({"1000", "800", "500", "250"}));
    bandwidth_ = std::stoll(any({"2000", "1000", "500", "125"}));
    flight_ = number(1'000, 200'000);
    const std::string bytes = std::to_string(number(1, 3000));
    scenario_ =
        any({fmt::format(R"("kind": "halo_exchange", "faces": ["{} B"], "packing": true, "iterations": 1)", bytes),
             fmt::format(R"("kind": "all_to_all", "by": "messages", "sizes": ["{} B"], "iterations": 1)", bytes),
             fmt::format(R"("kind": "random_pairs", "sizes": ["{} B"], "rounds": 1)", bytes)});
  }

  /// The run with all times k-fold.
  std::string text(int k) const {
    return fmt::format(
        R"({{"name": "k", "machine": {{"name": "m", "topology": {{{},
             "router": {{{}, "clock": "{} kHz"}},
             "terminal": {{"kind": "terminal", {}, "clock": "{} kHz"}},
             "wire": {{"kind": "link", {}, "bandwidth": "{} kB/s", "flight": "{} fs"}}}}}},
             "library": {{"kind": "datagram"}}, "scenario": {{{}}}}})",
        topology_, router_, clock_ * 1000 / k, terminal_, clock_ * 1000 / k, wire_, bandwidth_ * 1000 / k, flight_ * k,
        scenario_);
  }

 private:
  std::string any(const std::vector<std::string>& of) { return of[random_() % of.size()]; }
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::mt19937 random_;
  std::string topology_, router_, terminal_, wire_, scenario_;
  std::int64_t clock_ = 0;      // MHz
  std::int64_t bandwidth_ = 0;  // MB/s
  std::int64_t flight_ = 0;     // fs
};

/// All times of the run's rows that somebody saw: a mean of rates is rounded.
std::vector<std::int64_t> times(const std::string& text) {
  const RunConfig run = config::read<RunConfig>(config::parse(text, "scaled"), all_kinds());
  std::vector<std::int64_t> out;
  for (const report::Row& row : simulated(run).rows.rows)
    for (const auto& [name, value] : row.cells())
      if (const Time* t = std::get_if<Time>(&value); t != nullptr && name != "mean") out.push_back(t->fs());
  return out;
}

}  // namespace

TEST_CASE("of machines whose times are all k-fold every result is") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const AnyMachine machine(seed);
    CAPTURE(machine.text(1));
    const std::vector<std::int64_t> once = times(machine.text(1));
    REQUIRE_FALSE(once.empty());
    for (const int k : {2, 5}) {
      std::vector<std::int64_t> all = once;
      for (std::int64_t& t : all) t *= k;
      REQUIRE(times(machine.text(k)) == all);
    }
  }
}

}  // namespace time_scaling_test
