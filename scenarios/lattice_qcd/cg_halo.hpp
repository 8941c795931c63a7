// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/rma_queue.hpp"
#include "scenarios/lattice_qcd/face_layout.hpp"
#include "scenarios/lattice_qcd/lattice.hpp"
#include "scenarios/lattice_qcd/staged_faces.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

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
void describe(CgHaloConfig& c, config::Describer& d);

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
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
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
  void check_puts(comm::Communicator& c);
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

std::unique_ptr<Scenario> make_cg_halo(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
