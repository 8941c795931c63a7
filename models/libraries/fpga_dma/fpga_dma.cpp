// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "models/fpga/fpga.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/reach.hpp"
#include "models/pcie/tlp.hpp"
#include "models/process/node_part.hpp"
#include "net/ceilings.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

/// Names of the parts of the node, as in the machine: "<node>.fpga0" and so on.
struct FpgaDmaConfig {
  std::string node = "node0";
  std::string fpga = "fpga0";
};

void describe(FpgaDmaConfig& c, config::Describer& d) {
  d.field("node", c.node, "the node with the card: what its parts' names begin with; empty: nothing");
  d.field("fpga", c.fpga, "the FPGA card");
}

/// The DMA engine of an FPGA card, driven by a kernel on the FPGA (paper 003, 3.3): the one rank is that kernel. It
/// makes a descriptor of the GPU's address, which it has been told, writes it to the descriptor controller by an I/O
/// channel, and reads from another one how many cycles the transfer took: from the moment when the descriptor had been
/// written to the DMA controller to its completion signal (paper 003, figure 12).
class FpgaDma final : public comm::Library, private comm::DeviceCopies {
 public:
  FpgaDma(const FpgaDmaConfig& c, Machine& m);
  std::string place(int) const override { return fpga_->name(); }
  int ranks() const override { return 1; }
  Bytes largest_message() const override { return fpga::Descriptor::longest; }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;

 private:
  void check_copy(int rank, const comm::DeviceCopy& c) const override;
  Time copy(Fiber& f, int rank, const comm::DeviceCopy& c) override;
  std::vector<comm::Ceiling> copy_ceilings(int rank, const comm::DeviceCopy& c) const override;

  /// What a copy comes to for the card.
  struct Transfer {
    fpga::Direction way = fpga::Direction::read;
    gpu::Gpu* gpu = nullptr;
    Bytes in_gpu;
    Bytes in_card;
  };
  /// Throws config::ConfigError for places of which none is the card, or one no GPU.
  Transfer transfer_of(const comm::DeviceCopy& c) const;
  fpga::Descriptor descriptor_of(const Transfer& t, Bytes size, int id) const;

  Machine& machine_;
  std::string prefix_;
  std::string own_;  // the card's name in its node
  fpga::Fpga* fpga_;
  int next_id_ = fpga::Descriptor::first_of_kernel;
};

FpgaDma::FpgaDma(const FpgaDmaConfig& c, Machine& m)
    : machine_(m),
      prefix_(process::prefix_of(c.node)),
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

}  // namespace

LibraryKind fpga_dma_library() {
  return library<FpgaDma, FpgaDmaConfig>("fpga_dma",
                                         "an FPGA's kernel copies to and from GPUs by the card's DMA engine");
}

}  // namespace tsunagi::libraries
