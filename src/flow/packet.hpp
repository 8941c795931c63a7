// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "flow/contents.hpp"
#include "units/bytes.hpp"

namespace tsunagi::flow {

class PacketPool;
struct ReturnToPool;

/// What a packet says of itself: all but its contents, so that it is copied at once.
class PacketFields {
 public:
  // What a hop looks at comes first: where many packets are under way, all of it is one line of a cache.

  /// Number that stages report it by; unique in a run.
  std::uint64_t id = 0;
  /// Data bytes of each packet; the last of a train carries `last_payload`.
  Bytes payload;
  Bytes last_payload;
  std::int32_t count = 1;
  /// Which transfer the data bytes belong to and where in it the first one lies
  /// (for extent-recording memories).
  std::uint32_t origin = 0;

 protected:
  alignas(8) unsigned char header_[24] = {};

 public:
  /// Cables between chips that it has crossed: for accounts, not on the wire.
  std::uint16_t hops = 0;
  std::uint64_t origin_offset = 0;
  /// The packet or step that caused this one (0: none).
  std::uint64_t parent = 0;
  /// Destination address of the first byte, in the address space it travels in.
  std::uint64_t address = 0;
  /// From the address of one packet of a train to that of the next.
  Bytes stride;

  Bytes payload_of(std::int32_t i) const { return i + 1 == count ? last_payload : payload; }
  Bytes total_payload() const { return payload * (count - 1) + last_payload; }
  void set_payload(Bytes each) { payload = last_payload = stride = each; }
  /// A train of `n` packets of `each` bytes, the last of `last`.
  void set_train(std::int32_t n, Bytes each, Bytes last) {
    set_payload(each);
    last_payload = last;
    count = n;
  }
  /// `n` packets without data, which ask for `each` bytes one behind the other from `at` on.
  void set_requests(std::uint64_t at, std::int32_t n, Bytes each) {
    address = at;
    set_train(n, Bytes::zero(), Bytes::zero());
    stride = each;
  }

  /// The protocol's own header, a plain struct of at most 24 bytes. Reading another type than
  /// was written is a defect of the model, not checked.
  template <class H>
  H& header() {
    static_assert(std::is_trivially_copyable_v<H> && sizeof(H) <= sizeof(header_) && alignof(H) <= 8);
    return *reinterpret_cast<H*>(header_);
  }
  template <class H>
  const H& header() const {
    return const_cast<PacketFields*>(this)->header<H>();
  }
};

static_assert(std::is_trivially_copyable_v<PacketFields>);

/// What moves: one packet, or a train of `count` alike packets that follow each
/// other in one transfer. A packet knows what it carries and where to; what it weighs
/// is the wire's framing, when it moves is the stages'.
class alignas(64) Packet : public PacketFields {
 public:
  /// What some of the data bytes say; data byte 0 is the first one of the first packet, and the packets' data follow
  /// each other. None: bulk data, of which nobody wants to know.
  Contents contents;

  /// `next` is what follows this piece of the same train. A train has one block of contents, that of one piece.
  bool continues_with(const Packet& next) const {
    return next.id == id && next.address == address + static_cast<std::uint64_t>((stride * count).count()) &&
           next.payload == payload && last_payload == payload && next.stride == stride &&
           !(contents && next.contents) && next.hops == hops && std::memcmp(header_, next.header_, sizeof header_) == 0;
  }

  /// Data bytes from `at` on say this, as far as they are data bytes of this packet or train: `at` may lie before its
  /// first one, or behind its last.
  void say(Bytes at, ByteView bytes);
  /// The last (up to eight) data bytes of the last packet say the lower bytes of `value`.
  void say_last(std::uint64_t value) {
    const Bytes width = std::min(last_payload, Bytes(8));
    say(total_payload() - width, {WordBytes(value).bytes, static_cast<std::size_t>(width.count())});
  }
  /// The number that the last (up to eight) data bytes of packet `i` say; 0: nothing.
  std::uint64_t last_word_of(std::int32_t i) const {
    if (!contents) return 0;
    const Bytes width = std::min(payload_of(i), Bytes(8));
    return width == Bytes::zero() ? 0 : contents.word(payload * i + payload_of(i) - width, width);
  }
  std::uint64_t last_word() const { return last_word_of(count - 1); }

 private:
  friend class PacketPool;
  friend struct ReturnToPool;
  void set_fields(const PacketFields& f) { PacketFields::operator=(f); }
  PacketPool* pool_ = nullptr;
};

struct ReturnToPool {
  void operator()(Packet* p) const noexcept;
};
/// An owned packet; goes back to its pool by itself.
using PacketPtr = std::unique_ptr<Packet, ReturnToPool>;

/// Recycles packets and their contents; counts those that are out, so that a run can prove all came home.
class PacketPool {
 public:
  PacketPool() = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  PacketPtr make() {
    if (free_.empty()) grow();
    Packet* p = free_.back();
    free_.pop_back();
    p->set_fields({});  // contents went when it came back
    p->id = ++last_id_;
    p->pool_ = this;
    ++out_;
    return PacketPtr(p);
  }
  /// A copy, contents and all, with an id of its own and the original as parent.
  PacketPtr clone(const Packet& original) {
    PacketPtr p = make();
    const std::uint64_t id = p->id;
    p->set_fields(original);
    p->contents = original.contents;
    p->id = id;
    p->parent = original.id;
    return p;
  }
  /// Takes the first `k` packets (fewer than all) off a train; they keep its id, and what their bytes say.
  static PacketPtr split_front(Packet& train, std::int32_t k) {
    PacketPtr front = train.pool_->make();
    front->set_fields(train);
    front->count = k;
    front->last_payload = train.payload;
    if (train.contents) front->contents = train.contents.take_front(train.payload * k);
    train.count -= k;
    train.address += static_cast<std::uint64_t>((train.stride * k).count());
    train.origin_offset += static_cast<std::uint64_t>((train.stride * k).count());
    return front;
  }
  /// The next number, for something that is no packet.
  std::uint64_t take_id() { return ++last_id_; }
  std::int64_t outstanding() const { return out_; }
  ContentsPool& contents() { return contents_; }

 private:
  friend struct ReturnToPool;
  void grow() {
    constexpr std::size_t block = 256;
    blocks_.push_back(std::make_unique<Packet[]>(block));
    for (std::size_t i = 0; i < block; ++i) free_.push_back(&blocks_.back()[block - 1 - i]);
  }
  void give_back(Packet* p) {
    --out_;
    p->contents.reset();
    free_.push_back(p);
  }
  ContentsPool contents_;  // outlives the packets
  std::vector<std::unique_ptr<Packet[]>> blocks_;
  std::vector<Packet*> free_;
  std::uint64_t last_id_ = 0;
  std::int64_t out_ = 0;
};

inline void ReturnToPool::operator()(Packet* p) const noexcept { p->pool_->give_back(p); }

}  // namespace tsunagi::flow
