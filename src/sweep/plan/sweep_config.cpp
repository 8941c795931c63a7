// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/sweep_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "config/places/places.hpp"
#include "runner/places.hpp"

namespace tsunagi::sweep {
namespace {

namespace fs = std::filesystem;

/// Takes a run that is written in the sweep itself out of its document.
std::optional<config::Document> take_inline_run(config::Document& sweep) {
  config::Value* run = sweep.root.edit("run");
  if (run == nullptr || !run->is_object()) return std::nullopt;
  config::Value text;
  text.type = config::Value::Type::string;
  text.place = run->place;
  config::Document out{sweep.name, std::exchange(*run, std::move(text)), {}, sweep.files};
  return out;
}

/// Whether files may be called so; "" is left to the file that the sweep stands in.
bool is_file_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return c != '/' && c >= 0x20 && c != 0x7f; };
  return name.empty() || (name[0] != '.' && name[0] != '-' && std::all_of(name.begin(), name.end(), fits));
}

config::Document load_run(const std::string& name, const Where& where) {
  const fs::path file = relative_to(where.place, name);
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw config::ConfigError({where.says(fmt::format("there is no file \"{}\"", file.string()))});
  return config::load(file);
}

}  // namespace

void describe(Derivation& c, config::Describer& d) {
  d.field("path", c.path, "the places in the resolved run that take the value: a JSON pointer, or a path of several",
          config::required);
  d.field("expression", c.expression, "over names of axes, in bytes, nanoseconds, bytes a second, hertz, percent",
          config::required);
  d.field("unit", c.unit, "unit of the result, for example B; none: a bare number");
}

void describe(PlotColumns& c, config::Describer& d) {
  d.field("x", c.x, "column along the x axis; none: size, or the axis of numbers with the most values");
  d.field("y", c.y, "columns, a panel each; none: a latency and a bandwidth");
  d.field("by", c.by, "columns of which each combination of values is a curve; none: those that tell points apart");
}

void describe(SweepFile& c, config::Describer& d) {
  d.field("name", c.name, "short name of the sweep; none: the file's");
  d.field("title", c.title, "one line: what varies");
  d.field("run", c.run, "the run that varies: a file relative to this one, or an object", config::required);
  d.list("axes", c.axes, "what varies, the last one fastest", config::required);
  d.list("derive", c.derive, "values computed from the axes");
  d.field("drop", c.drop, "expressions over names of axes; points for which one is not 0 are left out");
  d.object("plot", c.plot, "what `tsunagi sweep plot` draws, by columns of the results");
  d.require(!c.axes.empty(), "a sweep needs at least one axis");
  d.require(c.axes.size() <= 100, "a sweep has at most 100 axes");
  d.require(is_file_name(c.name),
            fmt::format("the name \"{}\" cannot name files: it may not hold \"/\" or control characters, nor begin "
                        "with \".\" or \"-\"",
                        c.name));
}

Sweep read_sweep(const config::Document& document, const std::vector<config::Override>& overrides,
                 const config::Resolver& resolver) {
  config::Document file = document;
  std::optional<config::Document> run = take_inline_run(file);
  values_as_text(file.root);
  const auto c = config::read<SweepFile>(file, config::Kinds{});
  const auto at = [&](const std::string& pointer) { return Where{runner::place_of(document, pointer), pointer}; };

  Sweep sweep{c.name, {}, {}, {}, {}, c.derive, {}, c.plot, document.files.all()};
  if (sweep.name.empty()) sweep.name = fs::path(document.name).stem().string();
  std::vector<config::Message> messages;
  for (std::size_t i = 0; i < c.axes.size(); ++i) sweep.dimensions.push_back(expand(c.axes[i], file, i, messages));
  for (std::size_t i = 0; i < c.derive.size(); ++i) sweep.derive[i].where = at(fmt::format("/derive/{}", i));
  for (std::size_t i = 0; i < c.drop.size(); ++i) sweep.drop.push_back({c.drop[i], at(fmt::format("/drop/{}", i))});
  config::throw_if_any(messages);
  sweep.base = run ? std::move(*run) : load_run(c.run, at("/run"));
  config::apply(sweep.base, overrides, resolver);
  sweep.set = sweep.base.applied;
  sweep.title = runner::filled_title(c.title, sweep.base, varied(sweep));
  return sweep;
}

Sweep load_sweep(const fs::path& file, const std::vector<config::Override>& overrides) {
  return read_sweep(config::load(file), overrides);
}

namespace {

/// The places of a path where the run has something written, which a title may name.
std::vector<std::string> written_places(const std::string& path, const config::Document& run) {
  if (!config::is_pattern(path)) return {path};
  const nlohmann::ordered_json written = config::to_json(run.root);
  return config::find_places(path, {&written}).pointers;
}

}  // namespace

runner::Varied varied(const Sweep& sweep) {
  runner::Varied out;
  for (const Dimension& dimension : sweep.dimensions)
    for (const Axis& axis : dimension) {
      std::vector<std::string> shown;
      for (const AxisValue& value : axis.values) shown.push_back(value.shown);
      out.emplace_back(axis.name, shown);
      for (const std::string& path : axis.paths)
        for (const std::string& place : written_places(path, sweep.base)) out.emplace_back(place, shown);
    }
  return out;
}

}  // namespace tsunagi::sweep
