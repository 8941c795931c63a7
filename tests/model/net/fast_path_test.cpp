// SPDX-License-Identifier: Apache-2.0
// Slots that short messages are written into, and the headers in them: rules without time.
#include "models/libraries/verbs/messages/fast_path.hpp"

#include "support/catch.hpp"
#include "support/print.hpp"

namespace fast_path_test {

using namespace tsunagi;
using comm::Envelope;
using libraries::FastPath;
using libraries::FastPathConfig;
using libraries::MessageHeader;

namespace {

constexpr int peer = 1;
constexpr std::uint64_t incoming = 0x10000, outgoing = 0x80000;

FastPath path(int slots, int after = 0) {
  FastPathConfig c;
  c.slots = slots;
  c.slot = 256_B;
  c.after = after;
  return {c, 3, incoming, outgoing};
}

MessageHeader header(Envelope::Kind kind = Envelope::Kind::eager) {
  MessageHeader h;
  h.envelope = {kind, 5, 7, 32767, 200_B, 9, 11, 13, 0x123456789abcULL};
  h.credits = 3;
  return h;
}

bool same(const Envelope& a, const Envelope& b) {
  return a.kind == b.kind && a.source == b.source && a.context == b.context && a.tag == b.tag && a.size == b.size &&
         a.sequence == b.sequence && a.send == b.send && a.receive == b.receive && a.target == b.target;
}

}  // namespace

TEST_CASE("fast path: both sides begin it behind as many messages") {
  FastPath sender = path(4, 10), receiver = path(4, 10);
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(sender.takes(peer, 8_B));
    CHECK_FALSE(receiver.polls(peer));
    sender.count_sent(peer);
    receiver.count_received(peer);
  }
  CHECK(sender.takes(peer, 8_B));
  CHECK(receiver.polls(peer));
  CHECK_FALSE(sender.takes(2, 8_B));  // another peer
  CHECK_FALSE(path(0).takes(peer, 8_B));
  CHECK_FALSE(path(0).polls(peer));
}

TEST_CASE("fast path: a message and two words fit a slot") {
  CHECK(path(4).takes(peer, 240_B));
  CHECK_FALSE(path(4).takes(peer, 241_B));
}

TEST_CASE("fast path: a slot is filled again when its credit has come back") {
  FastPath p = path(2);
  for (int i = 0; i < 2; ++i) {
    CHECK(p.takes(peer, 8_B));
    p.sent(peer);
  }
  CHECK_FALSE(p.takes(peer, 8_B));
  p.returned(peer, 1);
  CHECK(p.takes(peer, 8_B));
  p.sent(peer);
  CHECK_FALSE(p.takes(peer, 8_B));
}

TEST_CASE("fast path: slots of a peer are used in turn, and apart from other peers'") {
  FastPath p = path(3);
  CHECK(p.incoming(0, 1) == incoming);
  CHECK(p.incoming(peer, 1) == incoming + 3 * 256);
  CHECK(p.incoming(peer, 3) == incoming + 5 * 256);
  CHECK(p.incoming(peer, 4) == p.incoming(peer, 1));
  CHECK(p.next_number(peer) == 1);
  CHECK(p.outgoing(peer) == outgoing + 3 * 256);
  for (int i = 0; i < 3; ++i) p.sent(peer);
  CHECK(p.next_number(peer) == 4);
  CHECK(p.outgoing(peer) == outgoing + 3 * 256);
  CHECK(FastPath::area({3, 256_B, 0}, 3) == 256_B * 9);
}

TEST_CASE("fast path: the first word says which message it is and how long") {
  const std::uint64_t word = FastPath::first_word(0x1'0000'0007, 5000_B);
  CHECK(FastPath::says(word, 7));
  CHECK(FastPath::says(word, 0x1'0000'0007));
  CHECK_FALSE(FastPath::says(word, 8));
  CHECK_FALSE(FastPath::says(0, 1));
  CHECK(FastPath::length(word) == 5000_B);
}

TEST_CASE("fast path: credits are of the slots that are free from the oldest one on") {
  FastPath p = path(4);
  for (int i = 0; i < 3; ++i) p.received(peer);
  CHECK(p.expected(peer) == 4);
  p.give_back(peer, 2);  // kept longer by who waits for the first one
  CHECK(p.credits(peer) == 0);
  p.give_back(peer, 1);
  CHECK(p.credits(peer) == 2);
  CHECK(p.owes(peer));  // half of them
  p.told(peer);
  CHECK(p.credits(peer) == 0);
  CHECK_FALSE(p.owes(peer));
  p.give_back(peer, 3);
  CHECK(p.credits(peer) == 1);
  CHECK_FALSE(p.owes(peer));
}

TEST_CASE("a header is what it was, from the last 48 bytes of whatever it is padded to") {
  for (const Envelope::Kind kind : {Envelope::Kind::eager, Envelope::Kind::ready_to_send, Envelope::Kind::clear_to_send,
                                    Envelope::Kind::finished, Envelope::Kind::fetched})
    for (const Bytes n : {48_B, 56_B, 64_B}) {
      const MessageHeader h = header(kind);
      std::vector<std::uint8_t> bytes = h.encode(n);
      REQUIRE(bytes.size() == static_cast<std::size_t>(n.count()));
      bytes.erase(bytes.begin(), bytes.end() - 48);
      const MessageHeader back = MessageHeader::decode(bytes);
      CHECK(same(back.envelope, h.envelope));
      CHECK(back.credits == 3);
      CHECK(back.notice == MessageHeader::Notice::none);
      CHECK_FALSE(MessageHeader::is_repeated(flow::read_word(&bytes[40], 8)));
    }
}

TEST_CASE("a header that repeats the one before is a word, which says size and sequence") {
  const MessageHeader before = header();
  MessageHeader h = header();
  h.envelope.size = 255_B;
  h.envelope.sequence = 0xffffffff;
  REQUIRE(h.repeats(before));
  const std::vector<std::uint8_t> bytes = h.encode(MessageHeader::repeated);
  REQUIRE(bytes.size() == 8);
  const std::uint64_t word = flow::read_word(bytes.data(), 8);
  REQUIRE(MessageHeader::is_repeated(word));
  const MessageHeader back = MessageHeader::decode(word, before);
  CHECK(same(back.envelope, h.envelope));
  CHECK(back.credits == before.credits);
}

TEST_CASE("a header repeats the one before only if nothing else differs") {
  const MessageHeader before = header();
  const auto with = [&](auto change) {
    MessageHeader h = header();
    change(h);
    return h.repeats(before);
  };
  CHECK_FALSE(with([](MessageHeader& h) { h.envelope.tag = 1; }));
  CHECK_FALSE(with([](MessageHeader& h) { h.envelope.context = 1; }));
  CHECK_FALSE(with([](MessageHeader& h) { h.envelope.source = 1; }));
  CHECK_FALSE(with([](MessageHeader& h) { h.credits = 4; }));
  CHECK_FALSE(with([](MessageHeader& h) { h.notice = MessageHeader::Notice::slots; }));
  CHECK_FALSE(with([](MessageHeader& h) { h.envelope.kind = Envelope::Kind::ready_to_send; }));
  CHECK_FALSE(header().repeats(header(Envelope::Kind::finished)));
  MessageHeader notice = header();
  notice.notice = MessageHeader::Notice::slots;
  CHECK_FALSE(header().repeats(notice));
}

}  // namespace fast_path_test
