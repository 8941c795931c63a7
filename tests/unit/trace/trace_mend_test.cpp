// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/perfetto.hpp"
#include "support/temporary_folder.hpp"
#include "trace/catalog.hpp"
#include "unit/trace/trace_fixture.hpp"

namespace trace_mend_test {

using namespace tsunagi;

namespace {

const std::string chrome_text = R"({"displayTimeUnit":"ns","otherData":{"version":"tsunagi 1"},"traceEvents":[)"
                                "\n{\"ph\":\"X\",\"name\":\"a,b\"},\n{\"ph\":\"X\",\"name\":\"c\"}\n]}\n";
const std::string vcd_text =
    "$version tsunagi 1 $end\n$timescale 1 fs $end\n$enddefinitions $end\n#0\n$dumpvars\n0!\nbx \"\n$end\n#17\n1!\n";

/// What `mend` makes of a file.
std::string mended(const std::string& format, const std::string& text, bool valid) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("trace", text);
  CHECK(trace::mend(file.string(), format) == valid);
  return test::content(file);
}

}  // namespace

TEST_CASE("trace: a Chrome trace that ends anywhere behind its header is made valid JSON of whole events") {
  const std::size_t header = chrome_text.find('[') + 1;
  for (std::size_t size = header; size < chrome_text.size(); ++size) {
    const std::string text = mended("chrome", chrome_text.substr(0, size), true);
    CAPTURE(size, text);
    const auto file = nlohmann::json::parse(text);
    const auto second = static_cast<std::size_t>(chrome_text.find("{\"ph\":\"X\",\"name\":\"c\""));
    CHECK(file["traceEvents"].size() == (size < second ? 0 : 1));
  }
  CHECK(mended("chrome", chrome_text, true) == chrome_text);
}

TEST_CASE("trace: a VCD that ends anywhere behind its header is made one of whole lines") {
  const std::size_t header = vcd_text.find("#0");
  for (std::size_t size = header; size <= vcd_text.size(); ++size) {
    const std::string text = mended("vcd", vcd_text.substr(0, size), true);
    CAPTURE(size, text);
    CHECK(vcd_text.rfind(text, 0) == 0);
    CHECK(text.back() == '\n');
    const bool dumps = text.find("$dumpvars") != std::string::npos;
    CHECK(dumps == (size >= vcd_text.find("#17")));
  }
}

TEST_CASE("trace: a Perfetto trace that ends anywhere behind its first packet is made one of whole packets") {
  const std::string whole = test::traced("perfetto", [](trace::Trace& t) {
    t.hop(test::hop_at(3, 10_ns, 20_ns));
    t.hop(test::hop_at(300, 20_ns, 100_ns));
  });
  const std::size_t first = 2 + static_cast<std::size_t>(whole[1]);
  for (std::size_t size = first; size <= whole.size(); ++size) {
    const std::string text = mended("perfetto", whole.substr(0, size), true);
    CAPTURE(size);
    REQUIRE(test::whole_packets(text));
    CHECK(whole.compare(0, text.size(), text) == 0);
    CHECK(text.size() <= size);
    const std::size_t lost = size - text.size();
    if (lost > 0) CHECK_FALSE(test::whole_packets(whole.substr(0, size)));
    if (test::whole_packets(whole.substr(0, size))) CHECK(lost == 0);
  }
  CHECK(mended("perfetto", whole + "garbage", true) == whole);
  CHECK(mended("perfetto", whole + "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", true) == whole);
  CHECK(mended("perfetto", whole + "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", true) == whole);
}

TEST_CASE("trace: what is no trace of ours, or has no whole header, is left alone") {
  CHECK(mended("chrome", "", false).empty());
  CHECK(mended("chrome", "notes\nof mine", false) == "notes\nof mine");
  CHECK(mended("vcd", "notes\nof mine", false) == "notes\nof mine");
  CHECK(mended("perfetto", "\nnotes of mine", false) == "\nnotes of mine");
  CHECK(mended("perfetto", "\x0a\x04\x50", false) == "\x0a\x04\x50");
  CHECK(mended("vcd", "$version tsuna", false) == "$version tsuna");
  CHECK(mended("vcd", "$version tsunagi 1 $e", false) == "$version tsunagi 1 $e");
  CHECK(mended("chrome", chrome_text.substr(0, 60), false) == chrome_text.substr(0, 60));
  CHECK_FALSE(trace::mend("/nonexistent/x", "chrome"));
  CHECK_FALSE(trace::mend("/dev/null", "chrome"));
}

TEST_CASE("trace: of a long file all but its end is kept") {
  std::string events;
  while (events.size() < (3u << 20)) events += "\n{\"ph\":\"X\",\"name\":\"x\"},";
  const std::string header = chrome_text.substr(0, chrome_text.find('[') + 1);
  const std::string text = mended("chrome", header + events + "\n{\"ph\":\"X\",\"na", true);
  CHECK(text == header + events.substr(0, events.size() - 1) + "\n]}\n");
}

}  // namespace trace_mend_test
