// SPDX-License-Identifier: Apache-2.0
// What `ibnetdiscover` (infiniband-diags) finds: blocks that begin with Switch or Ca, in them a line a port that is
// cabled, with the other end and the width and speed of the link: "[1] "S-0002c9020048d3f0"[12] # "leaf" lid 3 4xQDR".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "import/formats.hpp"
#include "import/network_text.hpp"

namespace tsunagi::importing {

namespace {

/// A speed, the parts for it, and what they are set to.
struct SpeedRow {
  std::string_view name;  ///< as ibnetdiscover writes it
  const char* wire;
  const char* router;
  const char* node;
  const char* speed;  ///< that wire, switch and adapter are set to; empty: theirs
  bool is_it;
};

// The rates of sdr to edr are those of wires of ours; what is faster has none.
constexpr SpeedRow speed_rows[] = {
    {"SDR", "infiniband_sdr_4x", "infiniscale_iv", "ib_node_qdr", "", true},
    {"DDR", "infiniband_sdr_4x", "infiniscale_iv", "ib_node_qdr", "ddr", true},
    {"QDR", "infiniband_qdr_4x", "infiniscale_iv", "ib_node_qdr", "", true},
    {"FDR10", "infiniband_fdr10_4x", "switchx_fdr", "ib_node", "", true},
    {"FDR", "infiniband_fdr_4x", "switchx_fdr", "ib_node", "", true},
    {"EDR", "infiniband_fdr_4x", "switchx_fdr", "ib_node", "edr", true},
    {"HDR", "infiniband_fdr_4x", "switchx_fdr", "ib_node", "edr", false},
    {"NDR", "infiniband_fdr_4x", "switchx_fdr", "ib_node", "edr", false},
    {"XDR", "infiniband_fdr_4x", "switchx_fdr", "ib_node", "edr", false},
};

/// "4xQDR": lanes and a speed; false: it is none.
bool read_speed(std::string_view word, long& lanes, const SpeedRow*& row) {
  const std::size_t x = word.find('x');
  if (x == std::string_view::npos || !parse_number(word.substr(0, x), 10, 1, 12, lanes)) return false;
  for (const SpeedRow& r : speed_rows)
    if (word.substr(x + 1) == r.name) {
      row = &r;
      return true;
    }
  return false;
}

/// What stands between the first two quotes from `from` on; `from` is behind them then. Empty: there are none.
std::string_view quoted(std::string_view text, std::size_t& from) {
  const std::size_t begin = text.find('"', from);
  const std::size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  from = end + 1;
  return text.substr(begin + 1, end - begin - 1);
}

class IbReader {
 public:
  IbReader(const Source& source, const Request& request, Findings& findings)
      : source_(source), request_(request), findings_(findings) {}

  Imported read() {
    for (line_ = 1; line_ <= source_.line_count() && !findings_.is_full(); ++line_) read_line(source_.line_text(line_));
    if (network_.routers.empty() && !findings_.failed()) findings_.fail(source_.line(1), "has no Switch");
    for (const Link& link : links_) add(link);
    if (findings_.failed()) return {};
    set_parts();
    return network_text(network_, request_, findings_);
  }

 private:
  struct Port {
    std::string_view node;  ///< "S-0002c9020048d3f0"
    long number = 0;
    bool operator<(const Port& o) const { return std::pair(node, number) < std::pair(o.node, o.number); }
  };
  struct Link {
    config::Place place;
    Port from;
    Port to;
  };
  struct Node {
    bool is_switch = false;
    std::size_t router = 0;
    std::string_view name;
    bool is_attached = false;
  };

  void fail(std::string text) { findings_.fail(source_.line(line_), std::move(text)); }

  void read_line(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') return;
    if (text.front() == '[') return read_port(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    if (word == "Switch" || word == "Ca" || word == "Rt")
      read_node(text, word == "Switch");
    else if (text.find('=') == std::string_view::npos)  // vendid=, devid=, sysimgguid=, switchguid=, caguid=
      fail(fmt::format("\"{}\" begins no line of ibnetdiscover", comment(word)));
  }

  void read_node(std::string_view text, bool is_switch) {
    std::size_t at = 0;
    const std::string_view guid = quoted(text, at), name = quoted(text, at);
    node_ = {};
    if (guid.empty()) return fail("a node without its GUID in quotes");
    Node n;
    n.is_switch = is_switch;
    n.router = network_.routers.size();
    n.name = name.empty() ? guid : name;
    if (!nodes_.emplace(guid, n).second) return fail(fmt::format("node \"{}\" a second time", comment(guid)));
    node_ = guid;
    if (!is_switch) return;
    FileNetwork::Router r;
    r.place = source_.line(line_);
    r.id = fmt::format("s{}", network_.routers.size());
    r.said = std::string(n.name) + " " + std::string(guid);
    network_.routers.push_back(std::move(r));
  }

  void read_port(std::string_view text) {
    if (node_.empty()) return nodes_.empty() ? fail("a port before any node") : void();
    Link link;
    link.place = source_.line(line_);
    std::size_t at = 0;
    link.from.node = node_;
    const auto number = [&](long& out) {
      const std::size_t begin = text.find('[', at), end = text.find(']', at);
      constexpr long most = 255;
      if (begin == std::string_view::npos || end == std::string_view::npos || end < begin ||
          !parse_number(text.substr(begin + 1, end - begin - 1), 10, 1, most, out))
        return false;
      at = end + 1;
      return true;
    };
    if (!number(link.from.number) || (link.to.node = quoted(text, at)).empty() || !number(link.to.number))
      return fail("is no port: [N] \"GUID\"[N]");
    if (!ports_.emplace(link.from, link.to).second)
      return fail(fmt::format("port {} of \"{}\" a second time", link.from.number, comment(node_)));
    count_speed(text);
    links_.push_back(link);
  }

  void count_speed(std::string_view text) {
    const std::vector<std::string_view> words = words_of(text);
    long lanes = 0;
    const SpeedRow* row = nullptr;
    for (const std::string_view word : words)
      if (read_speed(word, lanes, row)) break;
    if (row == nullptr) return;
    ++speeds_[row];
    if (lanes != 4) findings_.warn(source_.line(line_), "links of other widths than 4x are taken as 4x");
  }

  /// A link of which both ends are told is one.
  void add(const Link& link) {
    if (findings_.is_full()) return;
    const auto from = nodes_.find(link.from.node), to = nodes_.find(link.to.node);
    if (to == nodes_.end())
      return findings_.fail(link.place,
                            fmt::format("leads to \"{}\", which is no node of the file", comment(link.to.node)));
    const auto back = ports_.find(link.to);
    if (back != ports_.end() && (back->second < link.from || link.from < back->second))
      return findings_.fail(link.place, fmt::format("leads to port {} of \"{}\", which leads elsewhere", link.to.number,
                                                    comment(link.to.node)));
    Node& a = from->second;
    Node& b = to->second;
    if (a.is_switch && b.is_switch) {
      if (back != ports_.end() && link.to < link.from) return;  // told by its other end
      if (a.router == b.router) return findings_.warn(link.place, "a cable from a switch to itself is left out");
      network_.cables.push_back({link.place, a.router, b.router, ""});
      return;
    }
    if (!a.is_switch && !b.is_switch) return findings_.fail(link.place, "a cable between two hosts, without a switch");
    if (a.is_switch && back != ports_.end()) return;  // told by the host
    Node& host = a.is_switch ? b : a;
    if (host.is_attached) return findings_.warn(link.place, "ports of hosts behind their first one are left out");
    host.is_attached = true;
    network_.routers[a.is_switch ? a.router : b.router].terminals.emplace_back(host.name);
  }

  void set_parts() {
    const SpeedRow* row = &speed_rows[4];
    for (const SpeedRow& r : speed_rows) {
      const auto it = speeds_.find(&r);
      if (it != speeds_.end() && (speeds_.count(row) == 0 || it->second > speeds_[row])) row = &r;
    }
    if (speeds_.empty()) findings_.warn(source_.line(1), "the file does not say how fast links are: FDR is taken");
    if (speeds_.size() > 1)
      findings_.warn(source_.line(1),
                     fmt::format("links differ in speed; all are taken as {}, which most are", row->name));
    if (!row->is_it)
      findings_.warn(source_.line(1), fmt::format("there is no wire of {}: EDR, 12.1 GB/s, stands for it", row->name));
    const std::string speed = *row->speed == 0 ? "" : fmt::format("\"speed\": \"{}\"", row->speed);
    const bool is_faster = row->speed == std::string_view("edr");
    network_.wire = part(request_, row->wire, speed);
    network_.router = part(request_, row->router, is_faster ? speed : "");
    network_.terminal =
        fmt::format("\"node\": {},\n    \"attach\": \"hca.port1\"",
                    part(request_, row->node, is_faster ? fmt::format("\"devices\": {{\"hca\": {{{}}}}}", speed) : ""));
    network_.notes = {
        "Format: ibnetdiscover. Switches and cables are the file's; lengths of cables it does not say.",
        fmt::format("Assumed of each host: {}, a socket with a ConnectX card on PCIe; of each switch: {}. How "
                    "fast they are is told by their files.",
                    row->node, row->router)};
    findings_.warn(source_.line(1),
                   fmt::format("the file does not say what hosts are: part {} stands for each", row->node));
  }

  const Source& source_;
  const Request& request_;
  Findings& findings_;
  std::size_t line_ = 0;
  FileNetwork network_;
  std::string_view node_;  // whose ports are read
  std::map<std::string_view, Node> nodes_;
  std::map<Port, Port> ports_;
  std::vector<Link> links_;
  std::map<const SpeedRow*, int> speeds_;  // looked up only
};

bool is_ibnetdiscover(std::string_view text) {
  const Source source("", text.substr(0, 64 * 1024));
  for (std::size_t i = 1; i <= source.line_count(); ++i) {
    const std::string_view line = trimmed(source.line_text(i));
    for (const char* begin : {"Switch\t", "Switch ", "Ca\t", "Ca ", "vendid="})
      if (line.rfind(begin, 0) == 0) return true;
    if (!line.empty() && line.front() != '#' && line.find('=') == std::string_view::npos) return false;
  }
  return false;
}

Imported read_ibnetdiscover(const Source& source, const Request& request, Findings& findings) {
  return IbReader(source, request, findings).read();
}

}  // namespace

Format ibnetdiscover_format() {
  return {"ibnetdiscover", "ibnetdiscover", "lines that begin with vendid=, Switch or Ca", is_ibnetdiscover,
          read_ibnetdiscover};
}

}  // namespace tsunagi::importing
