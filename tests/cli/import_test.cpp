// SPDX-License-Identifier: Apache-2.0
// Files about machines of others: what is made of them is validated, drawn and runs.
#include <filesystem>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/temporary_folder.hpp"

namespace import_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string eight_gpus = configs + "/imports/eight_gpus.xml";

/// Runs a scenario on a machine.
Ended run_on(const TemporaryFolder& folder, const std::string& machine, const std::string& library,
             const std::string& scenario) {
  const auto run = folder.write("run.json", R"({"machine": {"$use": ")" + machine + R"("}, "library": )" + library +
                                                R"(, "scenario": )" + scenario + "}");
  return run_program({"run", run.string()});
}

}  // namespace

TEST_CASE("import: each sample becomes a machine that is validated and drawn") {
  const TemporaryFolder folder;
  const std::string machine = (folder.path() / "machine.json").string();
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/imports")) {
    CAPTURE(entry.path().string());
    const Ended end = run_program({"import", entry.path().string(), "--out", machine});
    CHECK(end.exit_code == 0);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::EndsWith("wrote " + machine + "\n"));
    CHECK(end.cpu_s < 2);
    CHECK(run_program({"validate", machine}).out == machine + ": ok\n");
    CHECK(run_program({"draw", machine}).exit_code == 0);
    CHECK(run_program({"import", entry.path().string(), "--out", machine}).err == end.err);
  }
}

TEST_CASE("import: ping-pongs between GPUs below one switch, at one socket and at two") {
  const TemporaryFolder folder;
  REQUIRE(run_program({"import", eight_gpus, "--out", (folder.path() / "m.json").string()}).exit_code == 0);
  const auto ping_pong = [&](const char* gpus, const char* method) {
    return run_on(
        folder, "m.json", std::string(R"({"$use": "cuda_5_0", "gpus": )") + gpus + "}",
        std::string(R"({"kind": "ping_pong", "methods": [")") + method + R"("], "sizes": ["4 KiB"], "iterations": 2})");
  };
  CHECK(ping_pong(R"(["gpu0", "gpu1"])", "uva").exit_code == 0);
  CHECK(ping_pong(R"(["gpu0", "gpu2"])", "uva").exit_code == 0);
  CHECK(ping_pong(R"(["gpu0", "gpu7"])", "no_uva").exit_code == 0);
  CHECK_THAT(ping_pong(R"(["gpu0", "gpu7"])", "uva").err, Catch::Contains("crosses QPI"));
}

TEST_CASE("import: the table's windows are those of the parts, on each processor's socket") {
  const TemporaryFolder folder;
  const auto pci = [](const char* bus, const char* id) {
    return std::string("<pci busid=\"0:") + bus + ":0.0\" " + id + "/>";
  };
  const auto cpu = [](const char* model, const std::string& cards) {
    return std::string("<cpu vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"") + model + "\">" + cards + "</cpu>";
  };
  const std::string gpu = R"(class="0x030200" vendor="0x10de" device=)",
                    net = R"(class="0x020700" vendor="0x15b3" device=)";
  const auto file = folder.write(
      "all.xml",
      "<system>" +
          cpu("45", "<pci busid=\"0:1:0.0\" class=\"0x060400\" vendor=\"0x10b5\" device=\"0x8647\">" +
                        pci("2", (gpu + "\"0x1028\"").c_str()) + pci("3", (gpu + "\"0x1021\"").c_str()) + "</pci>") +
          cpu("62", pci("4", (net + "\"0x673c\"").c_str()) + pci("5", (net + "\"0x1003\"").c_str())) +
          cpu("63", pci("6", R"(class="0x020000" vendor="0x8086")")) +
          cpu("79", pci("7", (gpu + "\"0x15f8\"").c_str()) + pci("8", (gpu + "\"0x1db1\"").c_str())) +
          cpu("85", pci("9", (net + "\"0x1013\"").c_str())) + cpu("106", pci("a", (gpu + "\"0x20b5\"").c_str())) +
          cpu("143", pci("b", (gpu + "\"0x2330\"").c_str()) + pci("c", (net + "\"0x1021\"").c_str())) +
          cpu("143", pci("d", (gpu + "\"0x20b0\"").c_str()) + pci("e", (gpu + "\"0x2230\"").c_str())) + "</system>");
  const auto machine = folder.path() / "m.json";
  REQUIRE(run_program({"import", file.string(), "--out", machine.string()}).exit_code == 0);
  for (const char* part :
       {"k20", "k20x", "p100", "connectx_2", "connectx_3", "nfp_6000_like", "pex_8647", "sandy_bridge_ep_root_complex",
        "ivy_bridge_ep_root_complex", "haswell_ep_root_complex", "broadwell_ep_root_complex", "v100", "connectx_4",
        "skylake_sp_root_complex", "a100_80gb", "ice_lake_sp_root_complex", "h100", "connectx_7",
        "sapphire_rapids_root_complex", "a100", "rtx_a6000"})
    CHECK_THAT(content(machine), Catch::Contains("/" + std::string(part) + ".json"));
}

TEST_CASE("import: messages over each network") {
  const TemporaryFolder folder;
  for (const auto& [file, library] : {std::pair("two_leaves_ibnetdiscover.txt", R"({"$use": "verbs"})"),
                                      std::pair("ring_anynet.txt", R"({"kind": "datagram"})"),
                                      std::pair("leaf_spine_ns3.txt", R"({"kind": "datagram"})")}) {
    CAPTURE(file);
    REQUIRE(
        run_program({"import", configs + "/imports/" + file, "--out", (folder.path() / "m.json").string()}).exit_code ==
        0);
    CHECK(run_on(folder, "m.json", library,
                 R"({"kind": "all_to_all", "by": "messages", "sizes": ["64 B"], "iterations": 1})")
              .exit_code == 0);
  }
  CHECK_THAT(content(folder.path() / "m.json"), Catch::Contains("\"kind\": \"shortest\""));
  // Shortest routes of a ring of six can deadlock.
  const Ended ring = run_program({"import", configs + "/imports/ring_anynet.txt"});
  CHECK_THAT(ring.out, Catch::Contains("\"kind\": \"up_down\", \"root\": \"2\""));
}

TEST_CASE("import: a stream of a drive's DMA") {
  const TemporaryFolder folder;
  REQUIRE(
      run_program({"import", configs + "/imports/two_sockets_lspci.txt", "--out", (folder.path() / "m.json").string()})
          .exit_code == 0);
  const Ended end = run_on(
      folder, "m.json",
      R"({"kind": "exerciser", "exerciser": "node0.nvme", "memory": "node0.memory1", "base": "64 GiB"})",
      R"({"kind": "pcie_bench", "benchmark": "bw_wr", "sizes": ["4 KiB"], "windows": ["1 MiB"], "transactions": 200})");
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
}

TEST_CASE("import: standard input and output, and the machine's name") {
  const TemporaryFolder folder;
  const Ended end = run_program({"import", eight_gpus, "-q"});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("\"name\": \"eight_gpus\""));
  CHECK_THAT(end.err, Catch::Contains("eight_gpus.xml:5:7: warning: there is no part of this P100 SXM2 (10de:15f9)"));
  const auto odd = folder.path() / "*{}\n\"-\xc3\xa4.xml";
  std::filesystem::copy_file(eight_gpus, odd);
  const Ended named = run_program({"import", odd.string()});
  CHECK(named.exit_code == 0);
  CHECK_THAT(named.out, Catch::Contains("\"name\": \"_____-__\"") && Catch::Contains("*{}\\n\"-"));
  const auto out = folder.path() / "mine.json";
  CHECK(run_program({"import", odd.string(), "--out", out.string()}).exit_code == 0);
  CHECK_THAT(content(out), Catch::Contains("\"name\": \"mine\""));
}

TEST_CASE("import: what is refused") {
  const TemporaryFolder folder;
  expect_refused({"import"}, "which file?");
  expect_refused({"import", "/nonexistent.xml"}, "/nonexistent.xml: cannot be read: No such file or directory");
  expect_refused({"import", folder.path().string()}, "cannot be read");
  expect_refused({"import", eight_gpus, "--format", "ncl"}, "did you mean \"nccl\"?");
  expect_refused({"import", eight_gpus, "--format", ""}, "nccl");
  expect_refused({"import", eight_gpus, "--fromat", "nccl"}, "--format");
  expect_refused({"import", eight_gpus, "--out", eight_gpus}, "eight_gpus.xml");
  expect_refused({"import", eight_gpus, "--out", "/nonexistent/m.json"}, "there is no folder");
  expect_refused({"import", eight_gpus, eight_gpus}, "import");
  expect_refused({"import", "-q", configs + "/machines/tca_pair.json"}, "is of no known format; known: nccl");
  const auto wrong =
      folder.write("wrong.xml", "<system>\n<cpu>\n<pci busid=\"x\"/>\n<pci busid=\"y\"/></cpu></system>");
  const auto out = folder.path() / "m.json";
  const Ended end = run_program({"import", wrong.string(), "--out", out.string()});
  expect_refusal(end, "wrong.xml:3:1: busid \"x\" is no PCI address");
  CHECK_THAT(end.err, Catch::Contains("wrong.xml:4:1: busid \"y\" is no PCI address"));
  CHECK(!std::filesystem::exists(out));
}

}  // namespace import_test
