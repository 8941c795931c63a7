// SPDX-License-Identifier: Apache-2.0
// The formats of traces. To add one: write src/trace/foo.{hpp,cpp}, then one line here.
#include "trace/catalog.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "trace/chrome.hpp"
#include "trace/perfetto.hpp"
#include "trace/vcd.hpp"

namespace tsunagi::trace {
namespace {

using Channels = std::vector<net::ChannelInfo>;

template <class T>
std::unique_ptr<Trace> make(Output& output, Channels channels, Selection selection, const std::string& version) {
  return std::make_unique<T>(output, std::move(channels), std::move(selection), version);
}

struct Format {
  const char* name;
  std::unique_ptr<Trace> (*make)(Output&, Channels, Selection, const std::string&);
  const Mending& mending;
};

constexpr Format all[] = {
    {"chrome", make<ChromeTrace>, chrome_mending},        // JSON for Perfetto, chrome://tracing and speedscope
    {"perfetto", make<PerfettoTrace>, perfetto_mending},  // protobuf for Perfetto
    {"vcd", make<VcdTrace>, vcd_mending},                 // value change dump for GTKWave
};

/// Throws std::invalid_argument.
const Format& find(const std::string& name) {
  for (const Format& f : all)
    if (name == f.name) return f;
  throw std::invalid_argument(fmt::format("unknown trace format \"{}\"; known: {}", name, fmt::join(formats(), ", ")));
}

}  // namespace

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const Format& f : all) names.emplace_back(f.name);
  return names;
}

std::unique_ptr<Trace> open(const std::string& format, Output& output, Channels channels, Selection selection,
                            std::string version) {
  auto trace = find(format).make(output, std::move(channels), std::move(selection), version);
  output.flush();  // a file without its header could not be mended
  return trace;
}

bool mend(const std::string& path, const std::string& format) { return mend(path, find(format).mending); }

}  // namespace tsunagi::trace
