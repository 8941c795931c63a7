// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/collectives/catalog.hpp"
#include "comm/window.hpp"
#include "config/error_at.hpp"
#include "scenarios/process_grid.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

enum class HaloBy : std::uint8_t { messages, window };

/// How ranks lie that nobody gave a grid.
enum class HaloLayout : std::uint8_t { even, network };

struct HaloExchangeConfig {
  HaloBy by = HaloBy::messages;
  std::vector<std::int64_t> grid;
  HaloLayout layout = HaloLayout::even;
  std::vector<Bytes> faces = {64_KiB};
  std::vector<std::int64_t> scales = {1};
  std::vector<std::int64_t> open;
  bool packing = true;
  std::string memory;
  Time compute;
  bool overlap = false;
  Bytes reduction;
  int ranks = 0;
  int iterations = 5;
  int warm_up = 1;
};

constexpr std::int64_t most_scale = 1 << 20;
constexpr std::size_t most_dimensions = 4;

void describe(HaloExchangeConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("by", c.by,
           {{"messages", static_cast<std::int64_t>(HaloBy::messages), "sends and receives"},
            {"window", static_cast<std::int64_t>(HaloBy::window),
             "puts into the neighbours' windows, in epochs that these post and wait for"}},
           "how faces get to the neighbours");
  d.field("grid", c.grid, "ranks in each of up to four dimensions, the first running fastest; none: as \"layout\" says",
          within(1, 1 << 20));
  d.choice("layout", c.layout,
           {{"even", static_cast<std::int64_t>(HaloLayout::even),
             "two dimensions, or as many as there are faces, as nearly equal as can be, whatever the network"},
            {"network", static_cast<std::int64_t>(HaloLayout::network), "as the machine's network lies, else even"}},
           "how ranks lie without a \"grid\"");
  d.field("faces", c.faces, "bytes of a face in each dimension; one: in all of them", within(1_B, largest_given));
  d.field("scales", c.scales, "all faces times that, a row each", within(std::int64_t{1}, most_scale));
  d.field("open", c.open, "dimensions, counted from 0, whose ends do not meet; the others are periodic", within(0, 3));
  d.field("packing", c.packing, "the processor copies faces together before they are sent, and apart behind that");
  d.field("memory", c.memory, "where faces lie, as the library names places (\"gpu0\"); none: host memory");
  d.field("compute", c.compute, "computation of each rank in an iteration", at_most(10_s));
  d.field("overlap", c.overlap, "computation while messages are under way, else behind them");
  d.field("reduction", c.reduction, "bytes that all ranks reduce and get behind each iteration; 0: nothing",
          within(0_B, largest_given));
  describe_ranks(d, c.ranks);
  d.field("iterations", c.iterations, "iterations that are timed", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "iterations before that", within(0, 1'000'000));
  d.require(c.grid.empty() || c.layout == HaloLayout::even, "\"layout\" is of ranks without a \"grid\"");
  d.require(comm::is_host(c.memory) || c.by == HaloBy::messages, "\"memory\" is of messages alone, not of windows");
  d.require(c.grid.size() <= most_dimensions, "\"grid\" has more than four dimensions");
  d.require(!c.scales.empty(), "\"scales\" is empty");
  const std::size_t most = c.grid.empty() ? most_dimensions : c.grid.size();
  const bool some = c.grid.empty() && !c.faces.empty() && c.faces.size() <= most;
  d.require(some || c.faces.size() == 1 || c.faces.size() == most,
            "\"faces\" has " + std::to_string(c.faces.size()) + " entries for " + (c.grid.empty() ? "up to " : "") +
                std::to_string(most) + " dimensions");
}

/// Ranks that own the parts of a grid of up to four dimensions (as lattice QCD and stencil codes do) send their faces
/// to their neighbours, compute, and may reduce something. Iterations follow each other without a barrier. Faces go by
/// the library of halo exchanges, where a run has one, reductions by the other. A row a scale: the mean time of an
/// iteration up to the end of the last rank, what of it is not computation, the most bytes of faces that a rank sends
/// in an iteration; the grid, if nobody gave it. Which faces arrive is checked every time.
class HaloExchange final : public Scenario {
 public:
  explicit HaloExchange(HaloExchangeConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  void place(const comm::World& w) override;
  Bytes footprint(int ranks) const override;
  Bytes scratch(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// One of the two sides of a rank in a dimension.
  struct Side {
    int dimension = 0;
    bool up = false;
    std::optional<int> peer;
    comm::Buffer face;
    comm::Buffer halo;  // where the peer's face goes to
    // What is sent and received: with packing copies of these, which lie together.
    comm::Buffer out;
    comm::Buffer in;
    int send_tag() const { return 2 * dimension + (up ? 0 : 1); }
    int receive_tag() const { return 2 * dimension + (up ? 1 : 0); }
  };
  Bytes face(int dimension) const;
  int dimensions() const { return static_cast<int>(config_.grid.size()); }
  std::vector<Side> sides_of(int rank, std::int64_t scale) const;
  /// What a rank sends to others in an iteration.
  Bytes sent(int rank, std::int64_t scale) const;
  /// What is reduced behind an iteration.
  comm::CollectiveCall reduction(int ranks) const;
  void fit_reduction(comm::World& w, int ranks);
  void reduce(comm::Rank& rank, int ranks) const;
  /// A rank's part: its group, its window if there is one, and what it exchanges.
  struct Part {
    comm::Group& group;
    comm::Window* window;
    std::int64_t scale;
    std::vector<Side> sides;
  };
  void iteration(comm::Rank& rank, const Part& p, std::uint64_t number) const;
  void exchange(comm::Rank& rank, const Part& p) const;
  /// Starts to send the faces; returns what ends that.
  std::function<void()> send_by_messages(comm::Rank& rank, const Part& p) const;
  std::function<void()> put_into_windows(comm::Rank& rank, const Part& p) const;
  void report(report::Row& row, int ranks, std::int64_t scale, Time total) const;

  HaloExchangeConfig config_;
  bool placed_ = false;  // nobody gave the grid: rows say how
  std::optional<ProcessGrid> grid_;
  Bytes scratch_;  // of a reduction
  Time begin_;
  comm::StartLine line_;
};

Bytes HaloExchange::face(int dimension) const {
  return config_.faces[config_.faces.size() == 1 ? 0 : static_cast<std::size_t>(dimension)];
}

Bytes HaloExchange::footprint(int) const {
  const std::int64_t scale = *std::max_element(config_.scales.begin(), config_.scales.end());
  Bytes out;
  for (int d = 0; d < dimensions(); ++d) out += many(face(d), 2 * (config_.packing ? 4 : 2) * scale);
  return out + many(config_.reduction, 2);
}

comm::CollectiveCall HaloExchange::reduction(int ranks) const {
  comm::CollectiveCall c;
  c.kind = comm::Collective::allreduce;
  const Bytes begin = footprint(ranks) - config_.reduction * 2;
  c.in = {begin, config_.reduction, {}, {}};
  c.out = {begin + config_.reduction, config_.reduction, {}, {}};
  return c;
}

Bytes HaloExchange::scratch(int ranks) const {
  const int n = taking_part(config_.ranks, ranks);
  return config_.by == HaloBy::messages ? scratch_ : std::max(scratch_, comm::Window::scratch(n, 2 * dimensions()));
}

/// Before time 0: whether the library can reduce, and how much memory that takes.
void HaloExchange::fit_reduction(comm::World& w, int ranks) {
  expect_messages(w, config_.ranks);
  const comm::CollectiveCall c = reduction(w.library().ranks());
  comm::Means means = comm::means(w, w.groups().first(ranks)->ranks, c);
  means.scratch = largest_given;
  try {
    comm::choose(ranks, c, {}, means);
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario/reduction", e.what());
  }
  scratch_ = comm::scratch_need(ranks, c, {}, means);
}

void HaloExchange::place(const comm::World& w) {
  placed_ = config_.grid.empty();
  if (!placed_) return;
  const int all = w.library().ranks();
  const int faces = config_.faces.size() == 1 ? 0 : static_cast<int>(config_.faces.size());
  const std::vector<std::int64_t> box = config_.layout == HaloLayout::network ? w.box() : std::vector<std::int64_t>();
  config_.grid = grid_of(box, taking_part(config_.ranks, all), all, faces, most_dimensions);
}

void HaloExchange::fit(comm::World& whole) {
  comm::World& w = whole.halo();
  expect_messages(w, config_.ranks);
  const int ranks = taking_part(config_.ranks, w.library().ranks());
  if (config_.reduction > Bytes::zero()) fit_reduction(whole, ranks);
  try {
    grid_.emplace(config_.grid, config_.open, ranks);
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario/grid", e.what());
  }
  if (config_.by == HaloBy::window) return expect_windows(w);
  const std::int64_t scale = *std::max_element(config_.scales.begin(), config_.scales.end());
  Bytes largest;
  for (int d = 0; d < dimensions(); ++d) largest = std::max(largest, face(d) * scale);
  expect_sends_first(w, {{}, largest, config_.memory, {}}, 2 * dimensions(), 1);
  if (comm::is_host(config_.memory)) return;
  for (int rank = 0; rank < ranks; ++rank)
    for (const Side& s : sides_of(rank, scale))
      w.library().check_message(rank, *s.peer, {{}, footprint(ranks), config_.memory, {}, config_.memory});
}

void HaloExchange::declare(report::Recorder& r, const comm::Library&) const { r.rate("bandwidth", "bytes", "time"); }

std::vector<HaloExchange::Side> HaloExchange::sides_of(int rank, std::int64_t scale) const {
  std::vector<Side> out;
  Bytes end;
  const auto buffer = [&](Bytes n) {
    const comm::Buffer b{end, n, config_.memory, {}};
    end += n;
    return b;
  };
  for (int d = 0; d < dimensions(); ++d)
    for (const bool up : {true, false}) {
      const Bytes n = face(d) * scale;
      Side s{d, up, grid_->neighbour(rank, d, up ? 1 : -1), buffer(n), buffer(n), {}, {}};
      s.out = config_.packing ? buffer(n) : s.face;
      s.in = config_.packing ? buffer(n) : s.halo;
      if (s.peer) out.push_back(s);
    }
  return out;
}

Bytes HaloExchange::sent(int rank, std::int64_t scale) const {
  Bytes out;
  for (const Side& s : sides_of(rank, scale))
    if (*s.peer != rank) out += s.face.size;
  return out;
}

void HaloExchange::program(comm::Rank& rank, report::Recorder& r) {
  const int ranks = taking_part(config_.ranks, rank.size());
  if (rank.id() >= ranks) return;
  comm::Rank faces = rank.halo();
  comm::Group group = faces.first(ranks);
  const std::unique_ptr<comm::Window> window =
      config_.by == HaloBy::window ? group.window({{}, footprint(ranks), {}, {}}) : nullptr;
  std::uint64_t number = 0;
  for (const std::int64_t scale : config_.scales) {
    const Part part{group, window.get(), scale, sides_of(rank.id(), scale)};
    for (int i = -config_.warm_up; i < config_.iterations; ++i) {
      if (i == 0)
        rank.meet(line_, ranks, [&] {
          begin_ = rank.now();
          r.begin_account();
        });
      iteration(faces, part, number++);
      if (config_.reduction > Bytes::zero()) reduce(rank, ranks);
    }
    rank.meet(line_, ranks, [&] { report(r.row(), ranks, scale, rank.now() - begin_); });
  }
}

void HaloExchange::reduce(comm::Rank& rank, int ranks) const {
  const comm::CollectiveCall c = reduction(rank.size());
  rank.ledger()->fill(rank.id(), c.in, "what is reduced");
  rank.change_library();
  rank.first(ranks).allreduce(c.in, c.out);
  rank.change_library();
}

/// As what the ledger knows the face of a rank.
std::string face_of(int rank, int dimension, bool up) {
  return "the " + std::string(up ? "upper" : "lower") + " face in dimension " + std::to_string(dimension) +
         " of rank " + std::to_string(rank);
}

void HaloExchange::iteration(comm::Rank& rank, const Part& p, std::uint64_t number) const {
  const std::vector<Side>& sides = p.sides;
  comm::Ledger& ledger = *rank.ledger();
  Bytes moved;
  for (const Side& s : sides) {
    if (*s.peer != rank.id()) moved += s.face.size;
    ledger.fill(rank.id(), s.in, "what was there before");
    ledger.fill(rank.id(), s.halo, "what was there before");
    ledger.fill(rank.id(), s.face, face_of(rank.id(), s.dimension, s.up));
  }
  p.group.together("halo exchange", number, moved, [&] {
    exchange(rank, p);
    if (!config_.overlap) rank.compute(config_.compute);
  });
  for (const Side& s : sides)
    ledger.expect(rank.id(), s.halo, face_of(*s.peer, s.dimension, !s.up), {}, "halo_exchange");
}

std::function<void()> HaloExchange::send_by_messages(comm::Rank& rank, const Part& p) const {
  std::vector<comm::Request> all;
  for (const Side& s : p.sides)
    if (*s.peer != rank.id()) all.push_back(p.group.irecv(*s.peer, s.receive_tag(), s.in));
  for (const Side& s : p.sides) {
    if (*s.peer == rank.id()) continue;
    if (config_.packing) rank.copy(s.out, s.face);
    all.push_back(p.group.isend(*s.peer, s.send_tag(), s.out));
  }
  return [&p, all] { p.group.wait_all(all); };
}

std::function<void()> HaloExchange::put_into_windows(comm::Rank& rank, const Part& p) const {
  std::vector<int> peers;
  for (const Side& s : p.sides)
    if (*s.peer != rank.id() && std::count(peers.begin(), peers.end(), *s.peer) == 0) peers.push_back(*s.peer);
  p.window->post(peers);
  p.window->start(peers);
  for (const Side& s : p.sides) {
    if (*s.peer == rank.id()) continue;
    if (config_.packing) rank.copy(s.out, s.face);
    const std::vector<Side> theirs = sides_of(*s.peer, p.scale);
    const auto there = std::find_if(theirs.begin(), theirs.end(),
                                    [&](const Side& t) { return t.dimension == s.dimension && t.up != s.up; });
    p.window->put(*s.peer, there->in.offset, s.out);
  }
  return [&p] {
    p.window->complete();
    p.window->wait();
  };
}

void HaloExchange::exchange(comm::Rank& rank, const Part& p) const {
  const std::vector<Side>& sides = p.sides;
  const auto distant = [&](const Side& s) { return *s.peer != rank.id(); };
  const std::function<void()> end = p.window == nullptr ? send_by_messages(rank, p) : put_into_windows(rank, p);
  // In a periodic dimension of one rank its own other face lies beside each.
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (!distant(sides[i])) rank.copy(sides[i].halo, sides[sides[i].up ? i + 1 : i - 1].face);
  if (config_.overlap) rank.compute(config_.compute);
  end();
  if (!config_.packing) return;
  for (const Side& s : sides)
    if (distant(s)) rank.copy(s.halo, s.in);
}

void HaloExchange::report(report::Row& row, int ranks, std::int64_t scale, Time total) const {
  Bytes most;
  for (int i = 0; i < ranks; ++i) most = std::max(most, sent(i, scale));
  const Time each = Time::from_fs(total / Time::from_fs(config_.iterations));
  row.count("ranks", ranks);
  if (placed_) row.text("grid", grid_text(config_.grid));
  row.bytes("bytes", most).time("time", each).time("exposed", each - config_.compute);
  row.headline({"time", "the time of an iteration"});
}

}  // namespace

ScenarioKind halo_exchange_scenario() {
  return scenario<HaloExchange, HaloExchangeConfig>(
      "halo_exchange", "faces to the neighbours in a grid of ranks, and computation: time an iteration");
}

}  // namespace tsunagi::scenarios
