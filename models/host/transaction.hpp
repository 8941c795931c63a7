// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "flow/framing.hpp"
#include "flow/packet.hpp"

namespace tsunagi::host {

/// What cores, memories and root complexes ask of each other over an on-chip bus, and what they answer. Writes have no
/// answer. A read is answered by its data, in one packet or several, or without data: it failed.
enum class TransactionType : std::uint8_t { write, read, answer_with_data, answer };

/// Which of the bus's three independently credited queues a transaction uses: whoever answers must get rid of answers
/// whatever waits for it, and of writes whatever reads wait.
enum TransactionClass : flow::FlowClass { write_class, read_class, answer_class, transaction_classes };

/// How a read ended (TLM-2.0's TLM_OK_RESPONSE, TLM_ADDRESS_ERROR_RESPONSE and TLM_GENERIC_ERROR_RESPONSE; AXI's OKAY,
/// DECERR and SLVERR): with its data, because nobody has the address, or because who has it failed.
enum class TransactionStatus : std::uint8_t { okay, address_error, device_error };

/// Whose request it is: a core's, a card's in a slot of the socket whose memory it reaches, or one's in a slot of
/// another.
enum class Agent : std::uint8_t { card, far_card, core };  // first: whose writes take most of a buffer (OnChipFraming)

/// Who asked for a read, so that its answers find the way back.
struct Requester {
  std::uint32_t way = 0;  // what those that pass requests on push, and pop from the answers
  std::uint16_t tag = 0;  // which of the requester's own reads
};

/// Header of a transaction on an on-chip bus. The packet has the rest: the address, and the data's size or, of a train
/// of reads, their distance.
struct Transaction {
  TransactionType type = TransactionType::write;
  TransactionStatus status = TransactionStatus::okay;  // of answers
  Requester requester;
  std::uint32_t length = 0;  // bytes that a read asks for, and its answers stand for
  Agent agent = Agent::core;
  /// Of a core's write to a memory: by which number this knows the core's cache, where the write has been already; 0:
  /// none.
  std::uint16_t cache = 0;
  bool relaxed_ordering = false;  // of a card's request, and its answers: pcie::Attributes
};

/// A write of `n` bytes to `address`, not yet sent.
inline flow::PacketPtr make_write(flow::PacketPool& pool, std::uint64_t address, Bytes n) {
  flow::PacketPtr p = pool.make();
  p->address = address;
  p->set_payload(n);
  p->header<Transaction>() = Transaction{};
  return p;
}

/// Turns a read into `count` reads of `each` bytes, from `address` on. All alike: what the header says holds for each
/// packet of a train, wherever it is split.
inline void set_read(flow::Packet& p, std::uint64_t address, std::int32_t count, Bytes each) {
  p.set_requests(address, count, each);
  p.header<Transaction>().length = static_cast<std::uint32_t>(each.count());
}

/// A read of `n` bytes from `address`, not yet sent.
inline flow::PacketPtr make_read(flow::PacketPool& pool, std::uint64_t address, Bytes n) {
  flow::PacketPtr p = pool.make();
  p->header<Transaction>() = Transaction{};
  p->header<Transaction>().type = TransactionType::read;
  set_read(*p, address, 1, n);
  return p;
}

/// Bytes that a read, or a train of them, asks for.
inline Bytes asked_bytes(const flow::Packet& p) { return Bytes(p.header<Transaction>().length) * p.count; }

/// Turns a read, or a train of them, into the answers that bring what it asks for.
inline void set_answered(flow::Packet& p) {
  Transaction& h = p.header<Transaction>();
  h.type = TransactionType::answer_with_data;
  p.set_train(p.count, Bytes(h.length), Bytes(h.length));
}

/// Turns a read, or a train of them, into the answers without data that say so; each stands for its `length` bytes.
inline void set_failed(flow::Packet& p, TransactionStatus status) {
  p.header<Transaction>().type = TransactionType::answer;
  p.header<Transaction>().status = status;
  p.contents.reset();
  p.set_train(p.count, Bytes::zero(), Bytes::zero());
}

/// Bytes of its read that an answer ends: those it brings or, if the read failed, those it would have brought.
inline Bytes answered_bytes(const flow::Packet& p) {
  return p.header<Transaction>().status == TransactionStatus::okay ? p.total_payload() : asked_bytes(p);
}

inline bool is_write(const flow::Packet& p) { return p.header<Transaction>().type == TransactionType::write; }

inline TransactionClass transaction_class(TransactionType t) {
  switch (t) {
    case TransactionType::write:
      return write_class;
    case TransactionType::read:
      return read_class;
    default:
      return answer_class;
  }
}

/// The order that a bus keeps: writes may pass anything (so that reads cannot block them for ever), reads and answers
/// pass each other but no write. As strong as PCI's (PCI Local Bus Specification 3.0, appendix E), which a root complex
/// owes the devices behind it.
constexpr bool transaction_may_pass(TransactionClass later, TransactionClass earlier) {
  return later != earlier && (later == write_class || earlier != write_class);
}

constexpr std::string_view transaction_class_name(flow::FlowClass c) {
  constexpr std::string_view names[] = {"write", "read", "answer"};
  return names[c];
}

}  // namespace tsunagi::host
