// SPDX-License-Identifier: Apache-2.0
// What a host's bus carries, what it weighs there, and what a root complex makes of it.
#include <memory>
#include <vector>

#include "models/host/on_chip.hpp"
#include "models/host/root_complex_tlp.hpp"
#include "models/host/transaction.hpp"
#include "models/pcie/framing.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_transaction_test {

using namespace tsunagi;
using host::Transaction;
using host::TransactionStatus;
using host::TransactionType;
using pcie::CompletionStatus;
using pcie::Tlp;
using pcie::TlpType;

namespace {

flow::PacketPool pool;

net::WireSpec bus(Bytes header) {
  auto holder = std::make_shared<config::ConfigHolder<host::OnChipConfig>>();
  holder->value.header = header;
  return host::on_chip_spec({"on_chip", std::move(holder)});
}

struct Pair {
  TransactionType type;
  TransactionStatus status;
  TlpType tlp_type;
  CompletionStatus completion_status;
};

/// Every kind of transaction and the TLP that it is on a link.
const std::vector<Pair> pairs = {
    {TransactionType::write, TransactionStatus::okay, TlpType::memory_write, CompletionStatus::successful},
    {TransactionType::read, TransactionStatus::okay, TlpType::memory_read, CompletionStatus::successful},
    {TransactionType::answer_with_data, TransactionStatus::okay, TlpType::completion_with_data,
     CompletionStatus::successful},
    {TransactionType::answer, TransactionStatus::okay, TlpType::completion, CompletionStatus::successful},
    {TransactionType::answer, TransactionStatus::address_error, TlpType::completion,
     CompletionStatus::unsupported_request},
    {TransactionType::answer, TransactionStatus::device_error, TlpType::completion, CompletionStatus::completer_abort},
};

/// A train whose every field says something of its own.
flow::PacketPtr marked() {
  flow::PacketPtr p = host::make_write(pool, 0x123456789a0, 64_B);
  p->set_train(3, 64_B, 16_B);
  p->parent = 7;
  p->origin = 8;
  p->origin_offset = 9;
  p->say_last(0xabcd);
  return p;
}

void check_unchanged(const flow::Packet& p, std::uint64_t id) {
  CHECK(p.id == id);
  CHECK(p.parent == 7);
  CHECK(p.address == 0x123456789a0);
  CHECK(p.count == 3);
  CHECK(p.total_payload() == 144_B);
  CHECK(p.origin == 8);
  CHECK(p.origin_offset == 9);
  CHECK(p.last_word() == 0xabcd);
}

}  // namespace

TEST_CASE("a write has its data, a read asks for bytes that it does not carry") {
  const auto w = host::make_write(pool, 0x1000, 100_B);
  CHECK(host::is_write(*w));
  CHECK(w->address == 0x1000);
  CHECK(w->total_payload() == 100_B);
  const auto r = host::make_read(pool, 0x2000, 8_B);
  CHECK_FALSE(host::is_write(*r));
  CHECK(r->address == 0x2000);
  CHECK(r->total_payload() == 0_B);
  CHECK(host::asked_bytes(*r) == 8_B);
}

TEST_CASE("reads of a train follow each other, and each stands for its own bytes wherever the train is split") {
  const auto all = host::make_read(pool, 0, 8_B);
  host::set_read(*all, 0x1000, 4, 256_B);
  CHECK(host::asked_bytes(*all) == 1024_B);
  const auto front = flow::PacketPool::split_front(*all, 1);
  CHECK(host::asked_bytes(*front) == 256_B);
  CHECK(all->address == 0x1100);
  CHECK(host::asked_bytes(*all) == 768_B);
}

TEST_CASE("an answer ends the bytes that it brings, and without data those that it would have brought") {
  const auto data = host::make_read(pool, 0x1000, 8_B);
  host::set_read(*data, 0x1000, 2, 64_B);
  host::set_answered(*data);
  CHECK(data->header<Transaction>().type == TransactionType::answer_with_data);
  CHECK(data->total_payload() == 128_B);
  CHECK(host::answered_bytes(*data) == 128_B);
  const auto none = host::make_read(pool, 0x1000, 8_B);
  host::set_read(*none, 0x1000, 2, 64_B);
  host::set_failed(*none, TransactionStatus::address_error);
  CHECK(none->header<Transaction>().type == TransactionType::answer);
  CHECK(none->total_payload() == 0_B);
  CHECK(none->count == 2);
  CHECK(host::answered_bytes(*none) == 128_B);
}

TEST_CASE("on a bus a transaction weighs its data and the bus's header") {
  const net::WireSpec w = bus(16_B);
  CHECK(w.framing->size(*host::make_write(pool, std::uint64_t{1} << 40, 64_B), 64_B).total() == 80_B);
  CHECK(w.framing->size(*host::make_read(pool, 0, 64_B), 0_B).total() == 16_B);
  CHECK(bus(0_B).framing->smallest() == 0_B);
}

TEST_CASE("writes, reads and answers have credits of their own") {
  const net::WireSpec w = bus(0_B);
  REQUIRE(w.framing->classes() == 3);
  CHECK(w.framing->class_name(host::write_class) == "write");
  CHECK(w.framing->class_name(host::read_class) == "read");
  CHECK(w.framing->class_name(host::answer_class) == "answer");
  const auto p = host::make_read(pool, 0, 8_B);
  CHECK(w.framing->flow_class(*host::make_write(pool, 0, 8_B)) == host::write_class);
  CHECK(w.framing->flow_class(*p) == host::read_class);
  host::set_answered(*p);
  CHECK(w.framing->flow_class(*p) == host::answer_class);
  host::set_failed(*p, TransactionStatus::device_error);
  CHECK(w.framing->flow_class(*p) == host::answer_class);
}

TEST_CASE("on a bus writes pass reads and answers, and nothing passes a write") {
  const net::WireSpec w = bus(0_B);
  for (int later = 0; later < w.framing->classes(); ++later)
    for (int earlier = 0; earlier < w.framing->classes(); ++earlier) {
      const bool may = later != earlier && earlier != host::write_class;
      CHECK(w.framing->may_pass(static_cast<flow::FlowClass>(later), static_cast<flow::FlowClass>(earlier)) == may);
    }
}

TEST_CASE("a root complex sends each transaction as one kind of TLP, in place, and takes it back as the same") {
  for (const Pair& x : pairs) {
    const flow::PacketPtr p = marked();
    p->header<Transaction>() = {x.type, x.status, {0x01020304, 0x0506}, 4096};
    const flow::Packet* place = p.get();
    const std::uint64_t id = p->id;
    host::to_tlp(*p);
    CHECK(p->header<Tlp>().type == x.tlp_type);
    CHECK(p->header<Tlp>().status == x.completion_status);
    CHECK(p->header<Tlp>().requester.device == 0x01020304);
    CHECK(p->header<Tlp>().requester.tag == 0x0506);
    CHECK(p->header<Tlp>().length == 4096);
    check_unchanged(*p, id);
    host::to_transaction(*p);
    CHECK(p->header<Transaction>().type == x.type);
    CHECK(p->header<Transaction>().status == x.status);
    CHECK(p->header<Transaction>().requester.way == 0x01020304);
    CHECK(p->header<Transaction>().requester.tag == 0x0506);
    CHECK(p->header<Transaction>().length == 4096);
    check_unchanged(*p, id);
    CHECK(p.get() == place);
  }
}

TEST_CASE("classes and order are those of the TLPs, so that no translation moves a packet from queue to queue") {
  const pcie::PcieFraming link;
  const net::WireSpec w = bus(0_B);
  for (const Pair& x : pairs) {
    const flow::PacketPtr p = marked();
    p->header<Transaction>() = {x.type, x.status, {}, 0};
    const flow::FlowClass on_bus = w.framing->flow_class(*p);
    host::to_tlp(*p);
    CHECK(link.flow_class(*p) == on_bus);
  }
  for (flow::FlowClass later = 0; later < 3; ++later)
    for (flow::FlowClass earlier = 0; earlier < 3; ++earlier)
      CHECK(link.may_pass(later, earlier) == w.framing->may_pass(later, earlier));
}

TEST_CASE("pieces of a train that a root complex has translated still continue each other") {
  const flow::PacketPtr rest = marked();
  rest->contents.reset();
  const flow::PacketPtr front = flow::PacketPool::split_front(*rest, 1);
  for (flow::Packet* p : {front.get(), rest.get()}) host::to_tlp(*p);
  CHECK(front->continues_with(*rest));
  for (flow::Packet* p : {front.get(), rest.get()}) host::to_transaction(*p);
  CHECK(front->continues_with(*rest));
}

}  // namespace host_transaction_test
