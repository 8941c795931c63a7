// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/fpga/fpga.hpp"
#include "models/gpu/gpu.hpp"

namespace tsunagi::libraries {

/// Names of the parts of the node, as in the machine: "<node>.fpga0" and so on.
struct FpgaDmaConfig {
  std::string node = "node0";
  std::string fpga = "fpga0";
};
void describe(FpgaDmaConfig& c, config::Describer& d);

/// The DMA engine of an FPGA card, driven by a kernel on the FPGA (paper 003, 3.3): the one rank is that kernel. It
/// makes a descriptor of the GPU's address, which it has been told, writes it to the descriptor controller by an I/O
/// channel, and reads from another one how many cycles the transfer took: from the moment when the descriptor had been
/// written to the DMA controller to its completion signal (paper 003, figure 12).
class FpgaDma final : public comm::Communicator, private comm::DeviceCopies {
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

std::unique_ptr<comm::Communicator> make_fpga_dma(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
