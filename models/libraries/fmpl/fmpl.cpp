// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl.hpp"

namespace tsunagi::libraries {

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

std::unique_ptr<comm::Communicator> make_fmpl(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<Fmpl>(c.as<FmplConfig>(), m);
}

}  // namespace tsunagi::libraries
