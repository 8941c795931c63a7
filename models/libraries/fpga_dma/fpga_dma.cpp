// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fpga_dma/fpga_dma.hpp"

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/reach.hpp"
#include "models/pcie/tlp.hpp"
#include "models/process/node_part.hpp"
#include "net/ceilings.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void describe(FpgaDmaConfig& c, config::Describer& d) {
  d.field("node", c.node, "the node with the card: what its parts' names begin with; empty: nothing");
  d.field("fpga", c.fpga, "the FPGA card");
}

FpgaDma::FpgaDma(const FpgaDmaConfig& c, Machine& m)
    : machine_(m),
      prefix_(c.node.empty() ? "" : c.node + "."),
      own_(c.fpga),
      fpga_(&process::node_part<fpga::Fpga>(m, prefix_, c.fpga, "fpga")) {
  add_facet<comm::DeviceCopies>(*this);
}

FpgaDma::Transfer FpgaDma::transfer_of(const comm::DeviceCopy& c) const {
  const bool from_card = c.source.place == own_;
  if (from_card == (c.target.place == own_))
    throw config::error_at("/scenario", "library fpga_dma copies between \"" + own_ + "\" and a GPU, not from \"" +
                                            c.source.place + "\" to \"" + c.target.place + "\"");
  const comm::PutSide& card = from_card ? c.source : c.target;
  const comm::PutSide& other = from_card ? c.target : c.source;
  return {from_card ? fpga::Direction::write : fpga::Direction::read, &machine_.get<gpu::Gpu>(prefix_ + other.place),
          other.offset, card.offset};
}

fpga::Descriptor FpgaDma::descriptor_of(const Transfer& t, Bytes size, int id) const {
  const std::uint64_t there = t.gpu->pin(t.in_gpu, size);
  if (t.way == fpga::Direction::read) return {there, unsigned_of(t.in_card), size, id};
  return {unsigned_of(t.in_card), there, size, id};
}

void FpgaDma::check_copy(int, const comm::DeviceCopy& c) const {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/scenario", why);
  };
  const Transfer t = transfer_of(c);
  if (t.in_card + c.size > fpga_->config().memory_size)
    refuse(to_string(t.in_card + c.size) + " of " + fpga_->name() + ", whose memory has " +
           to_string(fpga_->config().memory_size));
  const fpga::Descriptor d = descriptor_of(t, c.size, fpga::Descriptor::first_of_kernel);
  try {
    fpga::check(d, fpga::Writer::kernel);
  } catch (const std::invalid_argument& e) {
    refuse("the card takes no " + std::string(e.what()).substr(2));
  }
  const net::Port& out = fpga_->ports().front();
  const bool reads = t.way == fpga::Direction::read;
  const std::uint64_t there = reads ? d.source : d.destination;
  refuse(reach_refusal(out, there, *t.gpu, reads ? Bytes::zero() : out.max_payload()));
  if (const host::RootComplex* rc = host::root_complex_above(*fpga_)) refuse(rc->peer_refusal(*fpga_, Address(there)));
}

Time FpgaDma::copy(Fiber& f, int rank, const comm::DeviceCopy& c) {
  const Transfer t = transfer_of(c);
  const int id = next_id_;
  next_id_ = id + 1 < fpga::Descriptor::ids ? id + 1 : fpga::Descriptor::first_of_kernel;
  step.sent(c.size);
  step.copied(comm::Copier::dma, c.size);
  step(f, rank, "write the descriptor",
       [&] { fpga_->write_descriptor(f, t.way, encode(descriptor_of(t, c.size, id), fpga::Writer::kernel)); });
  fpga::Completion done;
  step(f, rank, "read the status", [&] { done = fpga_->read_status(f, t.way); });
  if (done.id != id) throw std::logic_error(fpga_->name() + ": the completion of another descriptor");
  return done.elapsed;
}

std::vector<comm::Ceiling> FpgaDma::copy_ceilings(int, const comm::DeviceCopy& c) const {
  const Transfer t = transfer_of(c);
  const net::Port& port = fpga_->ports().front();
  flow::Packet data;
  data.header<pcie::Tlp>() = pcie::Tlp{};
  data.address = unsigned_of(t.gpu->config().bar_base);
  const bool writes = t.way == fpga::Direction::write;
  if (!writes) data.header<pcie::Tlp>().type = pcie::TlpType::completion_with_data;
  const net::Channel& link = writes ? port.channel() : port.incoming();
  const Bytes whole = link.wire().max_payload;
  // A write has been done when the hard IP has it.
  const Bytes behind = writes ? net::not_on_wire_yet(link.wire(), port.spec().tx, data, whole) : Bytes::zero();
  return {{"link payload, " + fpga_->name(), net::payload_ceiling(link.wire(), data, whole), behind},
          {"data path, " + fpga_->name(), net::datapath_ceiling(link.wire(), port.spec().tx, data, whole)}};
}

void FpgaDma::send(Fiber&, int, int, const comm::Buffer&) { throw std::logic_error("library fpga_dma has one rank"); }

void FpgaDma::recv(Fiber&, int, int, const comm::Buffer&) { throw std::logic_error("library fpga_dma has one rank"); }

std::unique_ptr<comm::Communicator> make_fpga_dma(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<FpgaDma>(c.as<FpgaDmaConfig>(), m);
}

}  // namespace tsunagi::libraries
