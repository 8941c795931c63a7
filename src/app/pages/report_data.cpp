// SPDX-License-Identifier: Apache-2.0
#include "app/pages/report_data.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app/files/input_file.hpp"
#include "app/shell/errors.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "config/text/file_text.hpp"
#include "draw/draw.hpp"
#include "experiment/run_pictures.hpp"
#include "page/data.hpp"
#include "page/page.hpp"
#include "runner/run_config.hpp"
#include "runner/title.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_devices_of_page = 3000;  // in a page, whose picture says of each what is inside

constexpr std::size_t most_title = 200;  // bytes of the picture's own title, which stands on one line

/// The first `most` bytes of a text at most, no character cut in two, with an ellipsis if there are more.
std::string beginning(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "\xe2\x80\xa6";
}

void require_objects(const Json& result, const char* key, const std::string& name) {
  if (!result.contains(key)) return;
  const std::string pointer = std::string("/") + key;
  if (!result[key].is_array()) throw error_in(name, pointer, "must be an array, as `run --format json` writes it");
  for (std::size_t i = 0; i < result[key].size(); ++i)
    if (!result[key][i].is_object() && !(result[key][i].is_null() && key == std::string("explanations")))
      throw error_in(name, fmt::format("{}/{}", pointer, i), "must be an object, as `run --format json` writes it");
}

/// Whole bytes of a cell of a result; 0 if there is none.
Bytes bytes_in(const Json& row, const char* key) {
  return Bytes(row.contains(key) && row[key].is_number_unsigned() ? row[key].get<std::int64_t>() : 0);
}

experiment::Carried carried_in(const Json& result) {
  experiment::Carried out;
  if (!result.contains("counters")) return out;
  for (const Json& row : result["counters"])
    if (row.contains("from") && row["from"].is_string())
      out[row["from"].get<std::string>()] =
          bytes_in(row, "payload_bytes") + bytes_in(row, "header_bytes") + bytes_in(row, "framing_bytes");
  return out;
}

Time simulated_in(const Json& result) {
  const Json seconds = result.value("cost", Json::object()).value("simulated_s", Json());
  const double fs = seconds.is_number() ? seconds.get<double>() * 1e15 : 0;
  return Time::from_fs(fs > 0 && fs < 9e18 ? static_cast<std::int64_t>(fs + 0.5) : 0);
}

/// The machine's picture as SVG; puts what is in it into `data`.
std::string picture_of(Json& data) {
  const Json result = data["result"];  // a copy: what is added to an ordered object moves its parts
  const std::string text = result["run"].dump(2, ' ', false, Json::error_handler_t::replace);
  const config::Document document = config::parse(text, "the result", {});
  const auto run = config::read<RunConfig>(document, all_kinds());
  const topo::Graph graph = topo::build(run.machine.topology);
  if (graph.nodes.size() > most_devices_of_page) {
    data["no_picture"] =
        fmt::format("{} devices are too many for this page; `tsunagi draw` draws them", graph.nodes.size());
    return "";
  }
  draw::Show show;
  std::vector<page::DirectionUse> uses;
  if (result.contains("counters")) {
    uses = experiment::direction_uses(graph, carried_in(result), simulated_in(result));
    show.uses = experiment::wire_uses(uses, simulated_in(result));
  }
  data["machine"] = page::machine_data(graph, uses);
  // What it names are values of the machine.
  const std::string title = runner::title_of({document.name, *document.root.find("machine"), {}});
  const std::string& name = title.empty() ? run.machine.name : title;
  return draw::svg(draw::draw(graph, beginning(name, most_title), show), draw::Marks::parts);
}

}  // namespace

void check_pages() {
  if (page::bundle() == nullptr)
    throw UsageError(
        "this program was built without esbuild and d3, which its pages are made with: install Debian's packages "
        "esbuild, "
        "node-d3-axis, node-d3-scale, node-d3-selection and node-d3-shape, or run `npm ci` in web/, and build it "
        "again");
}

std::optional<Json> result_in(const std::string& word) {
  std::error_code error;
  if (!is_stdin(word) && !fs::is_regular_file(word, error)) return std::nullopt;
  std::string why;  // why it cannot be read is told by who reads it as a run
  const auto text = is_stdin(word) ? std::optional(standard_input()) : config::detail::read_text(word, why);
  if (!text) return std::nullopt;
  Json json = Json::parse(*text, nullptr, false, true);
  if (!json.is_object() || !json.contains("rows") || !json.contains("run")) return std::nullopt;
  const std::string name = is_stdin(word) ? "stdin" : word;
  if (!json["run"].is_object()) throw error_in(name, "/run", "must be a config, as `run --format json` writes it");
  for (const char* key : {"rows", "counters", "ceilings", "explanations"}) require_objects(json, key, name);
  for (const char* key : {"accounts", "cost"})
    if (json.contains(key) && !json[key].is_object())
      throw error_in(name, std::string("/") + key, "must be an object, as `run --format json` writes it");
  return json;
}

std::string report_page(Json data, const std::string& title) {
  page::Page out;
  const Json run = data["result"].value("run", Json());  // of a sweep none
  const auto text = [&](const char* key) {
    return run.contains(key) && run[key].is_string() ? run[key].get<std::string>() : "";
  };
  out.title = !title.empty() ? title : !text("title").empty() ? text("title") : text("name");
  if (out.title.empty()) out.title = "A run of tsunagi";
  data["title"] = out.title;
  if (!run.is_object()) {
    out.data = std::move(data);
    return page::html(out, *page::bundle());
  }
  try {
    out.picture = picture_of(data);
  } catch (const std::exception& e) {
    data["no_picture"] = fmt::format("this version cannot build the machine of the result: {}", e.what());
  }
  data["not_modelled"] = page::not_modelled(run);
  out.data = std::move(data);
  return page::html(out, *page::bundle());
}

}  // namespace tsunagi::app
