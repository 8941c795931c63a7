// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "flow/ring.hpp"
#include "scenarios/process_grid.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/traffic/arrivals.hpp"
#include "scenarios/traffic/offered_load.hpp"
#include "scenarios/traffic/traffic_pattern.hpp"
#include "scenarios/traffic/traffic_window.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::scenarios {

namespace {

struct TrafficConfig {
  Pattern pattern = Pattern::uniform;
  Bytes size = 64_B;
  std::vector<std::string> loads = {"10 %"};
  Arrivals arrivals = Arrivals::exponential;
  std::int64_t burst = 8;
  std::vector<std::int64_t> rates;
  Time warm_up = 5_us;
  Time window = 20_us;
  Time cool_down = 2_us;
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> open;
  int distance = 1;
  std::vector<std::string> matrix;
  int target = 0;
  double share = 0.1;
  std::int64_t seed = 1;
};

/// Mean time between the messages, or bursts, of a rank.
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
      choice("bit_reverse", Pattern::bit_reverse, "the bits of the rank backwards"),
      choice("shuffle", Pattern::shuffle, "the bits of the rank rotated left by one"),
      choice("shift", Pattern::shift, "rank r to r + distance"),
      choice("tornado", Pattern::tornado, "nearly half-way round in each dimension"),
      choice("neighbour", Pattern::neighbour, "the next in each dimension"),
      choice("nearest_neighbour", Pattern::nearest_neighbour, "all that are next in some dimension alike"),
      choice("hotspot", Pattern::hotspot, "uniform, but a share to one rank"),
      choice("incast", Pattern::incast, "all to one rank"),
      choice("matrix", Pattern::matrix, "by the weights of \"matrix\"")};
  return all;
}

void describe(TrafficConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("pattern", c.pattern, patterns(), "who sends to whom");
  d.field("size", c.size, "bytes of a message", within(1_B, 1_GiB));
  d.field("loads", c.loads,
          "offered loads, a row each: \"30 %\" of a rank's injection rate, or a payload rate \"2 GB/s\"");
  d.choice(
      "arrivals", c.arrivals,
      {{"exponential", static_cast<std::int64_t>(Arrivals::exponential), "a Poisson process a rank"},
       {"bernoulli", static_cast<std::int64_t>(Arrivals::bernoulli),
        "a trial each time that a message takes at full rate"},
       {"bursts", static_cast<std::int64_t>(Arrivals::bursts), "messages at full rate in bursts, silence between"}},
      "when a rank posts");
  d.field("burst", c.burst, "mean messages of a burst", within(1, 1'000'000));
  d.field("rates", c.rates,
          "rates of ranks against each other, again and again; the largest offers the load; none: all alike",
          within(std::int64_t{0}, std::int64_t{1'000'000}));
  d.field("warm_up", c.warm_up, "traffic before the window", at_most(1_s));
  d.field("window", c.window, "time that is measured", within(1_ns, 1_s));
  d.field("cool_down", c.cool_down, "traffic behind the window", at_most(1_s));
  d.field("grid", c.grid, "sizes that tornado and neighbours see; none: as the machine lies, else one dimension",
          within(1, 1 << 26));
  d.field("open", c.open, "dimensions, counted from 0, beyond whose ends nearest_neighbour has nobody", within(0, 63));
  d.field("distance", c.distance, "of shift", within(0, 1'000'000'000));
  d.field(
      "matrix", c.matrix,
      "a text a sending rank: its destinations' weights, a number each, blanks between them; the largest row offers "
      "the load");
  d.field("target", c.target, "rank that hotspot and incast aim at", within(0, 1'000'000));
  d.field("share", c.share, "share of hotspot's messages that goes to the target", within(0.0, 1.0));
  d.field("seed", c.seed, "seed of this scenario's random streams", at_least(std::int64_t{0}));
  d.require(!c.loads.empty(), "\"loads\" is empty");
  d.require(c.matrix.empty() || c.pattern == Pattern::matrix, "\"matrix\" is for pattern \"matrix\"");
  d.require(!c.matrix.empty() || c.pattern != Pattern::matrix, "pattern \"matrix\" needs a \"matrix\"");
  d.require(c.rates.empty() || c.pattern != Pattern::matrix, "a \"matrix\" says itself what ranks offer: no \"rates\"");
  for (const std::string& load : c.loads)
    if (const std::string wrong = load_error(load); !wrong.empty()) d.require(false, wrong);
}

/// Open-loop traffic: every rank posts messages of one size at random times, whatever became of the ones before.
/// One row an offered load (in a million parts of the rate at which a rank can send when it meets nobody), beside it
/// the load at which the busiest wire of the routes is full: bytes offered and accepted by all ranks within the window,
/// and latencies from posting to the last byte's arrival. Ranks post from the start of the warm-up to the end of the
/// cool-down, so that the last measured messages meet traffic, too; then the network drains, and the next load starts
/// in an empty one.
class Traffic final : public Scenario {
 public:
  explicit Traffic(TrafficConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override { return config_.size; }
  void fit(comm::World& w) override;
  bool bears_loss() const override { return true; }
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  struct Sender;
  void one_load(Sender& s, std::int64_t load);
  void collect(Sender& s, bool wait);
  void set_pattern(int ranks);
  /// In a million parts of the injection rate. Throws config::ConfigError if ranks cannot offer it.
  std::int64_t load_of(const std::string& text, Rate full) const;
  Time longest_mean() const;
  ArrivalRate arrivals(std::int64_t load, std::int64_t share) const;

  TrafficConfig config_;
  std::unique_ptr<TrafficPattern> pattern_;
  std::vector<std::int64_t> loads_;    // in a million
  Time slot_;                          // between messages at full injection rate
  std::optional<std::int64_t> bound_;  // of the load, in a million
  bool loses_ = false;                 // the library may lose messages
  TrafficWindow measured_;
  comm::StartLine start_line_;
};

void Traffic::fit(comm::World& w) {
  comm::Library& c = w.library();
  const auto* sends = c.facet<comm::NonBlockingSends>();
  if (sends == nullptr)
    throw config::error_at("/scenario", "open-loop traffic needs a library with non-blocking sends");
  sends->check_isend(0, 1, {{}, config_.size, {}, {}});
  c.expect_no_recv();
  loses_ = !c.delivers();
  if (config_.grid.empty()) config_.grid = box_of(w.box(), c.ranks());
  set_pattern(c.ranks());
  const Rate full = c.injection_rate(config_.size);
  if (full.is_infinite())
    throw config::error_at("/scenario", "the library has no finite injection rate to relate loads to");
  slot_ = full.time(config_.size);
  if (checked_product(pattern_->whole(), c.ranks()))  // else nobody can add them up
    bound_ = c.load_bound({[this](int from, int to) { return pattern_->weight(from, to); }, pattern_->whole()},
                          config_.size);
  for (const std::string& text : config_.loads) loads_.push_back(load_of(text, full));
}

void Traffic::set_pattern(int ranks) {
  try {
    const auto share = static_cast<std::int64_t>(std::llround(config_.share * 1e6));
    const auto seed = static_cast<std::uint64_t>(config_.seed);
    pattern_ =
        std::make_unique<TrafficPattern>(PatternChoice{config_.pattern, config_.grid, config_.target, share, seed,
                                                       config_.distance, config_.open, config_.matrix, config_.rates},
                                         ranks);
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario", e.what());
  }
}

std::int64_t Traffic::load_of(const std::string& text, Rate full) const {
  const auto refuse = [&](const std::string& why) {
    throw config::error_at("/scenario/loads", config::in_quotes(text) + " is " + why);
  };
  const std::int64_t load = parse_load(text).of(full);
  if (load < 1) refuse("less than a millionth of the injection rate");
  if (load > OfferedLoad::most) refuse("more than a thousand times the injection rate");
  const bool bursts = config_.arrivals == Arrivals::bursts;
  const Time longest = longest_mean();
  if (arrivals(load, pattern_->least_share()).mean_gap() * (bursts ? config_.burst : 1) > longest.fs())
    refuse((bursts ? "less than a burst every " : "less than a message every ") + to_string(longest) +
           (pattern_->least_share() < TrafficPattern::whole_share ? " of the rank that sends least" : ""));
  if (config_.arrivals == Arrivals::bernoulli && load > OfferedLoad::whole)
    refuse("more than the injection rate, which bernoulli arrivals cannot offer");
  if (bursts && load > ArrivalProcess::most_of_bursts(config_.burst)) {
    const std::string share = std::to_string(config_.burst) + "/" + std::to_string(config_.burst + 1);
    refuse("more than " + share + " of the injection rate, which bursts of " + std::to_string(config_.burst) +
           " on average, and the gaps between them, cannot offer");
  }
  return load;
}

/// Between the messages, or bursts, of a rank. A longer one's random gaps might not fit a Time, or its trials take
/// hours.
Time Traffic::longest_mean() const {
  constexpr std::int64_t most_trials = 10'000'000;
  if (config_.arrivals == Arrivals::exponential || slot_.fs() > longest_gap.fs() / most_trials) return longest_gap;
  return slot_ * most_trials;
}

ArrivalRate Traffic::arrivals(std::int64_t load, std::int64_t share) const {
  return {slot_, load, share, config_.burst};
}

void Traffic::declare(report::Recorder& r, const comm::Library&) const {
  r.rate("offered_rate", "offered", "window");
  r.rate("accepted_rate", "accepted", "window");
}

/// One rank's part.
struct Traffic::Sender {
  comm::Rank& rank;
  stats::RandomStream random;
  comm::Buffer buffer;
  struct Posted {
    comm::Request request;
    int to;
    Time due;  // which the library may have kept the rank from
  };
  flow::Ring<Posted> under_way;
};

void Traffic::program(comm::Rank& rank, report::Recorder& r) {
  Sender s{rank,
           {static_cast<std::uint64_t>(config_.seed), "traffic rank " + std::to_string(rank.id())},
           {{}, config_.size, {}, {}},
           {}};
  for (const std::int64_t load : loads_) {
    const Time begin = rank.now() + config_.warm_up;
    rank.meet(start_line_, [&] {
      measured_.open(begin, begin + config_.window, rank.size());
      if (loses_) measured_.count_losses();
      r.begin_account();
      r.measure_wires(begin, measured_.end());
    });
    if (pattern_->sends(rank.id())) one_load(s, load);
    rank.meet(start_line_, [&] {
      report::Row& row = r.row();
      row.count("load_ppm", load);
      if (bound_) row.count("bound_ppm", *bound_);
      measured_.report(row, [this](int sender) { return pattern_->share(sender); });
    });
  }
}

void Traffic::one_load(Sender& s, std::int64_t load) {
  const Time stop = measured_.end() + config_.cool_down;
  ArrivalProcess process(config_.arrivals, arrivals(load, pattern_->share(s.rank.id())));
  for (Time next = s.rank.now() + process.gap(s.random); next < stop; next += process.gap(s.random)) {
    s.rank.wait_until(next);
    const int to = pattern_->destination(s.rank.id(), s.random);
    s.under_way.push_back({s.rank.isend(to, s.buffer), to, next});
    measured_.posted(s.rank.id(), to, next, config_.size);
    collect(s, false);
  }
  collect(s, true);
}

void Traffic::collect(Sender& s, bool wait) {
  using comm::Milestone;
  for (; !s.under_way.empty(); s.under_way.pop_front()) {
    const auto& [first, to, due] = s.under_way.front();
    if (wait) s.rank.wait_settled(first);
    if (s.rank.test(first, Milestone::lost)) {
      measured_.lost(s.rank.id(), to, due, first.at(Milestone::lost), config_.size);
      continue;
    }
    if (!s.rank.test(first, Milestone::delivered)) return;
    measured_.delivered(s.rank.id(), to, due, first.at(Milestone::delivered), config_.size);
  }
}

}  // namespace

ScenarioKind traffic_scenario() {
  return scenario<Traffic, TrafficConfig>(
      "traffic", "open-loop synthetic traffic: latency and accepted load a row of offered load");
}

}  // namespace tsunagi::scenarios
