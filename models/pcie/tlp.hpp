// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/packet.hpp"

namespace tsunagi::pcie {

/// Transaction types that machines here use (PCIe Base Specification 2.2.1, table 2-3).
enum class TlpType : std::uint8_t { memory_write, memory_read, completion_with_data, completion };

/// Which of the three independently credited queues a TLP uses (Base Specification 2.6.1).
enum TlpClass : std::uint8_t { posted = 0, non_posted = 1, completion = 2, tlp_classes = 3 };

/// How a read ended (Base Specification 2.2.9: completion status).
enum class CompletionStatus : std::uint8_t { successful, unsupported_request, completer_abort };

/// Who asked for a read, so that its completions find the way back (Base Specification 2.2.6.2: transaction ID). The
/// device is 0 for a card; a root complex has there what it needs to find who asked on its side.
struct Requester {
  std::uint32_t device = 0;
  std::uint16_t tag = 0;
};

/// Attributes of a request, which its completions carry, too (Base Specification 2.2.6.4): what others it may pass.
struct Attributes {
  bool relaxed_ordering = false;
  bool id_based_ordering = false;
};

/// Header of a Transaction Layer Packet.
struct Tlp {
  TlpType type = TlpType::memory_write;
  CompletionStatus status = CompletionStatus::successful;  // of completions
  Requester requester;
  std::uint32_t length = 0;  // bytes that a read asks for
  Attributes attributes = {};
};

/// A memory write of `n` bytes to `address`, or a train of `count` that follow each other, not yet sent.
inline flow::PacketPtr memory_write(flow::PacketPool& pool, std::uint64_t address, Bytes n, std::int64_t count = 1) {
  flow::PacketPtr p = pool.make();
  p->address = address;
  p->set_train(static_cast<std::int32_t>(count), n, n);
  p->header<Tlp>() = Tlp{};
  return p;
}

/// Turns a read into `count` memory reads of `each` bytes, from `address` on. All alike: what the header says
/// holds for each packet of a train, wherever it is split.
inline void set_read(flow::Packet& p, std::uint64_t address, std::int32_t count, Bytes each) {
  p.set_requests(address, count, each);
  p.header<Tlp>().length = static_cast<std::uint32_t>(each.count());
}

/// A memory read of `n` bytes from `address`, not yet sent.
inline flow::PacketPtr memory_read(flow::PacketPool& pool, std::uint64_t address, Bytes n) {
  flow::PacketPtr p = pool.make();
  p->header<Tlp>() = Tlp{};
  p->header<Tlp>().type = TlpType::memory_read;
  set_read(*p, address, 1, n);
  return p;
}

/// Completions with what lies from `address` on, named by that, of what `request` asks for, not yet sent. Its
/// transaction ID leads them back (Base Specification 2.2.9).
inline flow::PacketPtr completion_with_data(flow::PacketPool& pool, const flow::Packet& request, std::uint64_t address,
                                            Bytes each, std::int64_t count = 1) {
  flow::PacketPtr p = pool.clone(request);
  p->header<Tlp>().type = TlpType::completion_with_data;
  p->address = p->origin_offset = address;
  p->set_train(static_cast<std::int32_t>(count), each, each);
  return p;
}

/// Turns a read, or a part of one, into the completion without data that says so; it stands for its `length` bytes. A
/// train of reads becomes one of such completions.
inline void set_failed(flow::Packet& p, CompletionStatus status) {
  p.header<Tlp>().type = TlpType::completion;
  p.header<Tlp>().status = status;
  p.contents.reset();
  p.set_train(p.count, Bytes::zero(), Bytes::zero());
}

/// Bytes of its read that a completion ends: those it brings or, if the read failed, those it would have brought.
inline Bytes completed_bytes(const flow::Packet& p) {
  const Tlp& h = p.header<Tlp>();
  return h.status == CompletionStatus::successful ? p.total_payload() : Bytes(h.length) * p.count;
}

inline bool is_write(const flow::Packet& p) { return p.header<Tlp>().type == TlpType::memory_write; }

inline TlpClass tlp_class(const flow::Packet& p) {
  switch (p.header<Tlp>().type) {
    case TlpType::memory_write:
      return posted;
    case TlpType::memory_read:
      return non_posted;
    default:
      return completion;
  }
}

}  // namespace tsunagi::pcie
