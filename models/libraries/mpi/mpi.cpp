// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/cuda/cuda.hpp"
#include "models/libraries/cuda/cuda_streams.hpp"
#include "models/libraries/mpi/collective_tables.hpp"
#include "models/libraries/mpi/gpu_buffers.hpp"
#include "models/libraries/verbs/messages/verbs_messages.hpp"
#include "models/libraries/verbs/messages/verbs_windows.hpp"
#include "models/libraries/verbs/verbs_ceilings.hpp"
#include "models/libraries/verbs/verbs_nodes.hpp"
#include "models/process/core_processor.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

struct MpiConfig : VerbsNodeConfig {
  VerbsMessagesConfig messages;
  GpuBuffersConfig gpu;
  config::AnyConfig cuda;  // empty: nothing is known of GPUs
  CollectiveTables collectives;
  VerbsWindowsConfig one_sided;
  MpiConfig();
};

MpiConfig::MpiConfig() {
  inline_limit = 168_B;
  depth = 64;
  timeout_code = 20;
  messages.buffer = 17_KiB;
  messages.eager_limit = 17_KiB - MessageHeader::least;
  messages.slots = 256;
  messages.header = MessageHeader::least;
  messages.repeated = 255_B;
  messages.send_cycles = 400;
  messages.arrival_cycles = 400;
  messages.register_call = 40_us;
  messages.register_page = 220_ns;
  messages.fast_path.slots = 16;
  messages.all_rails = true;
  messages.rail_policy = RailPolicy::fixed_mapping;
  messages.largest_write = 4_MiB;
  messages.r3_limit = 4_KiB;
}

void describe(MpiConfig& c, config::Describer& d) {
  using namespace config;
  describe(static_cast<VerbsNodeConfig&>(c), d);
  VerbsMessagesConfig& m = c.messages;
  constexpr std::int64_t most = 1'000'000;
  d.field("buffer", m.buffer, "registered buffer of an eager message and its header", within(1_KiB, 1_MiB));
  d.field("eager_limit", m.eager_limit, "longest message that travels with its header", within(0_B, 1_MiB));
  d.field("header", m.header, "of a message: kind, ranks, tag, sizes, credits",
          within(MessageHeader::least, MessageHeader::most));
  d.field("repeated_limit", m.repeated,
          "messages up to that go by slots with 8 B if their header is like the last one's", within(0_B, 65535_B));
  d.field("receives", m.slots, "receives posted for all peers, and buffers to send from", within(2, 65536));
  d.field("unexpected", m.unexpected,
          "messages that are kept because nobody has posted a receive, or an earlier one has not come",
          within(1, 1'000'000));
  d.field("send_cycles", m.send_cycles, "core cycles to send a header, beside copies and posts",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("arrival_cycles", m.arrival_cycles, "core cycles to handle one that has come, beside matching and copies",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("register_call", m.register_call, "a call that lets the card access memory for the first time",
          at_most(10_ms), ideal(0_ns));
  d.field("register_page", m.register_page, "and for each page of 4 KiB of it", at_most(100_us), ideal(0_ns));
  d.choice("rail_policy", m.rail_policy,
           {{"use_first", static_cast<std::int64_t>(RailPolicy::use_first), "the first rail"},
            {"fixed_mapping", static_cast<std::int64_t>(RailPolicy::fixed_mapping),
             "the ports of the first rail's card take turns"},
            {"round_robin", static_cast<std::int64_t>(RailPolicy::round_robin), "all rails take turns"}},
           "by which rail a message goes that is not cut");
  d.field("stripe_above", m.stripe_above, "long messages, and pieces of them, beyond that are cut over all rails",
          within(64_B, 1_GiB));
  d.field("largest_write", m.largest_write, "a longer message takes several writes, or reads", within(4_KiB, 1_GiB));
  d.choice("rendezvous", m.rendezvous,
           {{"rput", static_cast<std::int64_t>(LongMessages::rput), "the sender writes it to where the receiver says"},
            {"rget", static_cast<std::int64_t>(LongMessages::rget), "the receiver reads it from where the sender says"},
            {"r3", static_cast<std::int64_t>(LongMessages::r3), "it goes in pieces through registered buffers"}},
           "how a message beyond the eager limit goes when both are ready");
  d.field("r3_limit", m.r3_limit, "such messages up to that go in pieces anyway, where there are no GPUs",
          within(0_B, 1_GiB));
  d.field("r3_window", m.r3_window, "bytes of pieces on their way to a peer, which then says that it has taken them",
          within(1_B, 1_GiB));
  d.any("cuda", c.cuda, "library",
        "library cuda, whose driver copies from and to GPU memory; none: buffers lie in host memory alone");
  d.object("gpu", c.gpu, "buffers in GPU memory");
  d.object("fast_path", m.fast_path, "slots that short messages are written into and that are polled");
  d.object("one_sided", c.one_sided, "puts, gets and flags of windows");
  d.object("collectives", c.collectives, "algorithms that it takes by size and number of ranks");
  d.require(m.rendezvous != LongMessages::r3 || m.r3_window <= m.buffer * m.slots,
            "\"r3_window\" is more than the " + std::to_string(m.slots) + " receives of " + to_string(m.buffer) +
                " that wait for pieces");
  d.require(c.cuda.empty() || c.depth > 1, "\"depth\" 1 has no room for a block of a GPU and the message behind it");
  d.require(!c.gpu.all_rails || static_cast<std::size_t>(m.slots) >= c.rails.size(),
            "\"receives\" is less than the rails over which blocks of GPUs are cut (\"all_rails\")");
  d.require(m.header.count() % 8 == 0, "\"header\" must be whole words of 8 B");
  d.require(m.eager_limit + m.header <= m.buffer, "\"eager_limit\" and a header of " + to_string(m.header) +
                                                      " do not fit a \"buffer\" of " + to_string(m.buffer));
}

/// MPI over InfiniBand as MVAPICH2 1.9b does it (src/mpid/ch3/channels/mrail/src/gen2 of its source; docs/mpi.md): a
/// rank a node with a host channel adapter, in the order of their LIDs. Two-sided messages alone, by VerbsMessages:
/// short ones of a peer that has sent some already into slots that are polled, up to the eager limit through registered
/// buffers and a shared receive queue, longer ones by an RDMA write when the receiver has said where to (RPUT).
/// Progress is made inside calls only.
class Mpi final : public comm::Library, private comm::Protocols {
 public:
  Mpi(const MpiConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[rank].core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override { return nodes_.front().user_memory(); }
  bool direct() const override { return false; }
  void check(int from, int to, const comm::Buffer& b) const override;
  comm::Processor& processor() override { return processor_; }
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const override {
    return collectives_.choice(ranks, c);
  }

 private:
  std::vector<std::string> places(int rank) const override;
  std::vector<Bytes> limits() const override { return messages_.limits(); }
  comm::Protocol protocol(int, int, const comm::Buffer& b) const override { return messages_.protocol(b); }
  /// Throws config::ConfigError if rank `rank` has no such place, or not up to the end of `b`.
  void check_place(int rank, const std::string& place, const comm::Buffer& b) const;
  comm::ByRank<VerbsNode> nodes_;
  std::unique_ptr<GpuBuffers> gpus_;  // null: nothing is known of them
  std::optional<CudaStreams> streams_;
  VerbsMessages messages_;
  process::CoreProcessor processor_;
  CollectiveTables collectives_;
  std::unique_ptr<VerbsWindows> windows_;  // null: they run over messages
};

/// What the engine takes: with GPUs control messages have room for addresses of blocks.
VerbsMessagesConfig messages_of(const MpiConfig& c) {
  VerbsMessagesConfig m = c.messages;
  if (!c.cuda.empty()) m.control = c.gpu.control;
  return m;
}

Mpi::Mpi(const MpiConfig& c, Machine& m)
    : nodes_(verbs_nodes(c, m, "mpi")),
      gpus_(c.cuda.empty() ? nullptr : std::make_unique<GpuBuffers>(c.gpu, cuda_driver_of(c.cuda), m, nodes_, step)),
      messages_(nodes_, messages_of(c), step),
      processor_(nodes_),
      collectives_(c.collectives) {
  if (c.cuda.empty() && !c.gpu.gdrcopy.empty())
    throw config::error_at("/library/gpu/gdrcopy", "needs a \"cuda\", without which no message is a GPU's");
  if (gpus_ != nullptr) {
    messages_.set_devices(*gpus_);
    processor_.set_devices(*gpus_);
    gpus_->set_engine(messages_.engine());
    streams_.emplace(
        CudaStreams::Node{[this](int rank) -> CudaDriver& { return gpus_->of(rank).driver(); },
                          [this](int rank, const std::string& place) { return gpus_->of(rank).find(place); },
                          [this](int rank, Bytes offset) { return nodes_[rank].user_base() + unsigned_of(offset); },
                          [this](int rank) { return nodes_[rank].user_memory(); }},
        step);
    add_facet<comm::Streams>(*streams_);
  }
  add_facet<comm::Protocols>(*this);
  add_facet<comm::Transport>(messages_);
  messages_.connect(0);
  if (c.one_sided.path == VerbsWindowsConfig::Path::direct && gpus_ == nullptr) {  // MV2_USE_CUDA: by messages
    windows_ = std::make_unique<VerbsWindows>(messages_.engine(), messages_.rendezvous(), c.one_sided, ranks());
    add_facet<comm::RemoteMemory>(*windows_);
  }
  for (VerbsNode& n : nodes_) n.close();
}

void Mpi::check_place(int rank, const std::string& place, const comm::Buffer& b) const {
  const Bytes end = b.offset + b.size;
  if (!place.empty() && place != "host") {
    if (gpus_ == nullptr)
      throw config::error_at("/scenario",
                             "library mpi moves host memory, not \"" + place + "\", unless it is given a \"cuda\"");
    comm::Buffer all{Bytes::zero(), end, place, {}, {}};
    all.of_window = b.of_window;
    gpus_->check(rank, all);
  } else if (end > nodes_[rank].user_memory()) {
    throw config::error_at("/scenario", to_string(end) + " of " + nodes_[rank].memory().name() +
                                            ", of which programs have " + to_string(nodes_[rank].user_memory()));
  }
}

void Mpi::check(int from, int to, const comm::Buffer& b) const {
  check_place(from, b.place, b);
  check_place(to, b.target, b);
}

std::vector<std::string> Mpi::places(int rank) const {
  std::vector<std::string> out{"host"};
  if (gpus_ != nullptr)
    for (const std::string& name : gpus_->of(rank).names()) out.push_back(name);
  return out;
}

std::vector<comm::Ceiling> Mpi::ceilings(int from, int to, const comm::Buffer& b) const {
  std::vector<comm::Ceiling> out = verbs_ceilings(nodes_[from], nodes_[to], nodes_[from].rails(), "write");
  if (gpus_ != nullptr) gpus_->add_ceilings(out, from, to, b);
  return out;
}

}  // namespace

LibraryKind mpi_library() {
  LibraryKind out =
      library<Mpi, MpiConfig>("mpi", "MPI over InfiniBand, as MVAPICH2: two-sided messages between host memories");
  out.oddities = [](const config::AnyConfig& c, const topo::Graph& g) { return oddities(c.as<MpiConfig>(), g); };
  return out;
}

}  // namespace tsunagi::libraries
