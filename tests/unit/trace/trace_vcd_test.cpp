// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "support/catch.hpp"
#include "trace/vcd.hpp"
#include "trace/vcd_names.hpp"
#include "unit/trace/trace_fixture.hpp"

namespace trace_vcd_test {

using namespace tsunagi;
using namespace tsunagi::test;
using trace::Trace;

namespace {

/// The part behind the declarations.
std::string changes(const std::string& text) {
  const std::string end = "$enddefinitions $end\n";
  return text.substr(text.find(end) + end.size());
}

const std::string first_channel = "node0*";

}  // namespace

TEST_CASE("trace: vcd says exactly what was told") {
  const auto tell = [](Trace& t) {
    t.credits({0, 0, 10_ns, {3, 64}});
    t.hop(hop_at(5, 10_ns, 20_ns));
    t.hop(hop_at(6, 15_ns, 100_ns));
    t.overhead({0, net::Overhead::ack, {180_ns, 182_ns}});
    t.credits({0, 1, 15_ns, {-1, -1}});
  };
  CHECK(traced("vcd", tell, trace::Selection(first_channel)) == R"($version tsunagi 1.2.3 $end
$timescale 1 fs $end
$scope module node0 $end
$scope module peach2 $end
$scope module e $end
$var wire 1 ! busy $end
$var wire 64 " packet $end
$var wire 32 # payload $end
$var wire 1 $ dllp $end
$var wire 32 % credits_posted $end
$var wire 32 & credits_completion $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
b0 "
b0 #
0$
bx %
bx &
$end
#10000000
b11 %
#20000000
1!
b101 "
b100000000 #
#100000000
b110 "
#180000000
0!
b0 "
b0 #
1$
#182000000
0$
#1000000000
)");
}

TEST_CASE("trace: vcd opens each scope once") {
  const std::string text = traced("vcd", [](Trace&) {});
  CHECK(text.find("$scope module e $end") < text.find("$scope module node1 $end"));
  CHECK(text.find("$scope module w $end") > text.find("$scope module node1 $end"));
  CHECK(changes(text).substr(0, 12) == "#0\n$dumpvars");
}

TEST_CASE("trace: vcd times ascend, whatever the order of the events") {
  std::int64_t late = -1;
  const std::string text = traced(
      "vcd",
      [&](Trace& t) {
        for (int i = 0; i < 2000; ++i) {
          t.hop(hop_at(static_cast<std::uint64_t>(i + 1), i * 100_ns, i * 100_ns + 30_ns));
          if (i % 10 == 9) t.overhead({0, net::Overhead::skip, {i * 100_ns - 700_ns, i * 100_ns - 690_ns}});
        }
        late = t.late();
      },
      trace::Selection(first_channel), trace::Output::default_limit, 1_ms);
  std::istringstream lines(changes(text));
  std::int64_t last = -1;
  int rises = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line == "1!") ++rises;
    if (line[0] != '#') continue;
    const std::int64_t t = std::stoll(line.substr(1));
    CHECK(t > last);
    last = t;
  }
  CHECK(rises == 2000);
  CHECK(late == 0);
  CHECK(last == (1_ms).fs());
}

TEST_CASE("trace: vcd moves what comes too late and counts it") {
  const std::string text = traced("vcd", [](Trace& t) {
    t.hop(hop_at(1, 100_us, 100_us));
    t.overhead({0, net::Overhead::ack, {49_us, 51_us}});
    t.overhead({0, net::Overhead::ack, {10_us, 11_us}});
    t.credits({0, 0, 20_us, {3, 64}});
    CHECK(t.late() == 3);
  });
  CHECK(text.find("#50000000000\n1$\nb11 %\n#51000000000\n0$\n#100000000000\n1!") != std::string::npos);
}

TEST_CASE("trace: vcd shows nothing of what takes no time") {
  const std::string text = traced("vcd", [](Trace& t) {
    net::Hop h = hop_at(1, 10_ns, 10_ns);
    h.wire = {10_ns, 10_ns};
    t.hop(h);
  });
  CHECK(text.find("#10000000\n") == std::string::npos);
}

TEST_CASE("trace: vcd begins its window with the values of that time") {
  const auto tell = [](Trace& t) {
    t.hop(hop_at(5, 10_ns, 20_ns));
    t.hop(hop_at(6, 200_ns, 200_ns));
  };
  const std::string begin = "$dumpvars\n1!\nb101 \"\nb100000000 #\n0$\nbx %\nbx &\n$end\n";
  CHECK(changes(traced("vcd", tell, trace::Selection(first_channel, 50_ns, 150_ns))) ==
        "#50000000\n" + begin + "#100000000\n0!\nb0 \"\nb0 #\n#150000000\n");
  CHECK(changes(traced("vcd", tell, trace::Selection(first_channel, 20_ns, 20_ns))) == "#20000000\n" + begin);
}

TEST_CASE("trace: vcd is complete up to its limit") {
  const auto tell = [](Trace& t) {
    t.hop(hop_at(5, 10_ns, 20_ns));
    t.hop(hop_at(6, 200_ns, 200_ns));
  };
  const std::string whole = traced("vcd", tell);
  const std::size_t header = whole.find("#0\n");
  for (std::size_t limit = 1; limit < whole.size(); ++limit) {
    const std::string text = traced("vcd", tell, {}, Bytes(static_cast<std::int64_t>(limit)));
    CHECK(text.size() <= std::max(limit, header));
    CHECK(whole.substr(0, text.size()) == text);
    CHECK((text.size() == header || whole[text.size()] == '#'));
  }
}

TEST_CASE("trace: vcd codes of signals are short and differ") {
  CHECK(trace::signal_code(0) == "!");
  CHECK(trace::signal_code(93) == "~");
  CHECK(trace::signal_code(94) == "!!");
  std::set<std::string> codes;
  for (std::size_t n = 0; n < 94 + 94 * 94; ++n) codes.insert(trace::signal_code(n));
  CHECK(codes.size() == 94 + 94 * 94);
  CHECK(trace::signal_code(94 + 94 * 94 - 1).size() == 2);
}

TEST_CASE("trace: vcd names are legal identifiers and differ") {
  CHECK(trace::identifier("non-posted") == "non_posted");
  CHECK(trace::identifier("0") == "_0");
  CHECK(trace::identifier("") == "_");
  std::vector<net::ChannelInfo> channels(3);
  channels[0].from_device = channels[1].from_device = channels[2].from_device = "node0.a-b";
  channels[0].from_port = "p 1";
  channels[1].from_port = "p_1";
  channels[2].from_port = "1";
  CHECK(trace::channel_scopes(channels) == std::vector<std::vector<std::string>>{{"node0", "a_b", "p_1"},
                                                                                 {"node0", "a_b", "p_1_2"},
                                                                                 {"node0", "a_b", "_1"}});
}

}  // namespace trace_vcd_test
