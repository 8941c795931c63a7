// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/fmpl/fmpl_hardware.hpp"
#include "models/libraries/fmpl/fmpl_messages.hpp"
#include "models/libraries/fmpl/fmpl_software.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

namespace {

/// FMPL (paper 002): messages over remote DMA that meet at their sender and are copied nowhere. A rank a node, in the
/// order of the nodes' numbers. The network's hardware does barriers and broadcasts of ranks that fill a box, or lines.
class Fmpl final : public comm::Library, private comm::Protocols {
 public:
  Fmpl(const FmplConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[rank].core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int /*to*/, const comm::Buffer& /*b*/) const override {
    return combuf_ceilings(nodes_[from]);
  }
  Bytes largest_message() const override { return nodes_.front().user_memory(); }
  void check(int from, int to, const comm::Buffer& b) const override { combuf_check(nodes_.front(), from, to, b); }
  bool direct() const override { return false; }
  comm::Processor& processor() override { return processor_; }

 private:
  std::vector<Bytes> limits() const override { return {}; }
  comm::Protocol protocol(int, int, const comm::Buffer&) const override { return messages_.protocol(); }
  comm::ByRank<ComBufNode> nodes_;
  process::CoreProcessor processor_;
  FmplMessages messages_;
  Signals signals_;
  FmplHardware hardware_;
  FmplSoftware software_;
};

Fmpl::Fmpl(const FmplConfig& c, Machine& m)
    : nodes_(combuf_nodes(c, m, "fmpl")),
      processor_(nodes_),
      messages_(c, nodes_, step, processor_),
      signals_(nodes_),
      hardware_(nodes_, signals_, m, c.broadcast_buffer, c.kick_cycles, step),
      software_(signals_, step) {
  for (ComBufNode& n : nodes_) n.close();
  add_facet<comm::Protocols>(*this);
  add_facet<comm::TwoSided>(messages_);
  add_facet<comm::HardwareCollectives>(hardware_);
  add_facet<comm::SoftwareCollectives>(software_);
}

}  // namespace

LibraryKind fmpl_library() {
  return library<Fmpl, FmplConfig>("fmpl", "FMPL of the SR8000: messages that meet at their sender, by remote DMA");
}

}  // namespace tsunagi::libraries
