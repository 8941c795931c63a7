// SPDX-License-Identifier: Apache-2.0
// Frames on an Ethernet wire: what they weigh, when they arrive, and which wires a device takes.
#include "config/config.hpp"
#include "model/ethernet/ethernet_bench.hpp"

namespace ethernet_link_test {

using namespace tsunagi;
using namespace tsunagi::test;
using ethernet::Speed;

namespace {

/// What is wrong with a network; empty: nothing.
std::string failure(const topo::Graph& graph) {
  return in_child([&] {
    try {
      EthernetBench b(graph);
    } catch (const config::ConfigError& e) {
      return e.messages().front().text;
    }
    return std::string();
  });
}

}  // namespace

TEST_CASE("Ethernet: a frame has 38 B around its payload, which is padded to 46 B") {
  const ethernet::Framing f(Speed::gigabit);
  const flow::Packet p;
  CHECK(f.size(p, 1500_B).total() == 1538_B);
  CHECK(f.size(p, 46_B).total() == 84_B);
  CHECK(f.size(p, 1_B).total() == 84_B);
  CHECK(f.size(p, 47_B).total() == 85_B);
  CHECK(f.smallest() == 84_B);
  CHECK(ethernet::frame_size(1500_B) == 1518_B);
  CHECK(ethernet::frame_size(0_B) == 64_B);
}

TEST_CASE("Ethernet: a frame is there with its last byte, at every speed, and the wire is free a gap later") {
  for (const auto& [speed, bit] : {std::pair(Speed::fast, 10_ns), {Speed::gigabit, 1_ns}, {Speed::ten_gigabit, 100_ps}})
    for (const Bytes payload : {1_B, 46_B, 100_B, 1500_B}) {
      CAPTURE(payload.count());
      const Time bit_time = bit;
      EthernetLan lan;
      lan.wire.speed = speed;
      CHECK(in_child([&lan, payload, bit_time] {
              EthernetBench b(lan.star(2));
              b.at(0_ns, [&b, payload] {
                b.station(0).send(1, payload);
                b.station(0).send(1, payload);
              });
              b.run();
              const auto& seen = b.station(1).frames();
              const Time frame = bit_time * (8 * (8 + 18 + std::max<std::int64_t>(46, payload.count())));
              const Time in = frame + lan.wire.flight;
              const Time forwarded = Clock(lan.device.clock).after(in, lan.device.latency);
              REQUIRE(seen.size() == 2);
              REQUIRE(seen[0].tail == forwarded + frame + lan.wire.flight);
              const Time second = Clock(lan.device.clock).after(in + frame + bit_time * 96, lan.device.latency);
              const Time free = forwarded + frame + bit_time * 96;
              REQUIRE(seen[1].tail == std::max(second, free) + frame + lan.wire.flight);
              return std::string("ok");
            }) == "ok");
    }
}

TEST_CASE("Ethernet: full frames bring 1500 of 1538 bytes, both ways at once") {
  EthernetLan lan;
  EthernetBench b(lan.star(2));
  constexpr int frames = 200;
  b.at(0_ns, [&] {
    for (int i = 0; i < 2; ++i) b.station(i).send(1 - i, 1500_B, frames);
  });
  b.run();
  for (int i = 0; i < 2; ++i) {
    const auto& seen = b.station(i).frames();
    REQUIRE(seen.size() == frames);
    CHECK(seen.front().tail == lan.through(1500_B));
    CHECK(seen.back().tail - seen.front().tail == 12'304_ns * (frames - 1));  // 1538 B
  }
}

TEST_CASE("Ethernet: trains of frames come as frames do") {
  const auto seen = [](int max_train) {
    return in_child([max_train] {
      EthernetLan lan;
      EthernetBench b(lan.star(3), max_train);
      b.at(0_ns, [&] { b.station(0).send(2, 700_B, 150); });
      b.at(40_us, [&] { b.station(1).send(2, 1500_B, 70); });
      b.run();
      REQUIRE(b.findings() == "");
      return b.seen(3);
    });
  };
  CHECK(seen(1) == seen(64));
}

namespace {

/// What is wrong with the fields of a config; empty: nothing.
template <class C>
std::string wrong(const std::string& fields) {
  try {
    config::read<C>(config::parse("{" + fields + "}", "config.json"), {});
  } catch (const config::ConfigError& e) {
    return e.messages().front().text;
  }
  return {};
}

}  // namespace

TEST_CASE("Ethernet: configs that cannot work are refused with what is wrong") {
  using ethernet::LinkConfig;
  using ethernet::SwitchConfig;
  CHECK(wrong<LinkConfig>(R"("mtu": "1500 B")") == "");
  CHECK(wrong<LinkConfig>(R"("mtu": "1501 B")") ==
        "\"mtu\" of 1501 B is above the 1,500 B of a standard frame; \"jumbo\": true allows it");
  CHECK(wrong<LinkConfig>(R"("mtu": "9000 B", "jumbo": true)") == "");
  CHECK(wrong<LinkConfig>(R"("mtu": "45 B")") != "");
  CHECK(wrong<SwitchConfig>(R"("memory": "1536 B")") == "");
  CHECK(wrong<SwitchConfig>(R"("memory": "1535 B")") ==
        "\"memory\" of 1535 B holds no frame of 1518 B, which takes 1536 B (\"largest_frame\", in whole cells)");
  CHECK(wrong<SwitchConfig>(R"("port_limit": "1 KiB")") ==
        "\"port_limit\" of 1 KiB holds no frame of 1518 B, which takes 1536 B (\"largest_frame\", in whole cells)");
  CHECK(wrong<SwitchConfig>(R"("memory": "64 KiB", "port_limit": "65 KiB")") ==
        "\"port_limit\" is more than the \"memory\"");
  CHECK(wrong<SwitchConfig>(R"("pause_above": "8 KiB", "resume_below": "8 KiB")") == "");
  CHECK(wrong<SwitchConfig>(R"("pause_above": "8 KiB", "resume_below": "9 KiB")") ==
        "\"resume_below\" is above \"pause_above\": an input would be told to go on before it is told to pause");
  CHECK(wrong<SwitchConfig>(R"("pause_above": "8 KiB")") ==
        "\"resume_below\" of 0 B is never reached: an input that pauses would not be told to go on");
}

TEST_CASE("Ethernet: wires and ports that do not fit are refused") {
  EthernetLan lan;
  CHECK(failure(lan.star(2)) == "");
  lan.device.most_ports = 4;
  CHECK(failure(lan.star(4)) == "");
  CHECK(failure(lan.star(5)) == "router0 has 4 ports (\"ports\"), but 5 wires come to it");
  lan.wire.mtu = 1501_B;  // jumbo
  CHECK(failure(lan.star(4)) == "router0: t0 takes frames of up to 1518 B, the wire's MTU of 1501 B makes them 1519 B");
  lan.device.limits.largest_frame = 1519_B;
  CHECK(failure(lan.star(4)) == "");
  lan.device.limits.speed = Speed::gigabit;
  lan.wire.speed = Speed::ten_gigabit;
  CHECK(failure(lan.star(4)) == "router0: t0 is one of up to \"gigabit\", the wire there is \"ten_gigabit\"");
}

}  // namespace ethernet_link_test
