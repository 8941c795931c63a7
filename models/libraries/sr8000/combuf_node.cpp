// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/combuf_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/process/node_part.hpp"
#include "net/ceilings.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void describe(ComBufNodeConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  d.field("core", c.core, "the core of a node that runs its rank");
  d.field("memory", c.memory, "the memory with its buffers and transfer control words (TCWs)");
  d.field("nia", c.nia, "the network interface adapter");
  d.field("kick_cycles", c.kick_cycles, "core cycles of a kick of a TCW, beside the stores",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("build_cycles", c.build_cycles, "core cycles of building or changing a TCW, beside the stores",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("wait_cycles", c.wait_cycles, "core cycles when a flag that was polled for has been found",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("sent_cycles", c.sent_cycles, "core cycles when a transfer has been found to have left",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
}

ComBufNode::ComBufNode(const ComBufNodeConfig& c, Machine& m, const std::string& prefix)
    : HostProcess(m, prefix, c.core, c.memory),
      config_(c),
      nia_(&process::node_part<sr8000::Nia>(m, prefix, c.nia, "nia")) {
  process::claim(*nia_);
  status_ = areas().take("status", 64_B).base;
  nia_->set_status_word(status_);
  barriers_ = areas().take("barrier words", 64_B * sr8000::colours).base;
  nia_->set_barrier_words(barriers_);
}

int ComBufNode::take_field(const std::string& name, Bytes size, std::uint64_t* base) {
  *base = areas().take(name, size).base;
  return nia_->make_field(*base, size);
}

void ComBufNode::close() {
  keep_areas();
  user_field_ = nia_->make_field(user_base(), user_memory());
}

void ComBufNode::preset(std::uint64_t at, const sr8000::Tcw& t) {
  const sr8000::TcwBytes b = encode(t);
  memory().preset(at, {b.data(), b.size()});
}

void ComBufNode::build(Fiber& f, std::uint64_t at, const sr8000::Tcw& t) {
  const sr8000::TcwBytes b = encode(t);
  core().execute_and_store(f, "build TCW", config_.build_cycles, {{at, {b.data(), b.size()}}});
}

void ComBufNode::change(Fiber& f, std::uint64_t at, const sr8000::Tcw& t) {
  core().touch(f, memory(), at, sr8000::Tcw::size, "its TCW");
  build(f, at, t);
}

std::uint64_t ComBufNode::kick(Fiber& f, std::uint64_t at, std::vector<host::Core::Said> before) {
  const flow::WordBytes address(at);
  before.push_back({nia_->kick_register(), address});
  core().execute_and_store(f, "kick TCW", config_.kick_cycles, before);
  return ++kicked_;
}

void ComBufNode::wait_sent(Fiber& f, std::uint64_t number) {
  core().poll(f, memory(), sent_word_end(), number);
  core().execute(f, "found sent", config_.sent_cycles);
}

void ComBufNode::wait_for(Fiber& f, const host::Core::Polled& word) const {
  for (;;) {
    std::vector<host::Core::Polled> all;
    if (attended_ != nullptr) all = attended_->words(rank_);
    all.insert(all.begin(), word);
    const std::size_t found = core().poll_any(f, memory(), all);
    if (found == 0) return;
    attended_->attend(f, rank_, found - 1);
  }
}

void ComBufNode::wait_flag(Fiber& f, std::uint64_t at, std::uint64_t& last) const {
  wait_for(f, {at + 8, 8_B, [&last, before = last](std::uint64_t said) {
                 if (said != before) last = said;
                 return said != before;
               }});
  core().execute(f, "found flag", config_.wait_cycles);
}

void ComBufNode::wait_count(Fiber& f, std::uint64_t at, std::uint64_t number) const {
  wait_for(f, {at + 8, 8_B, [number](std::uint64_t said) { return said >= number; }});
  core().execute(f, "found word", config_.wait_cycles);
}

void ComBufNode::wait_flag(Fiber& f, std::uint64_t at, std::uint32_t node, std::uint64_t& last) const {
  const std::uint64_t before = std::max(last, sr8000::flag_of(node, 0));
  wait_for(f, {at + 8, 8_B, [&last, before, node](std::uint64_t said) {
                 const bool later = said > before && said < sr8000::flag_of(node + 1, 0);
                 if (later) last = said;
                 return later;
               }});
  core().execute(f, "found flag", config_.wait_cycles);
}

comm::ByRank<ComBufNode> combuf_nodes(const ComBufNodeConfig& c, Machine& m, const std::string& library) {
  std::map<std::uint32_t, ComBufNode> nodes;
  for (const sr8000::Nia* nia : m.all<sr8000::Nia>()) {
    const std::string& full = nia->name();
    const std::string end = "." + c.nia;
    if (full != c.nia && (full.size() < end.size() || full.compare(full.size() - end.size(), end.size(), end) != 0))
      throw config::error_at("/library/nia", full + " is not called \"" + c.nia + "\"");
    nodes.emplace(nia->node(), ComBufNode(c, m, full.substr(0, full.size() - c.nia.size())));
  }
  if (nodes.size() < 2)
    throw config::error_at(
        "/library", "library " + library + " needs a machine with two or more network interface adapters (\"nia\")");
  comm::ByRank<ComBufNode> out;
  for (auto& [number, n] : nodes) out.push_back(std::move(n));
  return out;
}

void combuf_check(const ComBufNode& node, int, int, const comm::Buffer& b) {
  if (!comm::is_host(b.place) || !comm::is_host(b.target))
    throw config::error_at("/scenario",
                           "nodes of an SR8000 have no \"" + (comm::is_host(b.place) ? b.target : b.place) + "\"");
  if (b.offset + b.size > node.user_memory())
    throw config::error_at("/scenario",
                           fmt::format("a message of {} at {} is beyond the {} of a rank's memory", to_string(b.size),
                                       to_string(b.offset), to_string(node.user_memory())));
}

std::vector<comm::Ceiling> combuf_ceilings(const ComBufNode& from) {
  const net::WireSpec& wire = from.nia().ports()[sr8000::SendUnit::net].channel().wire();
  return {{"link payload, " + from.nia().name(), net::payload_ceiling(wire, flow::Packet(), wire.max_payload)}};
}

}  // namespace tsunagi::libraries
