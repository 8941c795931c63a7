// SPDX-License-Identifier: Apache-2.0
#include "app/shell/output_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "app/shell/command_line.hpp"
#include "app/shell/output.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// Of a file of that format; the first is the usual one.
std::vector<std::string> extensions_of(const std::string& format) {
  if (format == "table") return {".txt"};
  if (format == "chrome") return {".json"};
  if (format == "perfetto") return {".pftrace", ".perfetto-trace"};
  return {"." + format};
}

bool has_extension(const std::string& format, const std::string& extension) {
  const std::vector<std::string> all = extensions_of(format);
  return std::find(all.begin(), all.end(), extension) != all.end();
}

/// That of the file which --out names, in small letters; "" if there is none, or if it is no regular file.
std::string extension_of_out(const po::variables_map& values) {
  if (values.count("out") == 0 || is_stdout(values["out"].as<std::string>())) return "";
  const fs::path file(values["out"].as<std::string>());
  std::error_code none;
  if (fs::exists(file, none) && !fs::is_regular_file(file, none)) return "";
  std::string out = file.extension().string();
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// "table (.txt), csv (.csv)".
std::string listed(const std::vector<std::string>& formats) {
  std::string out;
  for (const std::string& format : formats)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", format, fmt::join(extensions_of(format), ", "));
  return out;
}

}  // namespace

std::string output_format(const po::variables_map& values, const std::vector<std::string>& formats) {
  const bool named = values.count("format") != 0 && !values["format"].defaulted();
  const std::string extension = extension_of_out(values);
  const auto by_extension =
      std::find_if(formats.begin(), formats.end(), [&](const std::string& f) { return has_extension(f, extension); });
  if (named) {
    const std::string format = chosen(values, "format", formats);
    if (by_extension != formats.end() && *by_extension != format)
      throw UsageError(fmt::format("--format {} contradicts the name of {}, which is for {}", format,
                                   values["out"].as<std::string>(), *by_extension));
    return format;
  }
  if (by_extension != formats.end()) return *by_extension;
  if (extension.empty()) return formats.front();
  const char* const plot =
      extension == ".svg" && values.count("plot") == 0 ? "; pictures of rows are made by --plot" : "";
  throw UsageError(
      fmt::format("--out {}: the format of \"{}\" is unknown; known formats: {}; or name one with --format{}",
                  values["out"].as<std::string>(), extension, listed(formats), plot));
}

void check_picture(const po::variables_map& values) {
  const std::string extension = extension_of_out(values);
  if (extension.empty() || extension == ".svg") return;
  throw UsageError(
      fmt::format("--out {}: a picture is SVG; name it .svg, not {}", values["out"].as<std::string>(), extension));
}

}  // namespace tsunagi::app
