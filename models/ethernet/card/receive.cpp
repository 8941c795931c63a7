// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/card/receive.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tsunagi::ethernet {

Receive::Receive(net::Device& card, flow::PacketPool& pool, dma::Port& host, Interrupts& interrupts, const Clock& clock,
                 int frame_cycles, int cached)
    : card_(card),
      pool_(pool),
      host_(host),
      interrupts_(interrupts),
      clock_(clock),
      frame_cycles_(frame_cycles),
      fetch_(host, cached, [this] { store(); }) {}

void Receive::frame_came(net::Delivery d) {
  if (fetch_.available() <= waiting_.size()) {
    ++without_;
    card_.ports()[1].drop_received(*d.packet);
    return d.slot.release(d.schedule);
  }
  waiting_.push_back(std::move(d));
  store();
}

void Receive::store() {
  while (!waiting_.empty() && fetch_.ready()) {
    const net::Delivery& d = waiting_.front();
    const DescriptorFetch::Taken t = fetch_.take({std::max(d.schedule.back().tail, card_.simulation().now()), 0});
    store(waiting_.take_front(), t);
  }
}

void Receive::store(net::Delivery d, const DescriptorFetch::Taken& t) {
  const net::Cause came{d.schedule.back().tail, d.packet->id};
  net::Wait ready = net::later(net::later({came.when, came, net::Stage::pipeline, "frame stored"},
                                          {t.came.when, t.came, net::Stage::buffer, "receive descriptor"}),
                               turn_);
  ready.until = clock_.after(std::max(ready.until, card_.simulation().now()), frame_cycles_);
  turn_ = {ready.until, ready.since, net::Stage::pipeline, "receive engine"};
  std::array<std::uint8_t, 14> header{};
  const router::Header& route = d.packet->header<Header>().route;
  flow::write_word(header.data(), route.destination, 4);
  flow::write_word(header.data() + 6, route.source, 4);
  const Bytes n = frame_header + d.packet->payload;
  dma::Port::Write w;
  w.address = t.descriptor.address;
  w.size = n;
  w.origin = d.packet->origin;
  w.origin_offset = d.packet->origin_offset;
  w.contents = std::move(d.packet->contents);
  w.contents.shift(frame_header);
  w.contents.add(pool_.contents(), Bytes::zero(), {header.data(), header.size()});
  w.held = std::move(d.slot);
  ++frames_;
  host_.write(0, std::move(w), ready);
  Descriptor done = t.descriptor;
  done.length = static_cast<std::uint16_t>(n.count());
  done.status = Descriptor::done;
  const auto bytes = done.encoded();
  dma::Port::Write back;
  back.address = fetch_.ring().at(t.number);
  back.size = Descriptor::size;
  back.contents.add(pool_.contents(), Bytes::zero(), {bytes.data(), bytes.size()});
  const Time told = clock_.after(ready.until, 1);
  host_.write(0, std::move(back), {told, ready.since, net::Stage::pipeline, "descriptor written back"});
  interrupts_.received(told, ready.since);
}

}  // namespace tsunagi::ethernet
