// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic.hpp"

#include <cmath>
#include <stdexcept>

#include "config/error_at.hpp"
#include "scenarios/offered_load.hpp"
#include "units/parse.hpp"
#include "units/wide.hpp"

namespace tsunagi::scenarios {

namespace {

/// Mean time between the messages of a rank: the random gaps of a longer one might not fit a Time.
constexpr Time longest_gap = 10_s;

const std::vector<config::Choice>& patterns() {
  const auto choice = [](std::string_view name, Pattern p, std::string_view doc) {
    return config::Choice{name, static_cast<std::int64_t>(p), doc};
  };
  static const std::vector<config::Choice> all = {
      choice("uniform", Pattern::uniform, "every other rank alike"),
      choice("permutation", Pattern::permutation, "a random permutation without fixed points"),
      choice("transpose", Pattern::transpose, "(x, y) to (y, x)"),
      choice("bit_complement", Pattern::bit_complement, "all bits of the rank inverted"),
      choice("tornado", Pattern::tornado, "nearly half-way round in each dimension"),
      choice("neighbour", Pattern::neighbour, "the next in each dimension"),
      choice("hotspot", Pattern::hotspot, "uniform, but a share to one rank"),
      choice("incast", Pattern::incast, "all to one rank")};
  return all;
}

}  // namespace

void describe(TrafficConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("pattern", c.pattern, patterns(), "who sends to whom");
  d.field("size", c.size, "bytes of a message", within(1_B, 1_GiB));
  d.field("loads", c.loads,
          "offered loads, a row each: \"30 %\" of a rank's injection rate, or a payload rate \"2 GB/s\"");
  d.choice("arrivals", c.arrivals,
           {{"exponential", static_cast<std::int64_t>(Arrivals::exponential), "a Poisson process a rank"},
            {"bernoulli", static_cast<std::int64_t>(Arrivals::bernoulli),
             "a trial each time that a message takes at full rate"}},
           "when a rank posts");
  d.field("warm_up", c.warm_up, "traffic before the window", at_most(1_s));
  d.field("window", c.window, "time that is measured", within(1_ns, 1_s));
  d.field("cool_down", c.cool_down, "traffic behind the window", at_most(1_s));
  d.field("grid", c.grid, "sizes that tornado and neighbour see; none: one dimension", within(1, 1 << 26));
  d.field("target", c.target, "rank that hotspot and incast aim at", within(0, 1'000'000));
  d.field("share", c.share, "share of hotspot's messages that goes to the target", within(0.0, 1.0));
  d.field("seed", c.seed, "seed of this scenario's random streams", at_least(std::int64_t{0}));
  d.require(!c.loads.empty(), "\"loads\" is empty");
  for (const std::string& load : c.loads)
    if (const std::string wrong = load_error(load); !wrong.empty()) d.require(false, wrong);
}

void Traffic::fit(comm::World& w) {
  comm::Communicator& c = w.library();
  if (!c.nonblocking())
    throw config::error_at("/scenario", "open-loop traffic needs a library with non-blocking sends");
  c.expect_no_recv();
  try {
    const auto share = static_cast<std::int64_t>(std::llround(config_.share * 1e6));
    pattern_ = std::make_unique<TrafficPattern>(
        PatternChoice{config_.pattern, config_.grid, config_.target, share, static_cast<std::uint64_t>(config_.seed)},
        c.ranks());
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario", e.what());
  }
  const Rate full = c.injection_rate(config_.size);
  if (full.is_infinite())
    throw config::error_at("/scenario", "the library has no finite injection rate to relate loads to");
  full_rate_gap_ = full.time(config_.size);
  bound_ =
      c.load_bound({[this](int from, int to) { return pattern_->weight(from, to); }, pattern_->whole()}, config_.size);
  for (const std::string& text : config_.loads) {
    const std::int64_t load = parse_load(text).of(full);
    if (load < 1)
      throw config::error_at("/scenario/loads", "\"" + text + "\" is less than a millionth of the injection rate");
    if (load > OfferedLoad::most)
      throw config::error_at("/scenario/loads", "\"" + text + "\" is more than a thousand times the injection rate");
    if (mean_gap(load) > longest_gap.fs())
      throw config::error_at("/scenario/loads",
                             "\"" + text + "\" is less than a message every " + to_string(longest_gap));
    if (config_.arrivals == Arrivals::bernoulli && load > 1'000'000)
      throw config::error_at("/scenario/loads",
                             "\"" + text + "\" is more than the injection rate, which bernoulli arrivals cannot offer");
    loads_.push_back(load);
  }
}

void Traffic::declare(report::Recorder& r, const comm::Communicator&) const {
  r.rate("offered_rate", "offered", "window");
  r.rate("accepted_rate", "accepted", "window");
}

/// One rank's part.
struct Traffic::Sender {
  comm::Rank& rank;
  stats::RandomStream random;
  comm::Buffer buffer;
  flow::Ring<comm::Request> under_way;
};

void Traffic::program(comm::Rank& rank, report::Recorder& r) {
  Sender s{rank,
           {static_cast<std::uint64_t>(config_.seed), "traffic rank " + std::to_string(rank.id())},
           {{}, config_.size, {}, {}},
           {}};
  for (const std::int64_t load : loads_) {
    const Time begin = rank.now() + config_.warm_up;
    rank.meet(start_line_, [&] { measured_.open(begin, begin + config_.window); });
    if (pattern_->sends(rank.id())) one_load(s, load);
    rank.meet(start_line_, [&] {
      report::Row& row = r.row();
      row.count("load_ppm", load);
      if (bound_) row.count("bound_ppm", *bound_);
      measured_.report(row);
    });
  }
}

Wide Traffic::mean_gap(std::int64_t load) const { return static_cast<Wide>(full_rate_gap_.fs()) * 1'000'000 / load; }

Time Traffic::gap(Sender& s, std::int64_t load) const {
  if (config_.arrivals == Arrivals::bernoulli) return full_rate_gap_ * (1 + s.random.failures(load));
  return s.random.exponential(Time::from_fs(static_cast<std::int64_t>(mean_gap(load))));
}

void Traffic::one_load(Sender& s, std::int64_t load) {
  const Time stop = measured_.end() + config_.cool_down;
  for (Time next = s.rank.now() + gap(s, load); next < stop; next += gap(s, load)) {
    s.rank.wait_until(next);
    s.under_way.push_back(s.rank.isend(pattern_->destination(s.rank.id(), s.random), s.buffer));
    measured_.posted(next, config_.size);
    collect(s, false);
  }
  collect(s, true);
}

void Traffic::collect(Sender& s, bool wait) {
  using comm::Milestone;
  for (; !s.under_way.empty(); s.under_way.pop_front()) {
    const comm::Request& first = s.under_way.front();
    if (wait) s.rank.wait(first, Milestone::delivered);
    if (!s.rank.test(first, Milestone::delivered)) return;
    measured_.delivered(first.at(Milestone::posted), first.at(Milestone::delivered), config_.size);
  }
}

std::unique_ptr<Scenario> make_traffic(const config::AnyConfig& c) {
  return std::make_unique<Traffic>(c.as<TrafficConfig>());
}

}  // namespace tsunagi::scenarios
