// SPDX-License-Identifier: Apache-2.0
#include "app/commands/one_message.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/simulation.hpp"
#include "units/parse.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Bytes> size_of(const po::variables_map& values) {
  if (values.count("size") == 0) return std::nullopt;
  try {
    return parse_bytes(values["size"].as<std::string>());
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--size: {}", e.what()));
  }
}

}  // namespace

void add_message_options(CommandLine& line) {
  line.option("size", po::value<std::string>()->value_name("SIZE"),
              "explain a message of that size (default: the scenario's first)");
  line.option("method", po::value<std::string>()->value_name("NAME"),
              "explain a message that is moved that way (default: the scenario's first)");
}

RunFile narrowed(const po::variables_map& values, const std::string& command,
                 const std::optional<std::string>& method) {
  const std::optional<Bytes> size = size_of(values);
  const std::optional<std::string> wanted = method ? method
                                            : values.count("method") != 0
                                                ? std::optional(values["method"].as<std::string>())
                                                : std::nullopt;
  RunFile whole = read_run(values, command);
  const Json scenario = config::resolved(whole.config).at("scenario");
  std::vector<config::Override> one;
  if (scenario.contains("sizes"))
    one.push_back({"/scenario/sizes",
                   Json::array({size ? Json(values["size"].as<std::string>()) : scenario.at("sizes").front()}).dump()});
  else if (size && scenario.contains("size"))
    one.push_back({"/scenario/size", values["size"].as<std::string>()});
  else if (size)
    throw UsageError("--size: this scenario has no sizes");
  const bool has_methods = scenario.contains("methods");
  if (wanted) {
    if (!has_methods) throw UsageError("--method: this scenario has no methods");
    one.push_back({"/scenario/methods", Json::array({*wanted}).dump(-1, ' ', false, Json::error_handler_t::replace)});
  } else if (has_methods && !scenario.at("methods").empty()) {
    one.push_back({"/scenario/methods", Json::array({scenario.at("methods").front()}).dump()});
  }
  for (const char* list : {"counts", "algorithms", "scales"})
    if (scenario.contains(list) && !scenario.at(list).empty())
      one.push_back({"/scenario/" + std::string(list), Json::array({scenario.at(list).front()}).dump()});
  return one.empty() ? whole : read_run(values, command, one);
}

whatif::Comparison compared(const RunConfig& run, runner::Options options, const char* command) {
  const RunProgress progress(options, command);
  try {
    return whatif::measure(run, whatif::limits(run), all_kinds(), experiment::simulation(), {}, options);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--why-not-faster: {}", e.what()));
  }
}

}  // namespace tsunagi::app
