// SPDX-License-Identifier: Apache-2.0
// A card whose inside is a model of the user's: `tsunagi` has none, and says so where the card stands.
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace tlm_card_cli_test {

using namespace tsunagi::test;

namespace {

const std::string machine =
    "{\"name\": \"node\", \"topology\": {\"kind\": \"tca\", \"nodes\": 2, \"cable\": {\"kind\": \"pcie\"},\n"
    " \"node\": {\"kind\": \"group\", \"devices\": {\n"
    "  \"core0\": {\"kind\": \"core\"}, \"memory\": {\"kind\": \"memory\"}, \"peach2\": {\"kind\": \"peach2\"},\n"
    "  \"rc\": {\"kind\": \"root_complex\", \"slots\": [\n"
    "   {\"name\": \"slot0\", \"window_base\": \"512 GiB\", \"window_size\": \"512 GiB\"},\n"
    "   {\"name\": \"slot1\", \"window_base\": \"256 GiB\", \"window_size\": \"1 MiB\"}]},\n"
    "  \"card\": {\"kind\": \"tlm_card\", \"bar_base\": \"256 GiB\"}},\n"
    " \"links\": [{\"ends\": [\"core0.bus\", \"rc.core0\"], \"wire\": {\"kind\": \"on_chip\"}},\n"
    "  {\"ends\": [\"rc.memory\", \"memory.bus\"], \"wire\": {\"kind\": \"on_chip\"}},\n"
    "  {\"ends\": [\"rc.slot0\", \"peach2.n\"], \"wire\": {\"kind\": \"pcie\"}},\n"
    "  {\"ends\": [\"rc.slot1\", \"card.pcie\"], \"wire\": {\"kind\": \"pcie\"}}]}}}\n";

}  // namespace

TEST_CASE("a machine with a TLM card is fine") {
  const TemporaryFolder folder;
  const Ended end = run_program({"validate", folder.write("machine.json", machine).string()});
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  CHECK_THAT(end.out, Catch::EndsWith("machine.json: ok\n"));
}

TEST_CASE("a machine with a TLM card whose window is another than its slot's is refused where the card stands") {
  const TemporaryFolder folder;
  std::string wrong = machine;
  wrong.replace(wrong.find("\"bar_base\": \"256 GiB\""), 21, "\"bar_base\": \"257 GiB\"");
  const Ended end = run_program({"validate", folder.write("machine.json", wrong).string()});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("machine.json:7:11: ") && Catch::Contains("node0.card: its window is"));
}

TEST_CASE("a run of a machine with a TLM card is refused where the card stands, with what to do") {
  const TemporaryFolder folder;
  folder.write("machine.json", machine);
  const std::string file = folder
                               .write("run.json",
                                      "{\"machine\": {\"$use\": \"machine.json\"}, \"library\": {\"kind\": \"tca\"},\n"
                                      " \"scenario\": {\"kind\": \"ping_pong\", \"methods\": [\"pio\"]}}\n")
                               .string();
  for (const char* command : {"run", "validate"}) {
    const Ended end = run_program({command, file});
    CAPTURE(command, end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err,
               Catch::Contains("machine.json:7:11: ") &&
                   Catch::Contains("node0.card: what is inside a tlm_card is a model of yours: your program has to run "
                                   "it (docs/embedding.md)"));
  }
}

}  // namespace tlm_card_cli_test
