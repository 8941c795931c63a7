// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/mpi/collective_tables.hpp"
#include "models/libraries/mpich_score/score_messages.hpp"
#include "models/libraries/pm/pm_networks.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

struct MpichScoreConfig : ScoreMessagesConfig {
  config::AnyConfig pm;
  CollectiveTables collectives;
};

void describe(MpichScoreConfig& c, config::Describer& d) {
  describe(static_cast<ScoreMessagesConfig&>(c), d);
  d.any("pm", c.pm, "library", "the PM below: library pm, pm_ethernet or pm_myrinet, with its network");
  d.object("collectives", c.collectives, "algorithms that it takes by size and number of ranks");
}

/// MPICH 1.2.x as SCore has it: MPI over PM, on whichever network that is (paper 004, 7). A rank a node, in the order
/// of PM's. Progress is made inside calls alone; collectives are messages.
class MpichScore final : public comm::Library, private comm::Protocols {
 public:
  MpichScore(const MpichScoreConfig& c, Machine& m);
  std::string place(int rank) const override { return network_->process(rank).core().name(); }
  int ranks() const override { return network_->ranks(); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& /*b*/) const override {
    return network_->ceilings(from, to);
  }
  Bytes largest_message() const override { return messages_.user_memory(); }
  bool direct() const override { return false; }
  void check(int from, int to, const comm::Buffer& b) const override;
  comm::Processor& processor() override { return network_->processor(); }
  std::string advice() const override { return network_->advice(); }
  std::int64_t lost() const override { return network_->lost(); }
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const override {
    return collectives_.choice(ranks, c);
  }

 private:
  std::vector<Bytes> limits() const override { return {messages_.eager_limit()}; }
  comm::Protocol protocol(int, int, const comm::Buffer& b) const override { return messages_.protocol(b); }

  std::unique_ptr<PmNetwork> network_;
  ScoreMessages messages_;
  CollectiveTables collectives_;
};

MpichScore::MpichScore(const MpichScoreConfig& c, Machine& m)
    : network_(make_pm_network(c.pm, m)), messages_(c, pm_buffers(c.pm), *network_, step), collectives_(c.collectives) {
  add_facet<comm::Protocols>(*this);
  add_facet<comm::Transport>(messages_);
}

void MpichScore::check(int /*from*/, int /*to*/, const comm::Buffer& b) const {
  for (const std::string& place : {b.place, b.target})
    if (!comm::is_host(place))
      throw config::error_at("/scenario", "library mpich_score moves host memory, not \"" + place + "\"");
  if (b.offset + b.size > largest_message())
    throw config::error_at("/scenario", to_string(b.offset + b.size) + " of memory, of which programs have " +
                                            to_string(largest_message()));
}

}  // namespace

LibraryKind mpich_score_library() {
  return library<MpichScore, MpichScoreConfig>("mpich_score", "MPI over PM: MPICH of SCore, on any of PM's networks");
}

}  // namespace tsunagi::libraries
