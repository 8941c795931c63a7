// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands.hpp"
#include "app/commands/matrix.hpp"
#include "app/commands/protocols.hpp"
#include "app/files/config_files.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "cluster/catalogs.hpp"
#include "config/suggest.hpp"
#include "config/text/printable.hpp"
#include "experiment/protocols.hpp"
#include "figures/figure_files.hpp"
#include "report/catalog.hpp"
#include "report/formats/table_layout.hpp"
#include "runner/title.hpp"
#include "sweep/plan/sweep_config.hpp"

namespace tsunagi::app {
namespace {

struct Line {
  std::string name;
  std::string doc;
};

struct Topic {
  std::string name;
  std::function<std::vector<Line>(const Configs&)> lines;
};

std::vector<Line> kinds_of(const char* family) {
  std::vector<Line> out;
  if (const config::KindTable* table = all_kinds().find(family))
    for (const config::Kind& kind : table->kinds) out.push_back({kind.name, kind.doc});
  return out;
}

/// The words of a field that takes one of several, from its schema's description: "word: doc" a line behind the first.
std::vector<Line> words_of(const nlohmann::ordered_json& field) {
  std::vector<Line> out;
  std::istringstream text(field["description"].get<std::string>());
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    const std::size_t colon = line.find(": ");
    out.push_back({line.substr(0, colon), line.substr(colon + 2)});
  }
  return out;
}

/// Routes of any graph, and those that some topologies have, with their names in front.
std::vector<Line> route_lines(const Configs&) {
  std::vector<Line> own;
  for (const config::Kind& topology : all_kinds().find("topology")->kinds) {
    const auto fields = config::part_schema(topology, all_kinds())["properties"];
    if (!fields.contains("routes") || !fields["routes"].contains("enum")) continue;
    for (const Line& word : words_of(fields["routes"])) {
      const auto same = std::find_if(own.begin(), own.end(), [&](const Line& l) {
        return l.name == word.name && l.doc.substr(l.doc.find(": ") + 2) == word.doc;
      });
      if (same == own.end())
        own.push_back({word.name, topology.name + ": " + word.doc});
      else
        same->doc.insert(same->doc.find(": "), ", " + topology.name);
    }
  }
  std::vector<Line> out = kinds_of("routes");
  for (Line& line : out) line.doc = "any graph: " + line.doc;
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

/// Name and title of every config file in a folder; a file that cannot be read is told as such.
std::vector<Line> files_in(const Configs& configs, const char* folder) {
  std::vector<Line> out;
  for (const auto& file : json_files(configs.folder() / folder)) {
    std::string title;
    try {
      const config::Document document = config::load(file);
      title = document.root.find("axes") == nullptr ? runner::title_of(document) : sweep::read_sweep(document).title;
    } catch (const config::ConfigError& e) {
      title = fmt::format("(cannot be read: {})", e.messages().front().line());
    }
    out.push_back({config::printable(file.stem().string()), config::printable(title)});
  }
  return out;
}

std::vector<Line> figure_lines(const Configs& configs) {
  std::vector<Line> out;
  for (const figures::FigureEntry& entry : figures::load_figures(json_files(configs.folder() / "figures")))
    out.push_back({entry.figure.id, fmt::format("{}: {}", entry.system, entry.figure.measure)});
  return out;
}

std::vector<Line> output_lines(const Configs&) {
  std::vector<Line> out;
  for (const report::Writer& writer : report::writers()) out.push_back({writer.name, writer.doc});
  return out;
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"machines", [](const Configs& c) { return files_in(c, "machines"); }},
      {"runs", [](const Configs& c) { return files_in(c, "runs"); }},
      {"sweeps", [](const Configs& c) { return files_in(c, "sweeps"); }},
      {"devices", [](const Configs&) { return kinds_of("device"); }},
      {"wires", [](const Configs&) { return kinds_of("wire"); }},
      {"topologies", [](const Configs&) { return kinds_of("topology"); }},
      {"routes", route_lines},
      {"libraries", [](const Configs&) { return kinds_of("library"); }},
      {"scenarios", [](const Configs&) { return kinds_of("scenario"); }},
      {"outputs", output_lines},
      {"figures", figure_lines},
  };
  return all;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& topic : topics()) names.push_back(topic.name);
  return names;
}

std::string text_of(const Topic& topic, const Configs& configs, const char* indent) {
  report::TextTable table;
  table.column(topic.name, report::Align::left);
  table.column("", report::Align::left);
  std::vector<Line> lines = topic.lines(configs);
  if (lines.empty()) lines.push_back({"(none)", ""});
  for (const Line& line : lines) table.row({indent + line.name, line.doc});
  return table.text();
}

CommandLine list_line() {
  CommandLine line("list [TOPIC|RUN.json]",
                   fmt::format("Prints what there is to choose from, one line each.\nTopics (default: all): {}",
                               fmt::join(topic_names(), ", ")),
                   "  tsunagi list\n  tsunagi list scenarios\n  tsunagi list --matrix\n"
                   "  tsunagi list --protocols configs/runs/mpi_gdr_ping_pong.json\n");
  add_run_input(line);
  line.flag("matrix",
            "instead: which scenario runs on which library, and which library on which topology; found out by building "
            "what comes with the program");
  line.flag(
      "protocols",
      "instead, of RUN.json: which protocol its library takes for which sizes between which places, how often that "
      "copies each byte, what ranks tell each other beside, and why");
  line.option("format", boost::program_options::value<std::string>()->value_name("NAME"),
              "with --matrix or --protocols: table (default), csv or json");
  line.completes("format", {"table", "csv", "json"});
  line.completes("input", topic_names());
  return line;
}

std::string format_of(const boost::program_options::variables_map& values) {
  return values.count("format") == 0 ? "table" : chosen(values, "format", {"table", "csv", "json"});
}

int print_protocols(const boost::program_options::variables_map& values) {
  if (values.count("matrix") != 0) throw UsageError("--protocols and --matrix are two lists: take one");
  const std::string format = format_of(values);
  const RunFile run = read_run(values, "list --protocols");
  const runner::Outcome outcome = experiment::protocols(run.config);
  if (outcome.status != runner::Status::ok) return tell_failure("list", run.document, outcome);
  if (outcome.rows.rows.empty())
    throw UsageError(fmt::format("library {} has no messages between ranks: nothing to choose a protocol for",
                                 run.config.library.kind()));
  write_stdout(protocols_text(outcome.rows, format));
  return exit_ok;
}

int print_matrix(const boost::program_options::variables_map& values, const Configs& configs) {
  if (!inputs(values).empty()) throw UsageError("--matrix is of all scenarios, libraries and topologies: no topic");
  const std::string format = format_of(values);
  const std::optional<std::string> text = matrix(configs.folder(), format);
  if (!text) return exit_interrupted;
  write_stdout(*text);
  return exit_ok;
}

int run_list(const boost::program_options::variables_map& values) {
  const std::vector<std::string> words = inputs(values);
  if (values.count("protocols") != 0) return print_protocols(values);
  if (values.count("set") != 0) throw UsageError("--set is for --protocols");
  const Configs configs(values);
  if (values.count("matrix") != 0) return print_matrix(values, configs);
  if (values.count("format") != 0) throw UsageError("--format is for --matrix and --protocols");
  std::string out;
  for (const Topic& topic : topics()) {
    if (words.empty())
      out += (out.empty() ? "" : "\n") + text_of(topic, configs, "  ");
    else if (topic.name == words.front())
      out = text_of(topic, configs, "");
  }
  if (out.empty()) throw UsageError(config::detail::unknown("topic", words.front(), topic_names()));
  write_stdout(out);
  return exit_ok;
}

}  // namespace

Command list_command() { return {"list", "print machines, devices, scenarios, figures, ...", list_line, run_list}; }

}  // namespace tsunagi::app
