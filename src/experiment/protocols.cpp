// SPDX-License-Identifier: Apache-2.0
#include "experiment/protocols.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/program.hpp"
#include "experiment/simulate.hpp"
#include "runner/runner.hpp"

namespace tsunagi::experiment {
namespace {

constexpr int sender = 0;
constexpr int receiver = 1;
constexpr Bytes probe{8};  // what every library takes

/// Whether messages of `b`, two-sided ones if they name no method, can be.
bool possible(const comm::Library& library, const comm::Buffer& b) {
  try {
    if (b.method.empty())
      library.check_message(sender, receiver, b);
    else
      library.check(sender, receiver, b);
    return true;
  } catch (const config::ConfigError&) {
    return false;
  }
}

using Table = std::vector<comm::ProtocolRange>;

/// Places from or to which all goes alike.
template <class T>
struct Alike {
  std::vector<std::string> places;
  T goes;
  bool operator==(const Alike& o) const { return places == o.places && goes == o.goes; }
};

template <class T>
void add(std::vector<Alike<T>>& all, const std::string& place, const T& goes) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const Alike<T>& a) { return a.goes == goes; });
  if (same != all.end())
    same->places.push_back(place);
  else
    all.push_back({{place}, goes});
}

std::vector<Alike<Table>> targets_of(const comm::Library& library, comm::Buffer b) {
  const auto& protocols = library.required<comm::Protocols>();
  std::vector<Alike<Table>> out;
  for (const std::string& to : protocols.places(receiver)) {
    b.target = to;
    if (possible(library, b)) add(out, to, comm::protocol_table(protocols, sender, receiver, b));
  }
  return out;
}

void add_rows(const comm::Library& library, const std::string& whose, const std::string& method,
              report::Recorder& out) {
  std::vector<Alike<std::vector<Alike<Table>>>> sources;
  for (const std::string& from : library.required<comm::Protocols>().places(sender))
    add(sources, from, targets_of(library, {Bytes::zero(), probe, from, method}));
  for (const auto& from : sources)
    for (const Alike<Table>& to : from.goes)
      for (const comm::ProtocolRange& r : to.goes) {
        if (r.least > library.largest_message()) break;
        report::Row& row = out.row();
        const comm::Protocol& p = r.protocol;
        row.text("messages", whose).text("from", fmt::format("{}", fmt::join(from.places, ", ")));
        row.text("to", fmt::format("{}", fmt::join(to.places, ", "))).bytes("at_least", r.least);
        if (r.most) row.bytes("up_to", *r.most);
        row.text("protocol", p.name).count("by_core", p.by_core).count("by_dma", p.by_dma);
        row.text("control", fmt::format("{}", fmt::join(p.control, ", "))).text("because", p.because);
      }
}

/// `prefix`: which messages these are, if there are two libraries.
void add_library(const comm::Library& library, const std::string& prefix, report::Recorder& out) {
  if (library.facet<comm::Protocols>() == nullptr || library.ranks() <= receiver) return;
  std::vector<std::string> ways;  // methods of `send`; none: two-sided messages
  if (library.has_messages()) ways.emplace_back();
  if (library.direct()) {
    const std::vector<std::string> methods = library.methods();
    ways.insert(ways.end(), methods.begin(), methods.end());
  }
  for (const std::string& way : ways) add_rows(library, prefix + (way.empty() ? "two-sided" : way), way, out);
}

}  // namespace

runner::Outcome protocols(const RunConfig& run) {
  return runner::run_one(run, [](const RunConfig& config, const std::string&, report::Recorder& out) {
    with_library(config, [&](const comm::Library& library) {
      add_library(library, "", out);
      if (library.halo() != nullptr) add_library(*library.halo(), "halo exchange, ", out);
    });
    return runner::Counts{};
  });
}

}  // namespace tsunagi::experiment
