// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

struct ComBufConfig : ComBufNodeConfig {
  int tcws = 64;
};
void describe(ComBufConfig& c, config::Describer& d);

/// Hitachi's remote DMA library by itself: a message goes to the same place of the peer without its doing ("TCW reuse
/// send" of paper 002, 6.1). The first message of a place and size to a peer builds its transfer control word (TCW),
/// all others kick that. The receiver polls a flag that the adapter writes behind the data; there is one for each
/// sender, so that a message has to be received before the next one is sent.
class ComBuf final : public comm::Communicator, private comm::Protocols {
 public:
  ComBuf(const ComBufConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[static_cast<std::size_t>(rank)].core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<std::string> methods() const override { return {"remote_dma"}; }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override { return nodes_.front().user_memory(); }
  int unreceived() const override { return 1; }
  void check(int from, int to, const comm::Buffer& b) const override { combuf_check(nodes_.front(), from, to, b); }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;
  comm::Processor& processor() override { return processor_; }

 private:
  std::vector<Bytes> limits() const override { return {}; }
  comm::Protocol protocol(int, int, const comm::Buffer&) const override {
    return {"remote DMA",
            0,
            0,
            {},
            "a transfer control word is built for the first message of a place and size, and used again"};
  }
  ComBufNode& node(int rank) { return nodes_[static_cast<std::size_t>(rank)]; }
  /// Of one pair of ranks.
  struct Way {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t flag = 0;  // what it said last
  };
  Way& way(int from, int to) { return ways_[static_cast<std::size_t>(from * ranks() + to)]; }
  ComBufConfig config_;
  std::vector<ComBufNode> nodes_;
  std::vector<Way> ways_;
  std::uint64_t flags_ = 0;  // base of those of each node, by sender
  int flag_field_ = -1;
  std::uint64_t tcws_ = 0;                                                         // base of those of each node
  std::vector<std::map<std::tuple<int, std::int64_t, std::int64_t>, int>> built_;  // by peer, offset and size
  process::CoreProcessor processor_;
};

std::unique_ptr<comm::Communicator> make_combuf(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
