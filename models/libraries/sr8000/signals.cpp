// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/signals.hpp"

namespace tsunagi::libraries {

namespace {

constexpr std::uint64_t signal_word = 8;

}  // namespace

Signals::Signals(comm::ByRank<ComBufNode>& nodes) : nodes_(nodes), ways_(nodes.size() * nodes.size()) {
  const auto n = static_cast<std::int64_t>(nodes.size());
  for (ComBufNode& node : nodes) {
    field_ = node.take_field("words of peers", 8_B * n, &words_);
    sources_ = node.take("words for peers", 8_B * n).base;
    tcws_ = node.take("TCWs of words", sr8000::Tcw::size * n).base;
  }
}

void Signals::tell(Fiber& f, int from, int to) {
  ComBufNode& n = nodes_[from];
  const auto peer = static_cast<std::uint64_t>(to);
  const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * peer;
  Way& w = way(from, to);
  if (w.told == 0) {
    sr8000::Tcw t;
    t.source = sources_ + signal_word * peer;
    t.length = Bytes(signal_word);
    t.destination = nodes_[peer].nia().node();
    t.field = static_cast<std::uint16_t>(field_);
    t.offset = signal_word * static_cast<std::uint64_t>(from);
    n.preset(tcw, t);
  }
  const flow::WordBytes said(++w.told);
  n.kick(f, tcw, {{sources_ + signal_word * peer, said}});
}

void Signals::hear(Fiber& f, int at, int from) {
  nodes_[at].wait_count(f, words_ + signal_word * static_cast<std::uint64_t>(from), ++way(from, at).heard);
}

}  // namespace tsunagi::libraries
