// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/puts.hpp"
#include "comm/steps.hpp"
#include "models/libraries/tca/tca_dma.hpp"
#include "models/libraries/tca/tca_node.hpp"
#include "models/libraries/tca/tca_words.hpp"

namespace tsunagi::libraries {

/// Prepared puts by the DMA controller (paper 000, 3.5.2 and 3.7). Methods: "chain" (descriptors in host memory),
/// "register" (in the chip's registers, at most 16), "chip_chain" (in the chip's descriptor memory, at most 1,024).
class TcaPuts final : public comm::Puts {
 public:
  /// Both vectors, by rank, and `step` outlive this.
  TcaPuts(const comm::ByRank<TcaNode>& nodes, comm::ByRank<TcaDma>& dmas, const comm::Steps& step);
  std::vector<std::string> methods() const override { return {"chain", "register", "chip_chain"}; }
  void check(int rank, const std::vector<comm::Put>& puts, const std::string& method) const override;
  int prepare(Fiber& f, int rank, const std::vector<comm::Put>& puts, const std::string& method) override;
  int cables(int from, int to) const override;
  std::int64_t stores(int rank, int number) const override {
    return states_[rank].prepared.at(static_cast<std::size_t>(number)).stores;
  }
  void start(Fiber& f, int rank, int number) override;
  Time finish(Fiber& f, int rank) override;
  Time await(Fiber& f, int rank, int from) override;
  void forget(int rank) override;
  /// Why the DMA controller takes no such descriptor; empty if it does.
  static std::string refusal(const peach2::Descriptor& d);

 private:
  enum class Method : std::uint8_t { chain, in_registers, chip_chain };
  struct Prepared {
    Method method = Method::chain;
    std::vector<peach2::Descriptor> descriptors;
    std::uint64_t first = 0;  // address of a chain's first descriptor
    std::uint64_t owner = 0;  // by which the registers know whose descriptors they hold
    std::vector<int> notified;
    std::int64_t puts = 0;
    Bytes payload;
    std::int64_t stores = 0;  // to the chip, that preparing took
  };
  /// What the driver of a rank has handed out, and how often it has notified.
  struct State {
    std::vector<Prepared> prepared;
    std::uint64_t table_used = 0;
    std::uint64_t chip_used = 0;
    std::uint64_t notified = 0;
    std::uint64_t owners = 1;  // 1: `send`
  };
  static Method method_of(const std::string& name);
  static std::size_t descriptors_of(const std::vector<comm::Put>& puts);
  std::vector<peach2::Descriptor> descriptors(int rank, const std::vector<comm::Put>& puts) const;
  std::uint64_t take_table(State& s, const Prepared& p, int rank) const;
  // Words on the driver's page: what the own chip says, what puts of other ranks say, and what those of this one write.
  std::uint64_t own_status(int rank) const { return nodes_[rank].words().put_status(); }
  std::uint64_t flag_of(int rank, int from) const { return nodes_[rank].words().flag(from); }
  std::uint64_t flag_source(int rank) const { return nodes_[rank].flag_source(); }

  const comm::ByRank<TcaNode>& nodes_;
  comm::ByRank<TcaDma>& dmas_;
  const comm::Steps& step_;
  comm::ByRank<State> states_;
  /// What the flag of a rank from another one will say, a number a notice that it has not awaited. (Programs count
  /// rounds; a later notice may be there before an earlier one was looked at.)
  std::map<std::pair<int, int>, std::deque<std::uint64_t>> notices_;
};

}  // namespace tsunagi::libraries
