// SPDX-License-Identifier: Apache-2.0
// The axes of a sweep: what takes which values at which places of the run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace tsunagi::sweep {

/// Where something was said, for messages.
struct Where {
  config::Place place;
  std::string pointer;  ///< in the sweep file; "" from the command line

  config::Message says(std::string text) const { return {place, pointer, std::move(text)}; }
};

/// One value of an axis.
struct AxisValue {
  std::string json;   ///< JSON text, as an Override takes it
  std::string shown;  ///< as tables show it: strings without quotes, files by name_files, objects by name_objects
  Where where;
  bool labelled = false;  ///< the sweep says how it is shown
};

/// A name for one or several places of the run that take the same value.
struct Axis {
  std::string name;
  std::vector<std::string> paths;  ///< JSON pointers into the resolved run
  std::vector<AxisValue> values;
  Where where;
};

/// Axes that advance together; mostly a single one.
using Dimension = std::vector<Axis>;

/// `name` as seen from the folder of the file in which it was written; from the working directory if that is no file.
std::filesystem::path relative_to(const config::Place& place, const std::string& name);

/// JSON text as tables show it: a string without its quotes.
std::string shown(const std::string& json);

/// Shows values that are files ({"$use": FILE}) by the shortest ends of their paths that tell them apart, without
/// ".json": "pcie_gen2", or "new/pcie_gen2" beside "old/pcie_gen2".
void name_files(std::vector<AxisValue>& values);

/// Shows values that are objects by what differs in them, a kind by itself: "datagram" and "tca", or "infiniband,
/// lanes 4"; as they are written where that does not tell them apart.
void name_objects(std::vector<AxisValue>& values);

/// A range of an axis, as written. Values here and below are JSON text.
struct RangeEntry {
  std::string from;
  std::string to;
  std::string step;
  std::int64_t count = 0;
};
void describe(RangeEntry& c, config::Describer& d);

struct PowersEntry {
  std::string from;
  std::string to;
};
void describe(PowersEntry& c, config::Describer& d);

/// An axis as written, inside a zip or alone.
struct ZippedEntry {
  std::string name;
  std::string path;
  std::vector<std::string> paths;
  std::vector<std::string> values;
  std::vector<std::string> files;
  RangeEntry range;
  PowersEntry powers_of_two;
};
void describe(ZippedEntry& c, config::Describer& d);

/// An entry of "axes": an axis, or a zip of several.
struct AxisEntry {
  ZippedEntry axis;
  std::vector<ZippedEntry> zip;
};
void describe(AxisEntry& c, config::Describer& d);

/// In a sweep file, replaces the values of axes, which may be any JSON, by their JSON text, as the entries hold them.
void values_as_text(config::Value& sweep);

/// The dimension that entry `index` of the document's "axes" stands for; faults are added to `messages`.
Dimension expand(const AxisEntry& entry, const config::Document& document, std::size_t index,
                 std::vector<config::Message>& messages);

}  // namespace tsunagi::sweep
