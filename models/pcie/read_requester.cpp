// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/read_requester.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::pcie {

void ReadRequester::ask(std::uint64_t transfer, std::uint64_t address, Bytes n, const net::Wait& ready) {
  transfers_.push_back({transfer, address, n, Bytes::zero(), ready});
  issue();
}

void ReadRequester::issue() {
  while (!transfers_.empty() && tags_.any_free()) {
    Transfer& t = transfers_.front();
    const Bytes piece = next_read(t.address, t.left, spec_.max_read_request, spec_.boundary);
    const flow::Cause since = tags_.free_since(tags_.first_free());
    const net::Wait tag_free{since.when, since, net::Stage::tag, spec_.tag_wait};
    const bool joins = piece <= cycle_left_ && t.ready.until <= cycle_ && tag_free.until <= cycle_;
    const net::Wait why = later(joins ? t.ready : later(t.ready, issued_), tag_free);
    const Time at = joins ? cycle_ : spec_.clock.at_or_after(why.until);
    cycle_left_ = (joins ? cycle_left_ : std::max(piece, spec_.asked_a_cycle)) - piece;
    cycle_ = at;
    net::Delivery d = device_.begin(memory_read(pool_, t.address, piece), why, at);
    issued_ = {spec_.clock.after(at, spec_.cycles), {at, d.packet->id}, net::Stage::pipeline, spec_.cycle_wait};
    const int tag = spec_.first_tag + tags_.claim(piece, {t.number, t.requested});
    d.packet->header<Tlp>().requester.tag = static_cast<std::uint16_t>(tag);
    t.address += unsigned_of(piece);
    t.requested += piece;
    t.left -= piece;
    if (t.left == Bytes::zero()) {
      transfers_.pop_front();
      before_ = std::exchange(last_, issued_.until);
    }
    send_(std::move(d));
  }
}

ReadRequester::Part ReadRequester::arrived(const flow::Packet& p, Time when) {
  const int tag = p.header<Tlp>().requester.tag - spec_.first_tag;
  if (!tags_.expects(tag, p.total_payload()))
    throw std::runtime_error(device_.name() + ": a completion came for no read");
  const Part part = tags_[tag];
  tags_[tag].offset += p.total_payload();
  tags_.arrived(tag, p.total_payload(), {when, p.id});
  return part;
}

}  // namespace tsunagi::pcie
