// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

namespace {

struct ComBufConfig : ComBufNodeConfig {
  int tcws = 64;
};

void describe(ComBufConfig& c, config::Describer& d) {
  describe(static_cast<ComBufNodeConfig&>(c), d);
  d.field("tcws", c.tcws, "transfer control words of a rank: one a peer, place and size", config::within(1, 65536));
}

/// Hitachi's remote DMA library by itself: a message goes to the same place of the peer without its doing ("TCW reuse
/// send" of paper 002, 6.1). The first message of a place and size to a peer builds its transfer control word (TCW),
/// all others kick that. The receiver polls a flag that the adapter writes behind the data; there is one for each
/// sender, so that a message has to be received before the next one is sent.
class ComBuf final : public comm::Library, private comm::Protocols {
 public:
  ComBuf(const ComBufConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[rank].core().name(); }
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
  /// Of one pair of ranks.
  struct Way {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t flag = 0;  // what it said last
  };
  Way& way(int from, int to) { return ways_[static_cast<std::size_t>(from * ranks() + to)]; }
  ComBufConfig config_;
  comm::ByRank<ComBufNode> nodes_;
  std::vector<Way> ways_;
  std::uint64_t flags_ = 0;  // base of those of each node, by sender
  int flag_field_ = -1;
  std::uint64_t tcws_ = 0;                                                          // base of those of each node
  comm::ByRank<std::map<std::tuple<int, std::int64_t, std::int64_t>, int>> built_;  // by peer, offset and size
  process::CoreProcessor processor_;
};

ComBuf::ComBuf(const ComBufConfig& c, Machine& m)
    : config_(c), nodes_(combuf_nodes(c, m, "combuf")), processor_(nodes_) {
  add_facet<comm::Protocols>(*this);
  ways_.resize(nodes_.size() * nodes_.size());
  built_.resize(nodes_.size());
  for (ComBufNode& n : nodes_) {
    tcws_ = n.take("transfer control words", sr8000::Tcw::size * c.tcws).base;
    flag_field_ = n.take_field("reception flags", 8_B * ranks(), &flags_);
    n.close();
  }
}

std::vector<comm::Ceiling> ComBuf::ceilings(int from, int, const comm::Buffer&) const {
  return combuf_ceilings(nodes_[from]);
}

void ComBuf::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  ComBufNode& me = nodes_[from];
  Way& w = way(from, to);
  if (w.sent != w.received)
    throw std::runtime_error(
        fmt::format("rank {} sends to rank {} by remote DMA before that has looked at the flag of "
                    "the message before: it would be lost",
                    from, to));
  ++w.sent;
  auto& built = built_[from];
  const auto [at, fresh] =
      built.emplace(std::tuple(to, b.offset.count(), b.size.count()), static_cast<int>(built.size()));
  if (at->second >= config_.tcws)
    throw std::runtime_error(
        fmt::format("rank {} needs more than {} transfer control words (\"tcws\")", from, config_.tcws));
  const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * static_cast<std::uint64_t>(at->second);
  if (fresh) {
    sr8000::Tcw t;
    t.source = me.user_base() + unsigned_of(b.offset);
    t.length = b.size;
    t.destination = nodes_[to].nia().node();
    t.field = static_cast<std::uint16_t>(me.user_field());
    t.offset = unsigned_of(b.offset);
    t.flagged = true;
    t.flag_field = static_cast<std::uint16_t>(flag_field_);
    t.flag_offset = 8 * static_cast<std::uint64_t>(from);
    step(f, from, "build TCW", [&] { me.build(f, tcw, t); });
  }
  std::uint64_t number = 0;
  step(f, from, "kick TCW", [&] { number = me.kick(f, tcw); });
  step.sent(b.size);
  step(f, from, "wait until sent", [&] { me.wait_sent(f, number); });
}

void ComBuf::recv(Fiber& f, int to, int from, const comm::Buffer&) {
  Way& w = way(from, to);
  step(f, to, "poll reception flag",
       [&] { nodes_[to].wait_flag(f, flags_ + 8 * static_cast<std::uint64_t>(from), w.flag); });
  ++w.received;
}

}  // namespace

LibraryKind combuf_library() {
  return library<ComBuf, ComBufConfig>("combuf",
                                       "remote DMA of the SR8000: transfer control words that are used again");
}

}  // namespace tsunagi::libraries
