// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/messages/messages.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/libraries/blacs/blacs_messages.hpp"

namespace tsunagi::libraries {

struct BlacsConfig : BlacsMessagesConfig {
  config::AnyConfig over;
};
void describe(BlacsConfig& c, config::Describer& d);

/// BLACS, the communication layer of ScaLAPACK, over another library (paper 002, 5.3): MPIBLACS, which packs what it
/// sends, whatever lies how, and BLACS-FMPL, which packs what does not lie in one piece. Both send and receive areas of
/// matrices and wait until that is done. Collectives are those of the library below. What it packs into lies at the end
/// of the ranks' memory.
class Blacs final : public comm::Communicator, private comm::Protocols {
 public:
  Blacs(const BlacsConfig& c, Machine& m);
  std::string place(int rank) const override { return below_->place(rank); }
  int ranks() const override { return below_->ranks(); }
  std::vector<std::string> methods() const override { return below_->methods(); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override {
    return below_->message_ceilings(from, to, comm::in_one_piece(b));
  }
  Bytes largest_message() const override { return window_; }
  bool direct() const override { return false; }
  bool takes_shapes() const override { return true; }
  void check(int from, int to, const comm::Buffer& b) const override;
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const override {
    return below_->choice(ranks, c);
  }
  comm::Processor& processor() override { return below_->processor(); }
  int hops(int rank) const override { return below_->hops(rank); }
  std::string advice() const override { return below_->advice(); }
  comm::Accounts& accounts() override { return below_->accounts(); }
  void set_listener(comm::Listener& l) override;

 private:
  std::vector<std::string> places(int rank) const override { return below_->required<comm::Protocols>().places(rank); }
  std::vector<Bytes> limits() const override { return below_->required<comm::Protocols>().limits(); }
  comm::Protocol protocol(int from, int to, const comm::Buffer& b) const override;
  std::unique_ptr<comm::Communicator> below_;
  std::unique_ptr<comm::Messages> over_transport_;  // where the library below has no two-sided messages of its own
  comm::Steps steps_;                               // counted with those of the library below
  Bytes window_;
  std::unique_ptr<BlacsMessages> messages_;
};

std::unique_ptr<comm::Communicator> make_blacs(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
