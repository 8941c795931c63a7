// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/core.hpp"
#include "models/host/memory.hpp"
#include "models/peach2/peach2.hpp"

namespace tsunagi::libraries {

/// Names of a node's parts, as in the machine: "<node>.core0" and so on.
struct TcaConfig {
  std::string core = "core0";
  std::string memory = "memory";
};
void describe(TcaConfig& c, config::Describer& d);

/// The TCA user library (paper 000, 4.2.1): a rank a node that has a PEACH2. `send` is a put into the
/// receive buffer of the driver on the other node. By PIO the CPU stores the data there and `recv` polls
/// the last word of the message (4.2.1); by DMA the CPU starts a channel whose registers were set
/// before, the chip writes a status behind the data, and `recv` polls that (4.2.2).
class Tca final : public comm::Communicator {
 public:
  Tca(const TcaConfig& c, Machine& m);
  std::string place(int rank) const override { return node(rank).core->name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<std::string> methods() const override { return {"pio", "dma"}; }
  std::vector<comm::Ceiling> ceilings(int from, int to, const std::string& method) const override;
  Bytes largest_message() const override;
  void send(comm::Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(comm::Fiber& f, int to, int from, const comm::Buffer& b) override;

 private:
  struct Node {
    peach2::Peach2* chip = nullptr;
    host::Core* core = nullptr;
    host::Memory* memory = nullptr;
  };
  void check_reachable() const;
  std::vector<comm::Ceiling> read_ceilings(const Node& me) const;
  const Node& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  /// What a node's DMA registers hold.
  struct Programmed {
    int to = -1;
    Bytes offset;
    Bytes size;
  };
  void send_pio(comm::Fiber& f, int from, int to, const comm::Buffer& b);
  void send_dma(comm::Fiber& f, int from, int to, const comm::Buffer& b);
  void program_dma(comm::Fiber& f, int from, int to, const comm::Buffer& b);
  /// End of the status word that rank `from` writes in the driver's memory of every other node.
  std::uint64_t status_end(int from) const;

  std::vector<Node> nodes_;
  std::vector<Programmed> programmed_;
  std::uint64_t messages_ = 0;  // sequence numbers that mark the last word
  /// The number that each receive buffer said last, by rank and end address.
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> seen_;
};

std::unique_ptr<comm::Communicator> make_tca(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
