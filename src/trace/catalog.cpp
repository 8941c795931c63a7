// SPDX-License-Identifier: Apache-2.0
// The formats of traces. To add one: write src/trace/foo.{hpp,cpp}, then one line here.
#include "trace/catalog.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "trace/chrome.hpp"
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
};

constexpr Format all[] = {
    {"chrome", make<ChromeTrace>},  // JSON for Perfetto, chrome://tracing and speedscope
    {"vcd", make<VcdTrace>},        // value change dump for GTKWave
};

}  // namespace

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const Format& f : all) names.emplace_back(f.name);
  return names;
}

std::unique_ptr<Trace> open(const std::string& format, Output& output, Channels channels, Selection selection,
                            std::string version) {
  for (const Format& f : all)
    if (format == f.name) return f.make(output, std::move(channels), std::move(selection), version);
  throw std::invalid_argument(
      fmt::format("unknown trace format \"{}\"; known: {}", format, fmt::join(formats(), ", ")));
}

}  // namespace tsunagi::trace
