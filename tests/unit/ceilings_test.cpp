// SPDX-License-Identifier: Apache-2.0
// Closed forms that no run may beat: their values, their order beside a table, and that beating one is told.
#include "net/ceilings.hpp"

#include "models/pcie/framing.hpp"
#include "models/pcie/link.hpp"
#include "report/formats/ceilings.hpp"
#include "support/catch.hpp"

namespace ceilings_test {

using namespace tsunagi;

namespace {

net::WireSpec gen2_x8() {
  net::WireSpec w;
  w.framing = std::make_shared<pcie::PcieFraming>();
  w.rate = pcie::link_rate(pcie::LinkConfig{});
  w.flight = 10_ns;
  return w;
}

flow::Packet write_packet() {
  flow::Packet p;
  p.header<pcie::Tlp>() = pcie::Tlp{};
  p.address = std::uint64_t{1} << 32;
  return p;
}

report::Recorder recorded(Time latency) {
  report::Recorder r;
  r.rate("bandwidth", "size", "latency");
  r.row().text("method", "dma").bytes("size", 3657_B).time("latency", latency);
  return r;
}

}  // namespace

TEST_CASE("a write of 256 B fills 280 bytes of a link") {
  CHECK(net::payload_ceiling(gen2_x8(), write_packet(), 256_B) == Rate::bytes_in(256, 280 * 250'000));
}

TEST_CASE("whole words and beats round a packet up to clocks") {
  net::TxSpec tx;
  const Clock clock(Frequency(250'000'000));
  CHECK(net::word_ceiling(gen2_x8(), tx, write_packet(), 256_B).is_infinite());
  CHECK(net::datapath_ceiling(gen2_x8(), tx, write_packet(), 256_B).is_infinite());
  tx.word_clock = clock;
  tx.datapath = net::Datapath{clock, 16_B};
  // 280 B are 17.5 words of 16 B, so 18 clocks of 4 ns; 16 + 256 B are 17 beats.
  CHECK(net::word_ceiling(gen2_x8(), tx, write_packet(), 256_B) == Rate::bytes_in(256, 72'000'000));
  CHECK(net::datapath_ceiling(gen2_x8(), tx, write_packet(), 256_B) == Rate::bytes_in(256, 68'000'000));
}

TEST_CASE("what has left a datapath and not passed the wire") {
  net::TxSpec tx;
  tx.pipeline.delay = 100_ns;
  tx.fifo = 40_B;
  CHECK(net::not_on_wire_yet(gen2_x8(), tx, write_packet(), 256_B) == 0_B);  // no datapath
  tx.datapath = net::Datapath{Clock(Frequency(250'000'000)), 16_B};
  // 100 ns and 40 B of 0.25 ns are 110 ns: a packet of 70 ns, the next one, and the one behind them.
  CHECK(net::not_on_wire_yet(gen2_x8(), tx, write_packet(), 256_B) == 256_B * 3);
  tx.pipeline.delay = 60_ns;
  CHECK(net::not_on_wire_yet(gen2_x8(), tx, write_packet(), 256_B) == 256_B * 2);  // exactly one
}

TEST_CASE("a buffer of n packets goes round once a credit loop") {
  net::RxSpec rx;
  CHECK(net::credit_ceiling(gen2_x8(), rx, write_packet(), 256_B).is_infinite());
  rx.buffers = {{2, 1000}};
  rx.pipeline = {{}, 0, 100_ns};
  // Two packets in 70 ns of serialisation, 10 ns there, 100 ns inside, 10 ns back.
  CHECK(net::credit_ceiling(gen2_x8(), rx, write_packet(), 256_B) == Rate::bytes_in(2 * 256, 190'000'000));
  CHECK(net::credit_burst(gen2_x8(), rx, write_packet(), 256_B) == 512_B);
  // Of 31 data units smaller packets may use those that a packet of 16 leaves over, and take next to no time
  // themselves.
  rx.buffers = {{100, 31}};
  CHECK(net::credit_ceiling(gen2_x8(), rx, write_packet(), 256_B) == Rate::bytes_in(31 * 16, 120'000'000));
  CHECK(net::credit_burst(gen2_x8(), rx, write_packet(), 256_B) == 31 * 16_B);
  rx.buffers = {{flow::Credits::infinite, 31}};
  CHECK(net::credit_ceiling(gen2_x8(), rx, write_packet(), 256_B) == Rate::bytes_in(31 * 16, 120'000'000));
}

TEST_CASE("ceilings stand lowest first, infinite ones not at all") {
  report::Recorder r;
  r.ceiling({"dma", "high", Rate::bytes_per_second(4'000'000'000)});
  r.ceiling({"pio", "other", Rate::bytes_per_second(1'000'000'000)});
  r.ceiling({"dma", "none", Rate::infinite()});
  r.ceiling({"dma", "low", Rate::bytes_per_second(3'000'000'000)});
  const std::string text = report::ceiling_lines(r.rows());
  CHECK(text.find("low") < text.find("high"));
  CHECK(text.find("none") == std::string::npos);
  CHECK(text.find("ceilings of dma") != std::string::npos);
  CHECK(text.find("ceilings of pio") != std::string::npos);
}

TEST_CASE("ceilings of messages to and fro stand once where both ways are alike, else by direction") {
  report::Recorder alike;
  alike.to_and_fro();
  alike.ceiling({"dma", "of node0", Rate::bytes_per_second(3'000'000'000)});
  alike.ceiling({"dma", "of node1", Rate::bytes_per_second(3'000'000'000), {}, true});
  const std::string once = report::ceiling_lines(alike.rows());
  CHECK_THAT(once, Catch::StartsWith("\nceilings of dma\n") && Catch::Contains("of node0"));
  CHECK(once.find("of node1") == std::string::npos);
  alike.ceiling({"dma", "more of node1", Rate::bytes_per_second(1'000'000'000), {}, true});
  const std::string both = report::ceiling_lines(alike.rows());
  CHECK_THAT(both, Catch::Contains("\nceilings of dma, rank 0 to rank 1\n") &&
                       Catch::Contains("\nceilings of dma, rank 1 to rank 0\n") && Catch::Contains("of node1"));
}

TEST_CASE("a rate above a ceiling of its method is told and its row marked, one at it is not") {
  report::Recorder at = recorded(1_us);  // 3.657 GB/s
  at.ceiling({"dma", "link payload", Rate::bytes_per_second(3'657'000'000)});
  at.ceiling({"pio", "another method's", Rate::bytes_per_second(1)});
  CHECK(at.judge().empty());
  CHECK(at.rows().rows.front().find("beats") == nullptr);
  report::Recorder above = recorded(999_ns);
  above.ceiling({"dma", "high", Rate::bytes_per_second(4'000'000'000)});
  above.ceiling({"dma", "link payload", Rate::bytes_per_second(3'657'000'000)});
  const std::vector<std::string> problems = above.judge();
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0],
             Catch::Contains("a simulated bandwidth of 3.66 GB/s beats the bound \"link payload\" of 3.66 GB/s"));
  CHECK(std::get<std::string>(*above.rows().rows.front().find("beats")) == "link payload");
}

TEST_CASE("what waits for no credit yet may come faster than credits come home") {
  // 3,657 B of which 657 B are a burst take at least a microsecond at 3 GB/s.
  const auto judged = [](Time t) {
    report::Recorder r = recorded(t);
    r.ceiling({"dma", "credits", Rate::bytes_per_second(3'000'000'000), 657_B});
    return r.judge().size();
  };
  CHECK(judged(1_us) == 0);
  CHECK(judged(999_ns) == 1);
  report::Recorder small = recorded(1_fs);
  small.ceiling({"dma", "credits", Rate::bytes_per_second(1), 3657_B});
  CHECK(small.judge().empty());
}

TEST_CASE("the mean time of messages to and fro is bound by the mean of both directions' shortest") {
  // 1 us there and 3 us back are 2 us on average, whatever beats the slower way alone.
  const auto judged = [](Time t) {
    report::Recorder r = recorded(t);
    r.to_and_fro();
    r.ceiling({"dma", "there", Rate::bytes_per_second(3'657'000'000)});
    r.ceiling({"dma", "back", Rate::bytes_per_second(1'219'000'000), {}, true});
    const std::vector<std::string> out = r.judge();
    return out.empty() ? std::string() : out.front();
  };
  CHECK(judged(2_us) == "");
  CHECK_THAT(judged(1999_ns), Catch::Contains("beats the bound \"there; back: back\""));
}

TEST_CASE("behind the mark of a stop must fit what reaches it, and what is begun before it is heard") {
  net::WireSpec w = gen2_x8();
  w.flight = 5_ns;
  net::TxSpec tx;
  // 280 B of a 256-byte write take 70 ns, 16 units of data; the sender is deaf for two flights.
  CHECK(net::stop_room(w, tx, write_packet(), 256_B) == 32);
  w.flight = 35_ns;
  CHECK(net::stop_room(w, tx, write_packet(), 256_B) == 32);  // the next would begin as the stop is heard
  w.flight = 35_ns + 1_fs;
  CHECK(net::stop_room(w, tx, write_packet(), 256_B) == 48);
  tx.fifo = 280_B;
  CHECK(net::stop_room(w, tx, write_packet(), 256_B) == 64);
  w.link_layer.process = 70_ns;
  CHECK(net::stop_room(w, tx, write_packet(), 256_B) == 80);
}

}  // namespace ceilings_test
