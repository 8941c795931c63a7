// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/library.hpp"
#include "models/libraries/cuda/cuda_driver.hpp"
#include "models/libraries/cuda/cuda_streams.hpp"
#include "models/libraries/marks.hpp"
#include "models/libraries/tca/tca_dma.hpp"
#include "models/libraries/tca/tca_messages.hpp"
#include "models/libraries/tca/tca_node.hpp"
#include "models/libraries/tca/tca_proxy.hpp"
#include "models/libraries/tca/tca_puts.hpp"
#include "models/libraries/tca/tca_words.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

/// The TCA user library (paper 000, 4.2.1): a rank a node that has a PEACH2. `send` is a put into the
/// receive buffer of the driver on the other node, or into GPU memory there. By PIO the CPU stores the data there and
/// `recv` polls the last word of the message (4.2.1), GPU memory by uncached loads; by DMA the CPU starts a channel
/// whose registers were set before, the chip writes a status behind the data into host memory, and `recv` polls that
/// (4.2.2). "staged" (4.3) copies from a GPU to host memory by cudaMemcpy first, and when that has returned sends from
/// there by DMA; there is one buffer, which can be used again when the message has been sent: a reply says so.
class Tca final : public comm::Library, private comm::Gets, private comm::Protocols {
 public:
  Tca(const TcaConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[rank].core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<std::string> methods() const override { return {"pio", "dma", "staged"}; }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  /// Those beyond the eager limit go by DMA, others are stored by the core.
  std::vector<comm::Ceiling> message_ceilings(int from, int to, const comm::Buffer& b) const override {
    comm::Buffer moved = b;
    moved.method = b.size > two_sided_.eager_limit() ? "dma" : "pio";
    return ceilings(from, to, moved);
  }
  Bytes largest_message() const override { return nodes_.front().user_memory(); }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;
  void check(int from, int to, const comm::Buffer& b) const override;
  void check_message(int from, int to, const comm::Buffer& b) const override;
  std::uint64_t address(int at, int of, const comm::Buffer& b) const override;
  comm::Processor& processor() override { return processor_; }
  int hops(int rank) const override { return hops_[rank]; }
  std::string advice() const override;

 private:
  std::vector<std::string> places(int rank) const override { return nodes_[rank].places(); }
  std::vector<Bytes> limits() const override { return {Bytes::zero(), two_sided_.eager_limit()}; }
  comm::Protocol protocol(int from, int to, const comm::Buffer& b) const override;
  void check_get(int rank, int peer, const comm::Buffer& b) const override;
  void get(Fiber& f, int rank, int peer, const comm::Buffer& b) override;
  /// Messages by that method leave by DMA, and their receiver polls a status.
  static bool by_dma(const std::string& method) { return method == "dma" || method == "staged"; }
  /// What the DMA registers hold for `send`.
  struct Programmed {
    int to = -1;
    comm::Buffer what;
  };
  void send_pio(Fiber& f, int from, int to, const comm::Buffer& b);
  void recv_pio(Fiber& f, int to, const comm::Buffer& b);
  void send_dma(Fiber& f, int from, int to, const comm::Buffer& b);
  void stage(Fiber& f, int rank, const comm::Buffer& b);
  peach2::Descriptor descriptor(int from, int to, const comm::Buffer& b) const;
  void program_dma(Fiber& f, int from, int to, const comm::Buffer& b);
  /// The status word that rank `from` writes in the driver's memory of node `to`.
  std::uint64_t status_of(int to, int from) const { return nodes_[to].words().sent(from); }

  comm::ByRank<TcaNode> nodes_;
  comm::ByRank<TcaDma> dmas_;
  TcaPuts puts_;
  TcaMessages two_sided_;
  comm::ByRank<CudaDriver> cuda_;  // of each node
  CudaStreams streams_;
  TcaDevices devices_;
  process::CoreProcessor processor_;
  std::unique_ptr<TcaProxy> proxy_;  // null: no reads by proxy
  comm::ByRank<Programmed> programmed_;
  comm::ByRank<int> hops_;
  std::uint64_t messages_ = 0;
  std::map<std::pair<int, int>, std::uint64_t> seen_;     // what the status of a rank from another said last
  std::map<std::pair<int, std::uint64_t>, Marks> marks_;  // of messages by PIO, by rank and address of the place
};

}  // namespace tsunagi::libraries
