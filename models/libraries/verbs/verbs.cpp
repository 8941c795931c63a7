// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "config/error_at.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/reach.hpp"
#include "models/libraries/verbs/messages/verbs_messages.hpp"
#include "models/libraries/verbs/verbs_ceilings.hpp"
#include "models/libraries/verbs/verbs_nodes.hpp"
#include "models/libraries/verbs/verbs_queues.hpp"
#include "models/process/core_processor.hpp"
#include "models/router/load_bound.hpp"
#include "models/router/placed_router.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

using infiniband::Service;

/// InfiniBand verbs, by a rank's own steps: a rank a node with a host channel adapter, in the order of their LIDs. By
/// "write" a message is an RDMA write, whose last word the receiver polls in its memory; by "send" it is a send into
/// a receive that was posted, whose completion the receiver polls. Both senders poll the completion of what they
/// posted before they go on, as the latency tests of perftest do. Messages of two ranks take turns on the rails.
class Verbs final : public comm::Library, private comm::Gets, private comm::NonBlockingSends, private comm::Protocols {
 public:
  Verbs(const VerbsConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[rank].core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<std::string> methods() const override;
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override { return queues_.largest(); }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override { queues_.receive(f, to, from, b); }
  Rate injection_rate(Bytes size) const override;
  std::optional<std::int64_t> load_bound(const comm::TrafficShares& shares, Bytes size) const override;
  void check(int from, int to, const comm::Buffer& b) const override { queues_.check(from, to, b); }
  comm::Processor& processor() override { return processor_; }
  std::string advice() const override;

 private:
  std::vector<Bytes> limits() const override;
  comm::Protocol protocol(int from, int to, const comm::Buffer& b) const override;
  comm::Request isend(Fiber& f, int from, int to, const comm::Buffer& b) override {
    return queues_.start(f, from, to, b);
  }
  void check_isend(int /*from*/, int /*to*/, const comm::Buffer& b) const override { queues_.check_start(b); }
  void check_get(int rank, int peer, const comm::Buffer& b) const override { check(rank, peer, b); }
  void get(Fiber& f, int rank, int peer, const comm::Buffer& b) override;
  const VerbsNodeConfig& config() const { return nodes_.front().config(); }
  bool reliable() const { return config().service == infiniband::Service::reliable_connection; }

  comm::ByRank<VerbsNode> nodes_;
  std::vector<router::PlacedRouter*> routers_;  // of the first rail's network
  std::optional<VerbsMessages> two_sided_;      // of reliable connections
  VerbsQueues queues_;
  process::CoreProcessor processor_;
};

/// A network's, by their places.
std::vector<router::PlacedRouter*> routers_of(const Machine& m, const topo::Network* network) {
  std::vector<router::PlacedRouter*> out;
  if (network == nullptr) return out;
  out.resize(static_cast<std::size_t>(network->routers()));
  for (router::PlacedRouter* r : m.all<router::PlacedRouter>())
    if (&r->routing().network() == network) out[static_cast<std::size_t>(r->place())] = r;
  return out;
}

/// Where the cards of a node find bytes of one of its GPUs, which are registered with them (GPUDirect RDMA).
std::uint64_t window_of(const VerbsNode& n, const std::vector<gpu::Gpu*>& gpus, const std::string& place,
                        const comm::Buffer& b) {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/scenario", why);
  };
  const std::string core = n.core().name();
  const std::string name = core.substr(0, core.rfind('.') == std::string::npos ? 0 : core.rfind('.') + 1) + place;
  const auto at = std::find_if(gpus.begin(), gpus.end(), [&](const gpu::Gpu* g) { return g->name() == name; });
  if (at == gpus.end()) refuse("the machine has no GPU \"" + name + "\"");
  gpu::Gpu& gpu = **at;
  if (b.offset + b.size > gpu.config().bar_size)
    refuse(to_string(b.offset + b.size) + " of " + name + ", whose window shows " + to_string(gpu.config().bar_size));
  for (int rail = 0; rail < n.rails(); ++rail) {
    const host::RootComplex* rc = host::root_complex_above(n.card(rail));
    if (rc == nullptr) refuse(n.card(rail).name() + " is below no root complex");
    refuse(rc->peer_refusal(n.card(rail), Address::at(gpu.config().bar_base)));
    const net::Port& out = n.card(rail).ports().front();
    refuse(reach_refusal(out, unsigned_of(gpu.config().bar_base), gpu, out.max_payload()));
  }
  const std::uint64_t window = gpu.pin(b.offset, b.size);
  for (int rail = 0; rail < n.rails(); ++rail)
    if (!n.card(rail).registered(window, b.size)) n.card(rail).register_memory(window, b.size);
  return window;
}

Verbs::Verbs(const VerbsConfig& c, Machine& m)
    : nodes_(verbs_nodes(c, m, "verbs")),
      routers_(routers_of(m, nodes_.front().network())),
      two_sided_(c.service == Service::reliable_connection ? std::make_optional<VerbsMessages>(nodes_, c.messages, step)
                                                           : std::nullopt),
      queues_(nodes_, step),
      processor_(nodes_) {
  if (two_sided_) two_sided_->connect(nodes_.front().rails_on_card(0) * (ranks() - 1));
  for (VerbsNode& n : nodes_) n.close();
  queues_.set_windows([this, gpus = m.all<gpu::Gpu>()](int rank, const std::string& place, const comm::Buffer& b) {
    return window_of(nodes_[rank], gpus, place, b);
  });
  queues_.close();
  add_facet<comm::Protocols>(*this);
  add_facet<comm::WorkQueues>(queues_);
  if (!two_sided_) return;  // these, too, are of reliable connections
  add_facet<comm::Transport>(*two_sided_);
  add_facet<comm::NonBlockingSends>(*this);
  add_facet<comm::Gets>(*this);
}

std::vector<std::string> Verbs::methods() const {
  std::vector<std::string> out = queues_.methods();
  out.erase(std::remove(out.begin(), out.end(), "read"), out.end());
  return out;
}

std::vector<Bytes> Verbs::limits() const {
  std::vector<Bytes> out{config().inline_limit};
  if (two_sided_)
    for (const Bytes limit : two_sided_->limits()) out.push_back(limit);
  return out;
}

comm::Protocol Verbs::protocol(int /*from*/, int /*to*/, const comm::Buffer& b) const {
  if (b.method.empty() && two_sided_) return two_sided_->protocol(b);
  comm::Protocol p{b.method == "send" ? "send" : "RDMA write", 0, 1, {}, {}};
  const bool in_request = b.size <= config().inline_limit;
  p.name += in_request ? ", inline" : "";
  p.because = (in_request ? "bytes are written into the work request: \"inline_limit\" is "
                          : "the card reads them: longer than \"inline_limit\", ") +
              to_string(config().inline_limit);
  return p;
}

void Verbs::send(Fiber& f, int from, int to, const comm::Buffer& b) { queues_.run(f, from, to, {b, 0, true, true}); }

void Verbs::get(Fiber& f, int rank, int peer, const comm::Buffer& b) {
  comm::Buffer what = b;
  what.method = "read";
  queues_.run(f, rank, peer, {what, 0, true, false});
}

Rate Verbs::injection_rate(Bytes size) const {
  const VerbsNode& n = nodes_.front();
  Rate least = Rate::infinite();  // rails have turns
  for (int rail = 0; rail < n.rails(); ++rail)
    least = std::min(least, verbs_payload_rate(n.port(rail).channel().wire(), config().mtu, size).scaled(n.rails(), 1));
  for (const comm::Ceiling& c : ceilings(0, 1, {})) least = std::min(least, c.rate);
  return least;
}

std::optional<std::int64_t> Verbs::load_bound(const comm::TrafficShares& shares, Bytes size) const {
  const topo::Network* network = nodes_.front().network();
  if (network == nullptr || nodes_.front().rails() > 1 || network->terminals() != ranks()) return std::nullopt;
  return router::load_bound(*network, routers_, shares, injection_rate(size),
                            [&](const net::WireSpec& wire) { return verbs_payload_rate(wire, config().mtu, size); });
}

std::vector<comm::Ceiling> Verbs::ceilings(int from, int to, const comm::Buffer& b) const {
  return verbs_ceilings(nodes_[from], nodes_[to], nodes_[from].rails(), b.method);
}

std::string Verbs::advice() const {
  std::int64_t lost = 0;
  for (const VerbsNode& n : nodes_)
    for (int rail = 0; rail < n.rails(); ++rail)
      if (n.earlier_on_card(rail) == 0) lost += n.card(rail).lost();
  if (lost == 0) return {};
  const std::string many = std::to_string(lost) + (lost == 1 ? " packet was lost" : " packets were lost");
  if (!reliable()) return many + "; nobody sends datagrams again (\"service\")";
  return config().timeout_code == 0 ? many + "; \"timeout_code\" 0 never sends anything again by itself" : "";
}

}  // namespace

LibraryKind verbs_library() {
  LibraryKind out =
      library<Verbs, VerbsConfig>("verbs", "InfiniBand verbs: writes, sends and reads between host memories");
  out.oddities = [](const config::AnyConfig& c, const topo::Graph& g) { return oddities(c.as<VerbsConfig>(), g); };
  return out;
}

}  // namespace tsunagi::libraries
