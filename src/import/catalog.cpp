// SPDX-License-Identifier: Apache-2.0
#include "import/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "import/formats.hpp"

namespace tsunagi::importing {

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      nccl_xml_format(),      lspci_format(),  nvidia_topo_format(),
      ibnetdiscover_format(), anynet_format(), ns3_topology_format(),
  };
  return all;
}

namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20;

std::string listed_formats() {
  std::string out;
  for (const Format& f : formats())
    out += fmt::format("{}{} ({}: {})", out.empty() ? "" : ", ", f.name, f.doc, f.is_known_by);
  return out;
}

const Format* format_of(const Request& request) {
  const auto it = std::find_if(formats().begin(), formats().end(), [&](const Format& f) {
    return request.format.empty() ? f.recognise(request.text) : f.name == request.format;
  });
  return it == formats().end() ? nullptr : &*it;
}

}  // namespace

Imported import(const Request& request) {
  const Source source(request.file, request.text);
  Findings findings;
  if (request.text.size() > largest_file)
    findings.fail(source.line(1),
                  fmt::format("has {} bytes; files of up to {} are imported", request.text.size(), largest_file));
  else if (const std::size_t at = request.text.find('\0'); at != std::string::npos)
    findings.fail(source.at(at), "a byte of value 0: this is no text");
  findings.throw_if_failed();
  const Format* format = format_of(request);
  if (format == nullptr) findings.fail(source.line(1), "is of no known format; known: " + listed_formats());
  findings.throw_if_failed();
  Imported out = format->read(source, request, findings);
  findings.throw_if_failed();
  out.warnings = findings.warnings();
  return out;
}

}  // namespace tsunagi::importing
