// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/box/box_compare.hpp"
#include "app/box/box_intervals.hpp"
#include "app/box/box_machine.hpp"
#include "app/box/box_runs.hpp"
#include "app/commands.hpp"
#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "box/html.hpp"
#include "box/text.hpp"
#include "experiment/version.hpp"
#include "page/page.hpp"
#include "topo/graph.hpp"
#include "units/parse.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> box_formats{"table", "csv", "json", "svg", "html"};

CommandLine box_line() {
  CommandLine line(
      "box MACHINE.json|FILE [options]",
      "Measures a server as its owner would: bandwidth one way, both ways and all at once, and the latency of\n"
      "small messages, between every two of its memories, GPUs, adapters and cards, near and at the other socket;\n"
      "each with what limits it; adapters with an equal server at their cable. FILE is anything that\n"
      "`tsunagi import` reads: NCCL topology XML, lspci -vv, nvidia-smi topo -m. --compare sets an owner's numbers\n"
      "beside it, and runs cells that are low again with one cause at a time, to name those with which the model\n"
      "has what was measured.",
      "  tsunagi box topology.xml\n"
      "  lspci -vv | tsunagi box - --compare measured.csv\n"
      "  nvbandwidth | tsunagi box topology.xml --compare -\n"
      "  ib_write_bw -d mlx5_0 OTHER | tsunagi box topology.xml --compare -\n"
      "  tsunagi box server.json --out server.html\n");
  add_run_input(line);
  line.option("size", po::value<std::string>()->value_name("SIZE"),
              "bytes of a copy of bandwidths, 256 KiB to 64 MiB (default: 32 MiB)");
  line.flag(
      "each",
      "simulate each cell; else one whose parts are wired as another one's, in other slots, has that one's value");
  line.flag("intervals",
            "also run every cell with each assumed or fitted value of the machine and of CUDA at the ends of its "
            "range: takes some fifty times as long");
  line.option("compare", po::value<std::string>()->value_name("FILE"),
              "measured values: what nvbandwidth, p2pBandwidthLatencyTest, bandwidthTest, ib_write_bw, ib_read_bw or "
              "ib_write_lat printed, or lines of from,to,what,value: gpu0,gpu1,one_way,12.3 GB/s. what is one_way, "
              "read (by who gets the bytes), both_ways, all_at_once or latency");
  line.option("tolerance", po::value<double>()->default_value(5, "5")->value_name("PERCENT"),
              "how far from the model a measured value is as modelled");
  line.option("jobs,j", po::value<int>()->value_name("N"), "simulations at a time (default: one a core)");
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"),
              "table, csv, json, svg (a heat map) or html (a page with it)");
  line.completes("format", box_formats);
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there; - or none: to standard output. Its extension chooses the format: .txt, .csv, .json, .svg, "
              ".html");
  return line;
}

runner::Options box_options(const po::variables_map& values) {
  runner::Options out;
  out.jobs = values.count("jobs") != 0 ? values["jobs"].as<int>()
                                       : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (out.jobs < 1) throw UsageError("--jobs needs a number from 1 on");
  return out;
}

/// Without a size: none was asked for.
std::optional<Bytes> wanted_size(const po::variables_map& values) {
  if (values.count("size") == 0) return std::nullopt;
  Bytes out;
  try {
    out = parse_bytes(values["size"].as<std::string>());
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--size: {}", e.what()));
  }
  if (out < Bytes(256 * 1024) || out > Bytes(64 * 1024 * 1024))
    throw UsageError("--size must be from 256 KiB to 64 MiB");
  return out;
}

double tolerance_of(const po::variables_map& values) {
  const double out = values["tolerance"].as<double>();
  if (!(out >= 0 && out <= 50)) throw UsageError("--tolerance must be from 0 to 50");
  return out / 100;
}

box::Plan plan_of(const BoxMachine& machine, const topo::Graph& graph, const box::Wish& wish) {
  try {
    return box::plan_of(graph, wish);
  } catch (const std::invalid_argument& e) {
    throw error_in(machine.file(), "", e.what());
  }
}

/// The matrix without intervals. Nothing: Ctrl-C.
std::optional<box::Matrix> matrix_of(const BoxMachine& machine, const topo::Graph& graph, box::Plan plan,
                                     const runner::Options& options) {
  std::vector<BoxTask> tasks;
  for (const std::size_t run : box::needed_runs(plan)) tasks.push_back({0, run});
  // The long ones first, so that none is left over at the end.
  std::stable_sort(tasks.begin(), tasks.end(), [&](const BoxTask& a, const BoxTask& b) {
    return box::bytes_moved(plan.runs[a.run]) > box::bytes_moved(plan.runs[b.run]);
  });
  const auto observed = observe({{machine.config()}}, plan, tasks, options);
  if (!observed) return std::nullopt;
  std::vector<box::Observed> by_run(plan.runs.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) by_run[tasks[i].run] = (*observed)[i];
  std::vector<box::Value> values = box::values_of(plan, graph, by_run);
  box::Matrix out{std::move(plan), std::move(values)};
  for (const box::Observed& o : *observed) {
    out.packet_hops += o.packet_hops;
    out.wakeups += o.wakeups;
  }
  return out;
}

/// That repeats it.
std::string box_command_line(const po::variables_map& values) {
  std::string out = "tsunagi box " + shell_word(inputs(values).front());
  for (const char* name : {"set", "size", "compare", "tolerance", "format", "out"}) {
    if (values.count(name) == 0 || values[name].defaulted()) continue;
    const boost::any& value = values[name].value();
    std::vector<std::string> words;
    if (const auto* all = boost::any_cast<std::vector<std::string>>(&value)) words = *all;
    if (const auto* one = boost::any_cast<std::string>(&value)) words = {*one};
    if (const auto* number = boost::any_cast<double>(&value)) words = {fmt::format("{:g}", *number)};
    for (const std::string& word : words) out += fmt::format(" --{} {}", name, shell_word(word));
  }
  for (const char* name : {"each", "intervals"})
    if (values.count(name) != 0) out += fmt::format(" --{}", name);
  return out;
}

std::string box_page(const po::variables_map& values, const box::Matrix& m,
                     const std::vector<box::Comparison>& compared, const std::string& title) {
  box::PageOf of{title, box_command_line(values), experiment::version()};
  if (const page::Bundle* bundle = page::bundle()) {
    of.style = bundle->style;
    of.style_policy = page::csp_hash(bundle->style_sha256);
  }
  return box::html(m, compared, of);
}

std::string box_output(const po::variables_map& values, const std::string& format, const box::Matrix& m,
                       const std::vector<box::Comparison>& compared) {
  const std::string title = "box " + inputs(values).front();
  if (format == "csv") return box::csv(m, compared);
  if (format == "json")
    return box::to_json(m, compared).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (format == "svg") return box::heat_map(m, title);
  if (format == "html") return box_page(values, m, compared, title);
  return box::text(m, compared);
}

int run_box(const po::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which machine? usage: tsunagi box MACHINE.json|FILE");
  const std::string format = output_format(values, box_formats);
  const runner::Options options = box_options(values);
  const std::optional<Bytes> size = wanted_size(values);
  const double tolerance = tolerance_of(values);
  check_out(values);
  use_names_of_configs(values);
  const BoxMachine machine(values, files.front());
  if (!is_stdin(files.front())) keep_inputs(values, {files.front()});
  const topo::Graph graph = topo::build(machine.config().topology, true);
  box::Wish wish;
  if (size) wish.size = *size;
  wish.piece = box::piece_for(graph);
  wish.each = values.count("each") != 0;
  box::Plan plan = plan_of(machine, graph, wish);
  const auto own = measured_values(values, plan);
  if (plan.server.others > 0)
    write_note(fmt::format("the machine has {} other servers: this is {}\n", plan.server.others, plan.server.node));
  std::optional<box::Matrix> matrix = matrix_of(machine, graph, std::move(plan), options);
  if (!matrix) return exit_interrupted;
  if (values.count("intervals") != 0 && !add_intervals(machine, *matrix, options)) return exit_interrupted;
  const auto compared = compare(machine, graph, *matrix, own, tolerance, options);
  if (!compared) return exit_interrupted;
  emit(values, box_output(values, format, *matrix, *compared));
  return exit_ok;
}

}  // namespace

Command box_command() {
  return {"box", "the matrix of a server: what every two of its cards and memories reach", box_line, run_box};
}

}  // namespace tsunagi::app
