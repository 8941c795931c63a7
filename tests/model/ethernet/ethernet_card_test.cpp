// SPDX-License-Identifier: Apache-2.0
// An Ethernet card: what it reads, sends, writes and tells, and what it has no room for.
#include <fmt/format.h>

#include <algorithm>

#include "config/config.hpp"
#include "model/ethernet/card_bench.hpp"
#include "stats/random.hpp"

namespace ethernet_card_test {

using namespace tsunagi;
using namespace tsunagi::test;
using ethernet::Card;
using ethernet::Descriptor;

namespace {

constexpr Time full_turn = 12'304_ns;  // 1538 B at 1 Gb/s

/// What a run that must fail says.
std::string failure(const std::function<void(EthernetCardBench&)>& prepare) {
  return in_child([&] {
    try {
      EthernetCardBench b;
      prepare(b);
      b.sim().run(1_s);
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  });
}

}  // namespace

TEST_CASE("Ethernet card: a frame lies at the receiver as it lay at the sender, and is told behind its last byte") {
  EthernetCardBench b;
  b.frame(0, 1000_B);
  b.send(1);
  b.run();
  const auto data = b.seen(1, EthernetCardBench::receive_buffer(0), 2_KiB);
  Bytes there;
  for (const host::Extent& e : data) there += e.length;
  CHECK(there == 1014_B);
  const auto head = b.memory(1).bytes(EthernetCardBench::receive_buffer(0), 22_B);
  CHECK(flow::read_word(head.data(), 4) == 1);      // destination
  CHECK(flow::read_word(head.data() + 6, 4) == 0);  // source
  CHECK(flow::read_word(head.data() + 14, 8) == 1);
  const Descriptor d = Descriptor::decode(b.memory(1).bytes(EthernetCardBench::receive_ring, 16_B).data());
  CHECK(d.length == 1014);
  CHECK(d.status == Descriptor::done);
  CHECK(d.address == EthernetCardBench::receive_buffer(0));
  REQUIRE(b.written_back(1).size() == 1);
  REQUIRE(b.interrupts(1).size() == 1);
  CHECK(b.interrupts(1)[0].value == 1);
  for (const host::Extent& e : data) CHECK(e.when < b.written_back(1)[0].when);
  CHECK(b.written_back(1)[0].when < b.interrupts(1)[0].when);
  // The sender's descriptor is written back, and nobody is interrupted for it.
  CHECK(Descriptor::decode(b.memory(0).bytes(EthernetCardBench::transmit_ring, 16_B).data()).status ==
        Descriptor::done);
  CHECK(b.interrupts(0).empty());
}

TEST_CASE("Ethernet card: frames follow each other at the rate of the wire, over the ring's end") {
  for (const auto& [n, turn] : {std::pair(1500_B, full_turn), {46_B, 672_ns}}) {
    const Bytes payload = n;
    const Time each = turn;
    CHECK(in_child([payload, each] {
            EthernetCardBench::Parts p;
            p.ring = 16;
            p.receives = 15;
            EthernetCardBench b(p);
            for (int k = 0; k < 16; ++k) b.frame(k, payload);
            b.program(0, [&b](Fiber& f) {
              // In time, before the card runs out.
              for (std::uint64_t tail : {15, 7}) {
                b.write_register(f, 0, Card::transmit_tail, tail);
                while (b.card(0).sent() < 8) f.wait_for(50_ns);
              }
            });
            b.run();
            const auto told = b.written_back(1);
            REQUIRE(told.size() == 15);
            REQUIRE(b.card(1).without_descriptor() == 8);
            REQUIRE(b.card(0).sent() == 23);
            for (std::size_t k = 2; k < told.size(); ++k) REQUIRE(told[k].when - told[k - 1].when == each);
            return std::string("ok");
          }) == "ok");
  }
}

TEST_CASE("Ethernet card: what finds no descriptor is dropped and counted, the rest is not") {
  for (const int receives : {0, 1, 5, 30}) {
    CAPTURE(receives);
    CHECK(in_child([receives] {
            EthernetCardBench::Parts p;
            p.receives = receives;
            p.card.descriptors = 2;  // the rest has to be read
            EthernetCardBench b(p);
            for (int k = 0; k < 30; ++k) b.frame(k, 400_B);
            b.send(30);
            b.run();
            REQUIRE(b.card(1).received() == receives);
            REQUIRE(b.card(1).without_descriptor() == 30 - receives);
            REQUIRE(b.card(1).dropped() == 30 - receives);
            REQUIRE(static_cast<int>(b.written_back(1).size()) == receives);
            for (int k = 0; k < receives; ++k)  // in order
              REQUIRE(flow::read_word(b.memory(1).bytes(EthernetCardBench::receive_buffer(k) + 14, 8_B).data(), 8) ==
                      static_cast<std::uint64_t>(k) + 1);
            return std::string("ok");
          }) == "ok");
  }
}

TEST_CASE("Ethernet card: frames that fail their check are counted, take no descriptor, and the others come in order") {
  const auto failed = [](std::int64_t ppm, int max_train) {
    return in_child([=] {
      EthernetCardBench::Parts p;
      p.card.loss_ppm = ppm;
      EthernetCardBench b(p, max_train);
      for (int k = 0; k < 100; ++k) b.frame(k, 400_B);
      b.send(100);
      b.run();
      const std::int64_t n = b.card(1).failed_checks();
      REQUIRE(b.card(1).received() == 100 - n);
      REQUIRE(b.card(1).dropped() == n);
      REQUIRE(b.card(1).without_descriptor() == 0);
      std::uint64_t last = 0;
      for (int k = 0; k < 100 - n; ++k) {
        const std::uint64_t said =
            flow::read_word(b.memory(1).bytes(EthernetCardBench::receive_buffer(k) + 14, 8_B).data(), 8);
        REQUIRE(said > last);
        last = said;
      }
      return std::to_string(n) + " fail, the last that came is " + std::to_string(last);
    });
  };
  CHECK(failed(0, 1) == "0 fail, the last that came is 100");
  const int some = std::stoi(failed(300'000, 1));
  CHECK(some > 15);
  CHECK(some < 45);
  CHECK(failed(300'000, 64) == failed(300'000, 1));
}

TEST_CASE("Ethernet card: software that gives descriptors again gets frames again") {
  EthernetCardBench::Parts p;
  p.ring = 4;
  p.receives = 3;
  EthernetCardBench b(p);
  for (int k = 0; k < 100; ++k) b.frame(k % 4, 1500_B);
  b.program(0, [&b](Fiber& f) {
    for (std::uint64_t tail = 1; tail <= 40; ++tail) {
      b.write_register(f, 0, Card::transmit_tail, tail % 4);
      f.wait_for(20_us);
    }
  });
  b.program(1, [&b](Fiber& f) {
    for (std::int64_t given = 3; given < 40; ++given) {
      while (b.card(1).received() < given - 2) f.wait_for(1_us);
      Descriptor d;
      d.address = EthernetCardBench::receive_buffer(static_cast<int>(given));
      const auto bytes = d.encoded();
      b.core(1).store(f, EthernetCardBench::receive_ring + 16 * (static_cast<std::uint64_t>(given) % 4),
                      {bytes.data(), bytes.size()});
      b.write_register(f, 1, Card::receive_tail, static_cast<std::uint64_t>(given + 1) % 4);
    }
  });
  b.run();
  CHECK(b.card(1).received() == 40);
  CHECK(b.card(1).dropped() == 0);
}

TEST_CASE("Ethernet card: a bus that is slower than the wire fills the FIFO, which drops what does not fit") {
  const auto kept = [](Bytes fifo) {
    return std::stoi(in_child([fifo] {
      EthernetCardBench::Parts p;
      p.cable.speed = ethernet::Speed::ten_gigabit;
      p.card.receive_fifo = fifo;
      p.card.transmit_fifo = 256_KiB;
      p.receiver_lanes = 1;  // 500 MB/s, of which writes of 256 B carry 457
      EthernetCardBench b(p);
      for (int k = 0; k < 100; ++k) b.frame(k, 1500_B, 0);
      b.send(100);
      b.run();
      REQUIRE(b.card(1).received() + b.card(1).dropped() == 100);
      REQUIRE(b.card(1).without_descriptor() == 0);
      return std::to_string(b.card(1).received());
    }));
  };
  CHECK(kept(256_KiB) == 100);
  const int few = kept(8_KiB), more = kept(16_KiB), most = kept(32_KiB);
  CHECK(few < 60);
  CHECK(std::abs(more - few - 5) <= 1);    // 8 KiB hold 5.4 frames more
  CHECK(std::abs(most - more - 11) <= 1);  // 16 KiB 10.8
}

namespace {

/// When node 1 was interrupted, of `frames` full ones back to back.
std::vector<Time> interrupts(int frames, const ethernet::InterruptConfig& c) {
  const std::string text = in_child([frames, &c] {
    EthernetCardBench::Parts p;
    p.card.interrupts = c;
    EthernetCardBench b(p);
    for (int k = 0; k < frames; ++k) b.frame(k, 1500_B);
    b.send(frames);
    b.run();
    REQUIRE(static_cast<std::int64_t>(b.interrupts(1).size()) == b.card(1).interrupts());
    REQUIRE(b.interrupts(1).back().when > b.written_back(1).back().when);  // nothing stays untold
    std::string out;
    for (const host::Extent& e : b.interrupts(1)) out += fmt::format("{} ", e.when.fs());
    return out;
  });
  std::vector<Time> out;
  for (std::size_t at = 0, next; (next = text.find(' ', at)) != std::string::npos; at = next + 1)
    out.push_back(Time::from_fs(std::stoll(text.substr(at, next - at))));
  return out;
}

}  // namespace

TEST_CASE("Ethernet card: interrupts have their interval, and tell all") {
  CHECK(interrupts(100, {}).size() == 100);  // one a frame
  const Time first = interrupts(100, {}).at(0);
  for (const Time interval : {20_us, 50_us, 125_us, 1_ms}) {
    CAPTURE(interval.fs());
    const std::vector<Time> seen = interrupts(100, {interval, 0_ns, 0_ns});
    // Frame k is told full_turn x k after the first; one that finds the interval open waits for its end.
    const auto expected = 1 + (full_turn * 99 + interval - 1_fs) / interval;
    CHECK(static_cast<std::int64_t>(seen.size()) == expected);
    CHECK(seen[0] == first);
    // An interrupt leaves behind what the card is writing then.
    for (std::size_t i = 1; i < seen.size(); ++i)
      CHECK(std::abs((seen[i] - first - interval * static_cast<std::int64_t>(i)).fs()) < Time(500_ns).fs());
  }
}

TEST_CASE("Ethernet card: a cause waits for its delay, from the first frame on") {
  const Time first = interrupts(1, {0_ns, 5_us, 0_ns}).at(0);  // not behind the frame any more
  CHECK(interrupts(1, {0_ns, 12_us, 0_ns}).at(0) == first + 7_us);
  const std::vector<Time> seen = interrupts(3, {0_ns, 20_us, 0_ns});  // the second one does not move it
  REQUIRE(seen.size() == 2);
  CHECK(seen[1] == seen[0] + full_turn * 2);
  const std::vector<Time> both = interrupts(3, {100_us, 20_us, 0_ns});
  REQUIRE(both.size() == 2);
  CHECK(both[0] == seen[0]);
  CHECK(both[1] == both[0] + 100_us);
}

TEST_CASE("Ethernet card: while interrupts are off causes stay, and are told when they are on again") {
  EthernetCardBench b;
  for (int k = 0; k < 3; ++k) b.frame(k, 100_B);
  b.program(1, [&b](Fiber& f) {
    b.write_register(f, 1, Card::interrupts_off, 1);
    f.wait_until(200_us);
    CHECK(b.interrupts(1).empty());
    b.write_register(f, 1, Card::interrupts_on, 1);
  });
  b.program(0, [&b](Fiber& f) {
    f.wait_until(10_us);
    b.write_register(f, 0, Card::transmit_tail, 3);
  });
  b.run();
  REQUIRE(b.interrupts(1).size() == 1);
  CHECK(b.interrupts(1)[0].when > 200_us);
  CHECK(b.interrupts(1)[0].when < 201_us);
}

TEST_CASE("Ethernet card: who asks for it is interrupted when a frame was read, with its delay") {
  const auto at = [](Time delay) {
    return Time::from_fs(std::stoll(in_child([delay] {
      EthernetCardBench::Parts p;
      p.card.interrupts.transmit_delay = delay;
      EthernetCardBench b(p);
      b.frame(0, 500_B, Descriptor::report | Descriptor::interrupt);
      b.send(1);
      b.run();
      REQUIRE(b.interrupts(0).size() == 1);
      REQUIRE(b.interrupts(0)[0].when > b.written_back(0).at(0).when);
      return std::to_string(b.interrupts(0)[0].when.fs());
    })));
  };
  CHECK(at(30_us) == at(10_us) + 20_us);
}

TEST_CASE("Ethernet card: frames and registers that cannot be end the run") {
  CHECK(failure([](EthernetCardBench& b) {
          b.frame(0, 1501_B);
          b.send(1);
        }) == "node0.nic: a frame of 1515 B in transmit descriptor 0, where the wire's MTU is 1500");
  CHECK(failure([](EthernetCardBench& b) {
          b.frame(0, 100_B, 0, 7);
          b.send(1);
        }) == "node1.nic: a frame for station 7 came to station 1");
  CHECK(failure([](EthernetCardBench& b) { b.send(128); }) == "node0.nic: its ring has no entry 128");
  CHECK(failure([](EthernetCardBench& b) { b.program(0, [&b](Fiber& f) { b.write_register(f, 0, 0x100, 1); }); }) ==
        "node0.nic: no register at offset 0x100");
}

TEST_CASE("Ethernet card: configs that cannot work are refused with what is wrong") {
  const auto wrong = [](const std::string& fields) -> std::string {
    try {
      config::read<ethernet::CardConfig>(config::parse("{" + fields + "}", "config.json"), {});
    } catch (const config::ConfigError& e) {
      return e.messages().front().text;
    }
    return {};
  };
  CHECK(wrong("") == "");
  CHECK(wrong(R"("transmit_fifo": "1517 B")") == "\"transmit_fifo\" of 1517 B holds no frame of 1518 B");
  CHECK(wrong(R"("receive_fifo": "1517 B")") == "\"receive_fifo\" of 1517 B holds no frame of 1518 B");
  CHECK(wrong(R"("bar_base": "513 KiB")") != "");
}

TEST_CASE("Ethernet card: random frames in random portions come once and in order, alike in trains") {
  const auto run = [](std::uint64_t seed, int max_train) {
    return in_child([=] {
      stats::RandomStream random(seed, "frames");
      EthernetCardBench::Parts p;
      p.card.descriptors = static_cast<int>(1 + random.below(20));
      p.card.frame_cycles = static_cast<int>(random.below(50));
      p.card.transmit_fifo = Bytes(1518 + random.below(4000));
      p.card.interrupts = {10_us * random.below(5), 1_us * random.below(5), 1_us * random.below(5)};
      p.receives = 100;
      EthernetCardBench b(p, max_train);
      for (int k = 0; k < 100; ++k)
        b.frame(k, Bytes(8 + random.below(1493)),
                static_cast<std::uint8_t>(random.below(2) == 0 ? 0 : Descriptor::report | Descriptor::interrupt));
      std::vector<std::pair<Time, std::uint64_t>> tails;
      for (std::uint64_t tail = 0; tail < 100;) {
        tail = std::min<std::uint64_t>(100, tail + 1 + static_cast<std::uint64_t>(random.below(30)));
        tails.emplace_back(Time::from_fs(random.below(100'000'000'000)), tail);
      }
      b.program(0, [&b, &tails](Fiber& f) {
        for (const auto& t : tails) {
          b.write_register(f, 0, Card::transmit_tail, t.second);
          f.wait_for(t.first);
        }
      });
      b.run();
      REQUIRE(b.card(0).sent() == 100);
      REQUIRE(b.card(1).received() == 100);
      for (int k = 0; k < 100; ++k)
        REQUIRE(flow::read_word(b.memory(1).bytes(EthernetCardBench::receive_buffer(k) + 14, 8_B).data(), 8) ==
                static_cast<std::uint64_t>(k) + 1);
      return extents_text(b.memory(0)) + extents_text(b.memory(1));
    });
  };
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    const std::string plain = run(seed, 1);
    REQUIRE(plain.size() > 1000);
    CHECK(run(seed, 64) == plain);
  }
}

}  // namespace ethernet_card_test
