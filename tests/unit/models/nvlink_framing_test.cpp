// SPDX-License-Identifier: Apache-2.0
// Sizes of NVLink's packets in flits of 16 B, as NVIDIA's Pascal whitepaper and IEEE Micro 37(2) tell of them.
#include "config/config.hpp"
#include "models/nvlink/framing.hpp"
#include "models/nvlink/link.hpp"
#include "net/ceilings.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace nvlink_framing_test {

using namespace tsunagi;
using nvlink::NvlinkFraming;
using pcie::Tlp;
using pcie::TlpType;

namespace {

flow::PacketPool pool;

flow::PacketPtr packet(TlpType type, std::uint64_t address = 0x1000) {
  flow::PacketPtr p = pool.make();
  p->header<Tlp>() = Tlp{};
  p->header<Tlp>().type = type;
  p->address = address;
  return p;
}

flow::WireSize size_of_write(Bytes payload, std::uint64_t address = 0x1000) {
  return NvlinkFraming().size(*packet(TlpType::memory_write, address), payload);
}

/// A link as read from `text`.
net::WireSpec wire(const std::string& text) {
  auto holder = std::make_shared<config::ConfigHolder<nvlink::LinkConfig>>();
  holder->value = config::read<nvlink::LinkConfig>(config::parse(text, "w.json"), {});
  return nvlink::link_spec({"nvlink", holder});
}

}  // namespace

TEST_CASE("a packet of NVLink is a header flit and flits of data") {
  const NvlinkFraming f;
  CHECK(size_of_write(256_B).total() == 272_B);  // 94.1 % are data
  CHECK(size_of_write(128_B).total() == 144_B);
  CHECK(size_of_write(16_B).total() == 32_B);
  CHECK(f.size(*packet(TlpType::memory_read), 0_B).total() == 16_B);
  CHECK(f.size(*packet(TlpType::completion_with_data), 256_B).total() == 272_B);
  CHECK(f.size(*packet(TlpType::completion_with_data), 4_B).total() == 32_B);  // an answer has no byte enables
  CHECK(f.smallest() == 16_B);
}

TEST_CASE("a write of parts of flits has a flit of byte enables, and whole flits") {
  CHECK(size_of_write(4_B).total() == 48_B);
  CHECK(size_of_write(4_B).header == 32_B);
  CHECK(size_of_write(16_B, 0x1008).total() == 64_B);  // on both sides of a border
  CHECK(size_of_write(248_B, 0x1008).total() == 288_B);
  CHECK(size_of_write(240_B, 0x1010).total() == 256_B);
  CHECK(NvlinkFraming(false).size(*packet(TlpType::memory_write), 4_B).total() == 16_B);
}

TEST_CASE("credits of NVLink are packets, and flits of data") {
  const NvlinkFraming f;
  CHECK(f.cost(*packet(TlpType::memory_write), 256_B).headers == 1);
  CHECK(f.cost(*packet(TlpType::memory_write), 256_B).data == 16);
  CHECK(f.cost(*packet(TlpType::memory_write, 0x1008), 16_B).data == 2);
  CHECK(f.cost(*packet(TlpType::memory_read), 0_B).data == 0);
}

TEST_CASE("of a train packets are alike whose data stand in flits alike") {
  const NvlinkFraming f;
  const auto p = packet(TlpType::memory_write, 0x1004);
  p->set_train(10, 256_B, 256_B);
  CHECK(f.alike(*p) == 10);
  p->set_train(10, 8_B, 8_B);
  CHECK(f.alike(*p) == 1);
}

TEST_CASE("a link's rate is that of its generation, and of its lanes") {
  const auto rate = [](const std::string& text) { return wire(text).rate; };
  CHECK(rate(R"({"generation": 1})") == Rate::bytes_per_second(20'000'000'000));
  CHECK(rate(R"({"generation": 2})") == Rate::bytes_per_second(25'781'250'000));
  CHECK(rate(R"({"generation": 3})") == Rate::bytes_per_second(25'000'000'000));
  CHECK(rate(R"({"generation": 4})") == Rate::bytes_per_second(25'000'000'000));
  CHECK(rate("{}") == rate(R"({"generation": 3})"));
  CHECK(rate(R"({"generation": 2, "lanes": 4})") == Rate::bytes_per_second(12'890'625'000));
  CHECK_THROWS_AS(wire(R"({"generation": 5})"), config::ConfigError);
}

TEST_CASE("packets of 256 B carry 16 of 17 bytes of a link's rate") {
  const net::WireSpec w = wire(R"({"generation": 3})");
  CHECK(w.max_payload == 256_B);
  CHECK(net::payload_ceiling(w, *packet(TlpType::memory_write), 256_B) == w.rate.scaled(16, 17));
  CHECK(net::payload_ceiling(w, *packet(TlpType::memory_write), 128_B) == w.rate.scaled(8, 9));
}

}  // namespace nvlink_framing_test
