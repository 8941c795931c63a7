// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/messages/messages.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/hitachi_mpi/hitachi_hardware.hpp"
#include "models/libraries/hitachi_mpi/hitachi_messages.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

void describe(HitachiMpiConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  describe(static_cast<ComBufNodeConfig&>(c), d);
  d.field("rdma", c.rdma,
          "programs are compiled with -rdma: long messages go straight from and to their memory; else by copies");
  d.field("eager_limit", c.eager_limit, "longest message that travels with its header", within(0_B, 1_MiB));
  d.field("slots", c.slots, "temporary buffers for each peer, of messages up to that", within(1, 1024));
  d.field("unexpected", c.unexpected, "messages that are kept because nobody has posted a receive",
          within(1, 1'000'000));
  d.field("chunk", c.chunk,
          "static remote DMA areas of long messages without -rdma, two at each end; and that of hardware broadcasts",
          within(1_KiB, 16_MiB));
  d.field("long_receives", c.long_receives, "long messages that a rank receives at once, with -rdma",
          within(1, 1'000'000));
  d.field("transfers", c.transfers, "long messages of a rank that are under way at once, with -rdma", within(1, 65536));
  d.field("sendright", c.sendright, "combuf_get_sendright, by which a rank may write to a peer; once", at_most(1_s),
          ideal(0_ns));
  d.field("send_cycles", c.send_cycles, "core cycles to make a message's header, beside copies and transfers",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("receive_cycles", c.receive_cycles, "core cycles to handle a header that has come, beside copies",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("visit_cycles", c.visit_cycles, "core cycles to check a receive that waits, in each call and turn of polling",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
}

namespace {

/// Hitachi's MPI for the SR8000, with which paper 002 compares: messages that meet at their receiver, over remote DMA.
/// A rank a node, in the order of the nodes' numbers. The network's hardware does barriers and broadcasts of ranks that
/// fill a box; reductions go along binary trees (6.4).
class HitachiMpi final : public comm::Library, private comm::Protocols {
 public:
  HitachiMpi(const HitachiMpiConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[rank].core().name(); }
  int ranks() const final { return static_cast<int>(nodes_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int /*to*/, const comm::Buffer& /*b*/) const override {
    return combuf_ceilings(nodes_[from]);
  }
  Bytes largest_message() const override { return nodes_.front().user_memory(); }
  void check(int from, int to, const comm::Buffer& b) const override { combuf_check(nodes_.front(), from, to, b); }
  bool direct() const override { return false; }
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const override;
  comm::Processor& processor() override { return processor_; }

 private:
  std::vector<Bytes> limits() const override { return {transport_.eager_limit()}; }
  comm::Protocol protocol(int, int, const comm::Buffer& b) const override { return transport_.protocol(b.size); }
  comm::ByRank<ComBufNode> nodes_;
  process::CoreProcessor processor_;
  HitachiMessages transport_;
  comm::Messages messages_;
  HitachiHardware hardware_;
};

HitachiMpi::HitachiMpi(const HitachiMpiConfig& c, Machine& m)
    : nodes_(combuf_nodes(c, m, "hitachi_mpi")),
      processor_(nodes_),
      transport_(c, nodes_, step),
      messages_(transport_, processor_, ranks(), accounts()),
      hardware_(c, nodes_, m, transport_, messages_, step) {
  for (ComBufNode& n : nodes_) n.close();
  add_facet<comm::Protocols>(*this);
  add_facet<comm::TwoSided>(messages_);
  add_facet<comm::HardwareCollectives>(hardware_);
}

std::optional<comm::Choice> HitachiMpi::choice(int /*ranks*/, const comm::CollectiveCall& c) const {
  if (c.kind != comm::Collective::reduce) return std::nullopt;
  comm::Choice tree;
  tree.algorithm = "binomial";
  return tree;
}

}  // namespace

LibraryKind hitachi_mpi_library() {
  return library<HitachiMpi, HitachiMpiConfig>("hitachi_mpi", "Hitachi's MPI of the SR8000, over remote DMA");
}

}  // namespace tsunagi::libraries
