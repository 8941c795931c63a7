// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "trace/catalog.hpp"
#include "trace/output.hpp"

namespace trace_output_test {

using namespace tsunagi;
using trace::Output;

TEST_CASE("trace: an output takes whole records up to its limit and then none") {
  std::ostringstream text;
  Output output(text, 10_B);
  CHECK(output.add("12345", 1_ns));
  CHECK(output.add("67890", 2_ns));
  CHECK_FALSE(output.full());
  CHECK_FALSE(output.add("abc", 12300_ps));
  CHECK(output.full());
  CHECK_FALSE(output.add("", 13_ns));
  output.add_frame("end");
  CHECK(text.str() == "1234567890end");
  CHECK(output.written() == 13_B);
  CHECK(output.full_message() ==
        "the trace reached its limit of 10 B at 12.3 ns; choose a window (--from, --to), a name pattern (--match) or a "
        "higher --limit-size");
}

TEST_CASE("trace: an output is a file") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("trace", "what was there before").string();
  Output output(path);
  output.add("new", 0_fs);
  output.close();
  output.close();
  std::string text;
  std::getline(std::ifstream(path), text);
  CHECK(text == "new");
}

TEST_CASE("trace: a file that cannot be written says why") {
  CHECK_THROWS_WITH(Output("/no/such/folder/x"), "cannot write /no/such/folder/x: No such file or directory");
  if (!std::filesystem::exists("/dev/full")) return;
  Output full("/dev/full");
  full.add("x", 0_fs);
  CHECK_THROWS_WITH(full.close(), "cannot write /dev/full: No space left on device");
  Output soon("/dev/full");
  CHECK_THROWS_WITH(soon.add(std::string(4 << 20, 'x'), 0_fs), "cannot write /dev/full: No space left on device");
}

TEST_CASE("trace: an unknown format is told with the known ones") {
  std::ostringstream text;
  Output output(text);
  CHECK_THROWS_WITH(trace::open("fst", output, {}, {}, "1"),
                    "unknown trace format \"fst\"; known: chrome, perfetto, vcd");
}

}  // namespace trace_output_test
