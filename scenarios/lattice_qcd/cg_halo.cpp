// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/rma_queue.hpp"
#include "config/error_at.hpp"
#include "scenarios/lattice_qcd/face_layout.hpp"
#include "scenarios/lattice_qcd/lattice.hpp"
#include "scenarios/lattice_qcd/staged_faces.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::scenarios {

namespace {

/// Which rank is at which place of the grid.
enum class Mapping : std::uint8_t { natural, best };

struct CgHaloConfig {
  std::vector<std::int64_t> lattice = {8, 8, 8, 8};
  std::vector<std::int64_t> grid = {2, 1, 1, 1};
  Mapping mapping = Mapping::natural;
  std::vector<std::int64_t> ranks_at;
  Precision precision = Precision::single;
  comm::RmaBy by = comm::RmaBy::puts;
  std::string method;
  std::string gpu = "gpu0";
  bool staged = false;
  bool overlap = true;
  int iterations = 5;
  int warm_up = 2;
};

constexpr int dimensions = 4;
constexpr int windows = 2;  // a dslash's faces come while those of the one before may still be read
constexpr int dslashes = 4;
constexpr int main_stream = 0;

Lattice lattice_of(const CgHaloConfig& c) {
  try {
    return {c.lattice, c.grid, c.precision};
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario/lattice", e.what());
  }
}

std::string face_of(int rank, const char* side, int dimension, std::uint64_t number) {
  return "the " + std::string(side) + " face in dimension " + std::to_string(dimension) + " of rank " +
         std::to_string(rank) + ", dslash " + std::to_string(number);
}

const char* side_name(bool up) { return up ? "upper" : "lower"; }

void describe(CgHaloConfig& c, config::Describer& d) {
  using namespace config;
  d.field("lattice", c.lattice, "sites in x, y, z and t", within(2, 1 << 12));
  d.field("grid", c.grid, "ranks in x, y, z and t, x running fastest", within(1, 1 << 12));
  d.choice("mapping", c.mapping,
           {{"natural", static_cast<std::int64_t>(Mapping::natural), "ranks in their order"},
            {"best", static_cast<std::int64_t>(Mapping::best),
             "so that no swap of two ranks lessens what a halo moves, in bytes times cables (prepared puts)"}},
           "which rank is at which place of the grid, unless \"ranks_at\" says it");
  d.field("ranks_at", c.ranks_at, "the rank at each place of the grid; none: as \"mapping\" says", within(0, 1 << 20));
  d.choice("precision", c.precision,
           {{"single", static_cast<std::int64_t>(Precision::single), "reals of 4 B"},
            {"double", static_cast<std::int64_t>(Precision::double_precision), "reals of 8 B"}},
           "of the vectors");
  d.choice("by", c.by,
           {{"puts", static_cast<std::int64_t>(comm::RmaBy::puts), "prepared puts with notices"},
            {"window", static_cast<std::int64_t>(comm::RmaBy::window), "puts into windows (MPI-3 RMA)"},
            {"messages", static_cast<std::int64_t>(comm::RmaBy::messages), "persistent sends and receives"}},
           "how faces get to the neighbours");
  d.field("method", c.method, "the library's way to prepare puts; none: its default");
  d.field("gpu", c.gpu, "the GPU that computes, as the library names it");
  d.field("staged", c.staged,
          "faces of messages go by way of host memory, to where the program has them copied (QUDA 0.6.0)");
  d.field("overlap", c.overlap, "the interior is computed while faces are under way, else behind them");
  d.field("iterations", c.iterations, "iterations that are timed", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "iterations before that", within(0, 1'000'000));
  d.require(c.lattice.size() == dimensions && c.grid.size() == dimensions,
            "\"lattice\" and \"grid\" have four entries: x, y, z and t");
  d.require(!c.staged || c.by == comm::RmaBy::messages, "\"staged\" is for faces that go by messages");
}

/// Iterations of the conjugate gradient method on the normal operator of even-odd preconditioned Wilson fermions, as
/// QUDA runs them (0.6.0, read in its source; paper 001): four times a dslash, two reductions, three kernels on
/// vectors. A dslash packs all faces by one kernel, has the interior computed behind it in the same stream, exchanges
/// the faces when they are packed, and then computes the boundary, a kernel a partitioned dimension. Faces lie in a GPU
/// and go by the library of halo exchanges (from there, or by way of host memory: StagedFaces), reductions of one and
/// two doubles in host memory by the other one. One row: times of an iteration, means up to the end of the last rank.
/// The halo of staged faces begins when their copies have been queued, before they are packed: QUDA does not wait in
/// between.
class CgHalo final : public Scenario {
 public:
  explicit CgHalo(CgHaloConfig c);
  int ranks() const override { return lattice_.ranks(); }
  Bytes footprint(int ranks) const override;
  Bytes scratch(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// What a rank's program has.
  struct Part;
  comm::CollectiveCall reduction(Bytes size) const;
  void fit_reduction(comm::World& w);
  void fill(comm::RmaQueue& q, const std::vector<FaceLayout::Side>& sides) const;
  void iteration(Part& p) const;
  void dslash(Part& p, int number) const;
  void exchange(Part& p) const;
  /// Runs `body`, which gets all faces to where they belong, and notes what it took.
  template <class F>
  void halo(Part& p, const F& body) const;
  void expect_faces(Part& p) const;
  std::vector<StagedFaces::Direction> directions_of(int rank) const;
  comm::Buffer ghost(const Part& p, const FaceLayout::Side& s) const;
  void check_staged(comm::World& w, int rank) const;
  void check_puts(comm::Library& c);
  void reduce(Part& p, Bytes size) const;
  void report(report::Row& row) const;

  CgHaloConfig config_;
  Lattice lattice_;
  FaceLayout layout_;
  Bytes scratch_;  // of a reduction
  Bytes cache_;    // of a GPU
  Time begin_;
  comm::StartLine line_;
  // Of all ranks together, behind the warm-up.
  Time total_;
  Time halo_;
  Time exposed_;
  Time reduced_;
  Time commit_;
  std::int64_t stores_ = 0;  // of one commit, the most
};

CgHalo::CgHalo(CgHaloConfig c)
    : config_(std::move(c)), lattice_(lattice_of(config_)), layout_(lattice_, config_.grid) {}

Bytes CgHalo::footprint(int) const { return layout_.size() * (1 + windows) + 32_B; }

comm::CollectiveCall CgHalo::reduction(Bytes size) const {
  comm::CollectiveCall c;
  c.kind = comm::Collective::allreduce;
  const Bytes begin = footprint(ranks()) - 32_B;
  c.in = {begin, size, {}, {}};
  c.out = {begin + 16_B, size, {}, {}};
  return c;
}

Bytes CgHalo::scratch(int) const { return std::max(scratch_, comm::Window::scratch(ranks(), 2 * dimensions)); }

void CgHalo::fit_reduction(comm::World& w) {
  const comm::CollectiveCall c = reduction(16_B);
  comm::Means means = comm::means(w, w.groups().first(ranks())->ranks, c);
  means.scratch = largest_given;
  scratch_ = comm::scratch_need(ranks(), c, {}, means);
}

void CgHalo::check_puts(comm::Library& c) {
  if (c.facet<comm::Puts>() == nullptr) throw config::error_at("/scenario/by", "the library has no prepared puts");
  const std::vector<std::string> known = c.facet<comm::Puts>()->methods();
  if (config_.method.empty()) config_.method = known.front();
  if (std::find(known.begin(), known.end(), config_.method) == known.end())
    throw config::error_at("/scenario/method", "the library does not prepare puts by \"" + config_.method + "\"");
  for (int rank = 0; rank < ranks(); ++rank) {
    // Both windows together, and each face with a notice, which are a few descriptors more than are written.
    std::vector<comm::Put> all;
    for (const FaceLayout::Side& s : layout_.sides_of(rank))
      for (int i = 1; i <= windows; ++i) {
        all.push_back({s.peer, {config_.gpu, s.face}, {config_.gpu, layout_.size() * i + s.halo}, s.size});
        all.back().notify = true;
      }
    if (!all.empty()) c.facet<comm::Puts>()->check(rank, all, config_.method);
  }
}

void CgHalo::check_staged(comm::World& w, int rank) const {
  for (const StagedFaces::Direction& d : directions_of(rank)) {
    w.library().check_message(rank, d.to, {{}, footprint(ranks()), {}, {}});
    w.library().facet<comm::Streams>()->check_copy(rank, {config_.gpu, d.gather_stream()}, d.gathered(config_.gpu));
    w.library().facet<comm::Streams>()->check_copy(rank, {config_.gpu, d.scatter_stream()}, d.scattered(config_.gpu));
  }
}

void CgHalo::fit(comm::World& whole) {
  comm::World& w = whole.halo();
  comm::Library& c = w.library();
  expect_messages(w, ranks());
  expect_messages(whole, ranks());
  try {
    layout_.place(config_.ranks_at);
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario/ranks_at", e.what());
  }
  fit_reduction(whole);
  if (c.facet<comm::Streams>() == nullptr)
    throw config::error_at("/scenario", "the library queues no work in GPUs, of which this program's consists");
  for (int rank = 0; rank < ranks(); ++rank) c.facet<comm::Streams>()->check(rank, {config_.gpu, main_stream});
  const comm::Streams::Device gpu = c.facet<comm::Streams>()->device(0, config_.gpu);
  cache_ = gpu.cache;
  if (lattice_.memory() > gpu.memory)
    throw config::error_at("/scenario/lattice", "links and vectors of a rank take " + to_string(lattice_.memory()) +
                                                    " of \"" + config_.gpu + "\", which has " + to_string(gpu.memory));
  if (config_.mapping == Mapping::best && config_.ranks_at.empty() && c.facet<comm::Puts>() != nullptr)
    layout_.place_near(*c.facet<comm::Puts>());
  if (config_.by == comm::RmaBy::puts) check_puts(c);
  if (config_.by == comm::RmaBy::window) expect_windows(w);
  if (config_.by == comm::RmaBy::messages) expect_tags(w, 2 * dimensions);
  for (int rank = 0; rank < ranks() && config_.by != comm::RmaBy::puts; ++rank) {
    comm::Buffer all{{}, footprint(ranks()), config_.gpu, {}, config_.gpu};
    all.of_window = config_.by == comm::RmaBy::window;
    if (config_.staged)
      check_staged(w, rank);
    else
      for (const FaceLayout::Side& s : layout_.sides_of(rank)) c.check_message(rank, s.peer, all);
  }
}

void CgHalo::declare(report::Recorder&, const comm::Library&) const {}

struct CgHalo::Part {
  comm::Rank& rank;
  comm::Rank halo;
  std::vector<FaceLayout::Side> sides;
  comm::Stream main;
  std::vector<std::unique_ptr<comm::RmaWindow>> window = {};
  std::vector<std::unique_ptr<comm::RmaQueue>> queue = {};
  std::unique_ptr<StagedFaces> staged = {};
  std::uint64_t dslash = 0;  // times that it was applied
  comm::StreamEvent packed = {};
  comm::StreamEvent inside = {};
  Time computed = {};  // the interior; max: not yet
  // Since the warm-up:
  Time in_halo = {};
  Time exposed = {};
  Time in_reductions = {};
  std::size_t turn() const { return dslash % windows; }
};

std::vector<StagedFaces::Direction> CgHalo::directions_of(int rank) const {
  std::vector<StagedFaces::Direction> out;
  const std::vector<FaceLayout::Side> sides = layout_.sides_of(rank);
  // As QUDA asks: the last dimension first, upwards before downwards.
  for (int d = dimensions - 1; d >= 0; --d)
    for (const bool up : {true, false}) {
      const auto at = [&](bool wanted) {
        return std::find_if(sides.begin(), sides.end(),
                            [&](const FaceLayout::Side& s) { return s.dimension == d && s.up == wanted; });
      };
      const auto to = at(up);
      const auto from = at(!up);
      if (to == sides.end()) continue;
      out.push_back({d, up, to->peer, from->peer, to->send_tag(), to->size, to->face, layout_.size() + from->halo});
    }
  return out;
}

void CgHalo::fill(comm::RmaQueue& q, const std::vector<FaceLayout::Side>& sides) const {
  for (const FaceLayout::Side& s : sides) {
    // At the peer the face is what comes from the other side.
    const auto theirs = layout_.sides_of(s.peer);
    const auto there = std::find_if(theirs.begin(), theirs.end(), [&](const FaceLayout::Side& t) {
      return t.dimension == s.dimension && t.up != s.up;
    });
    q.push({s.peer, s.send_tag(), {s.face, s.size, config_.gpu, {}}, there->halo});
    q.add_origin({s.peer, s.receive_tag(), s.halo, s.size});
  }
}

void CgHalo::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() >= ranks()) return;
  Part p{rank, rank.halo(), layout_.sides_of(rank.id()), {config_.gpu, main_stream}};
  if (config_.staged)
    p.staged = std::make_unique<StagedFaces>(p.halo, ranks(), config_.gpu, directions_of(rank.id()));
  else if (!p.sides.empty())
    for (int i = 1; i <= windows; ++i) {
      const comm::Buffer mine{layout_.size() * i, layout_.size(), config_.gpu, {}};
      p.window.push_back(std::make_unique<comm::RmaWindow>(p.halo, ranks(), mine, config_.by));
      p.queue.push_back(std::make_unique<comm::RmaQueue>(p.halo, *p.window.back(), config_.method));
      fill(*p.queue.back(), p.sides);
      const Time begin = rank.now();
      p.queue.back()->commit();
      if (i > 1) continue;
      commit_ += rank.now() - begin;
      stores_ = std::max(stores_, p.queue.back()->stores());
    }
  for (int i = -config_.warm_up; i < config_.iterations; ++i) {
    if (i == 0) {
      p.in_halo = p.exposed = p.in_reductions = Time::zero();
      rank.meet(line_, ranks(), [&] {
        begin_ = rank.now();
        r.begin_account();
      });
    }
    rank.first(ranks()).together("iteration", static_cast<std::uint64_t>(i + config_.warm_up),
                                 layout_.size() * dslashes, [&] { iteration(p); });
  }
  halo_ += p.in_halo;
  exposed_ += p.exposed;
  reduced_ += p.in_reductions;
  rank.meet(line_, ranks(), [&] {
    total_ = rank.now() - begin_;
    report(r.row());
  });
}

void CgHalo::iteration(Part& p) const {
  // p . A p, with A the operator and its adjoint, two dslashes each.
  for (int i = 0; i < dslashes; ++i) dslash(p, i);
  p.halo.launch(p.main, lattice_.vectors(2));
  reduce(p, 8_B);
  // r - alpha A p and its norm; then p and x.
  p.halo.launch(p.main, lattice_.vectors(3));
  reduce(p, 16_B);
  p.halo.launch(p.main, lattice_.vectors(5));
}

void CgHalo::dslash(Part& p, int number) const {
  // An operator is two dslashes, of which the second adds to a vector.
  const bool adds = number % 2 == 1;
  const auto inside = [&] { p.inside = p.halo.launch(p.main, lattice_.interior(cache_, adds)); };
  p.computed = Time::max();
  if (p.sides.empty()) return inside();
  const int me = p.rank.id();
  for (const FaceLayout::Side& s : p.sides)
    p.rank.ledger()->fill(me, {s.face, s.size, config_.gpu, {}}, face_of(me, side_name(s.up), s.dimension, p.dslash));
  p.halo.record(p.main);  // QUDA's dslashStart
  p.halo.launch(p.main, lattice_.pack());
  p.packed = p.halo.record(p.main);
  if (p.staged != nullptr) p.staged->gather(p.packed);
  if (config_.overlap) inside();
  exchange(p);
  if (!config_.overlap) inside();
  // What came by way of the host had its kernel behind it, if those are launched at once.
  for (int d = 0; d < dimensions && (p.staged == nullptr || !config_.overlap); ++d)
    if (lattice_.partitioned(d)) p.halo.launch(p.main, lattice_.boundary(d));
  ++p.dslash;
}

template <class F>
void CgHalo::halo(Part& p, const F& body) const {
  const Time begin = p.rank.now();
  p.rank.first(ranks()).together("halo exchange", p.dslash, layout_.size(), body);
  const Time end = p.rank.now();
  p.in_halo += end - begin;
  p.computed = config_.overlap ? std::min(p.computed, p.halo.since(p.inside)) : begin;
  p.exposed += end > p.computed ? end - std::max(begin, p.computed) : Time::zero();
}

void CgHalo::exchange(Part& p) const {
  if (p.staged == nullptr) {
    p.halo.synchronise(p.packed);
    halo(p, [&] {
      p.queue[p.turn()]->start();
      p.queue[p.turn()]->wait();
    });
  } else {
    halo(p, [&] {
      p.staged->exchange([&](int dimension, const comm::StreamEvent& scattered) {
        p.computed = std::min(p.computed, p.halo.since(p.inside));  // what follows in the stream hides it
        p.halo.wait(p.main, scattered);
        if (config_.overlap) p.halo.launch(p.main, lattice_.boundary(dimension));
      });
    });
  }
  expect_faces(p);
}

comm::Buffer CgHalo::ghost(const Part& p, const FaceLayout::Side& s) const {
  if (p.staged != nullptr) return {layout_.size() + s.halo, s.size, config_.gpu, {}};
  return p.window[p.turn()]->part_of(p.rank.id(), s.halo, s.size);
}

void CgHalo::expect_faces(Part& p) const {
  for (const FaceLayout::Side& s : p.sides)
    p.rank.ledger()->expect(p.rank.id(), ghost(p, s), face_of(s.peer, side_name(!s.up), s.dimension, p.dslash), {},
                            "cg_halo");
}

void CgHalo::reduce(Part& p, Bytes size) const {
  p.halo.synchronise(p.halo.record(p.main));  // the kernel writes its sum to host memory
  const comm::CollectiveCall c = reduction(size);
  p.rank.ledger()->fill(p.rank.id(), c.in, "a sum");
  const Time begin = p.rank.now();
  p.rank.change_library();
  p.rank.first(ranks()).allreduce(c.in, c.out);
  p.rank.change_library();
  p.in_reductions += p.rank.now() - begin;
}

void CgHalo::report(report::Row& row) const {
  const auto each = [](Time t, std::int64_t n) { return Time::from_fs(t / Time::from_fs(n)); };
  const std::int64_t all = std::int64_t{config_.iterations} * ranks();
  row.count("ranks", ranks()).text("lattice", grid_text(config_.lattice)).text("grid", grid_text(config_.grid));
  row.bytes("bytes", layout_.size()).time("time", each(total_, config_.iterations));
  row.time("halo", each(halo_, all)).time("exposed", each(exposed_, all));
  row.time("reductions", each(reduced_, all)).time("commit", each(commit_, ranks()));
  row.count("stores", stores_);
  row.headline({"time", "the time of an iteration"});
}

}  // namespace

ScenarioKind cg_halo_scenario() {
  return scenario<CgHalo, CgHaloConfig>(
      "cg_halo", "conjugate gradients of lattice QCD on GPUs, faces to the neighbours: time an iteration");
}

}  // namespace tsunagi::scenarios
