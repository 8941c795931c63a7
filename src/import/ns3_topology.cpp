// SPDX-License-Identifier: Apache-2.0
// Topologies of HPCC's ns-3 simulator and of those that grew from it: "nodes switches links", the switches' ids, then
// "id id rate delay error_rate" a link.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <utility>

#include "import/formats.hpp"
#include "import/network_text.hpp"

namespace tsunagi::importing {

namespace {

constexpr long most_ns3_ids = 1'000'000;

/// A number and a unit of those, as the first unit of the pair says it; false: it is none.
bool read_quantity(std::string_view text, const std::map<std::string_view, double>& units, double& out) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto unit = units.find(text.substr(static_cast<std::size_t>(end - text.data())));
  if (error != std::errc{} || unit == units.end()) return false;
  out = value * unit->second;
  return true;
}

class Ns3Reader {
 public:
  Ns3Reader(const Source& source, const Request& request, Findings& findings)
      : source_(source), request_(request), findings_(findings) {}

  Imported read() {
    if (!read_head() || !read_switches()) return {};
    std::size_t links = 0;
    while (next() && !findings_.is_full()) {
      ++links;
      read_link();
    }
    if (links != static_cast<std::size_t>(links_) && !findings_.failed())
      findings_.fail(source_.line(head_), fmt::format("says that there are {} links, there are {}", links_, links));
    for (long id = 0; id < nodes_ && !findings_.is_full(); ++id)
      if (switch_of_.count(id) == 0 && host_.count(id) == 0)
        findings_.warn(source_.line(head_), "hosts without a link are left out");
    if (findings_.failed() || network_.routers.empty()) return {};
    finish();
    return network_text(network_, request_, findings_);
  }

 private:
  /// The next line that says something.
  bool next() {
    while (++line_ <= source_.line_count()) {
      const std::string_view text = source_.line_text(line_);
      words_ = words_of(text.substr(0, text.find('#')));
      if (!words_.empty()) return true;
    }
    return false;
  }
  void fail(std::string text) { findings_.fail(source_.line(line_), std::move(text)); }

  bool read_head() {
    const bool is_there = next();
    head_ = is_there ? line_ : 1;
    if (is_there && words_.size() == 3 && parse_number(words_[0], 10, 1, most_ns3_ids, nodes_) &&
        parse_number(words_[1], 10, 0, most_ns3_ids, switches_) && parse_number(words_[2], 10, 0, most_ns3_ids, links_))
      return true;
    findings_.fail(source_.line(head_),
                   fmt::format("the first line is not \"nodes switches links\", three numbers up to {}", most_ns3_ids));
    return false;
  }

  /// Their ids, on one line or several.
  bool read_switches() {
    if (switches_ == 0) {
      fail("a network without switches");
      return false;
    }
    while (static_cast<long>(network_.routers.size()) < switches_) {
      if (!next()) {
        findings_.fail(source_.line(head_),
                       fmt::format("says that there are {} switches, names {}", switches_, network_.routers.size()));
        return false;
      }
      for (const std::string_view word : words_) {
        long id = 0;
        if (!read_id(word, id)) return false;
        if (!switch_of_.emplace(id, network_.routers.size()).second) {
          fail(fmt::format("switch {} twice", id));
          return false;
        }
        FileNetwork::Router r;
        r.place = source_.line(line_);
        r.id = std::to_string(id);
        r.said = fmt::format("switch {}", id);
        network_.routers.push_back(std::move(r));
      }
    }
    if (static_cast<long>(network_.routers.size()) == switches_) return true;
    fail(fmt::format("names more than {} switches", switches_));
    return false;
  }

  bool read_id(std::string_view word, long& id) {
    if (parse_number(word, 10, 0, nodes_ - 1, id)) return true;
    fail(fmt::format("\"{}\" is no id from 0 to {}", comment(word), nodes_ - 1));
    return false;
  }

  void read_link() {
    static const std::map<std::string_view, double> rates{
        {"bps", 1e-9}, {"Kbps", 1e-6}, {"Mbps", 1e-3}, {"Gbps", 1}, {"Tbps", 1e3}};
    static const std::map<std::string_view, double> times{
        {"ps", 1e-3}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    if (words_.size() < 4 || words_.size() > 5) return fail("is no link: \"id id rate delay error_rate\"");
    long a = 0, b = 0;
    double gbps = 0, ns = 0;
    if (!read_id(words_[0], a) || !read_id(words_[1], b)) return;
    // What cables of ours have: 1 MB/s at least, 20 km at most (src/topo/parts.hpp).
    constexpr double least_gbps = 0.008, most_gbps = 1e5, least_ns = 1e-3, most_ns = 100'000;
    if (!read_quantity(words_[2], rates, gbps) || !(gbps >= least_gbps && gbps <= most_gbps))
      return fail(fmt::format("\"{}\" is no rate from 8 Mbps to 100 Tbps", comment(words_[2])));
    if (!read_quantity(words_[3], times, ns) || !(ns == 0 || (ns >= least_ns && ns <= most_ns)))
      return fail(fmt::format("\"{}\" is no delay up to 100 us", comment(words_[3])));
    double lost = 0;
    if (words_.size() == 5 && (!read_quantity(words_[4], {{"", 1}}, lost) || !(lost >= 0 && lost <= 1)))
      return fail(fmt::format("\"{}\" is no rate of errors from 0 to 1", comment(words_[4])));
    if (lost > 0) findings_.warn(source_.line(line_), "rates of errors are left out");
    add(a, b, fmt::format("{} Gbps", gbps), ns);
  }

  void add(long a, long b, const std::string& rate, double ns) {
    if (a == b) return fail(fmt::format("a link from {} to itself", a));
    auto at_a = switch_of_.find(a), at_b = switch_of_.find(b);
    const std::string delay = fmt::format("{} ns", ns == 0 ? 1e-3 : ns);
    if (at_a != switch_of_.end() && at_b != switch_of_.end()) {
      network_.cables.push_back({source_.line(line_), at_a->second, at_b->second, rate + " " + delay});
      ++of_cables_[{rate, delay}];
      return;
    }
    if (at_a == switch_of_.end() && at_b == switch_of_.end())
      return fail(fmt::format("a link from host {} to host {}, without a switch", a, b));
    if (at_a == switch_of_.end()) std::swap(at_a, at_b), std::swap(a, b);
    if (!host_.insert({b, at_a->second}).second)
      return findings_.warn(source_.line(line_), "links of hosts behind their first one are left out");
    network_.routers[at_a->second].terminals.push_back(fmt::format("host {}", b));
    ++of_hosts_[{rate, delay}];
  }

  using Kinds = std::map<std::pair<std::string, std::string>, int>;

  /// A wire like most of them.
  std::string wire_like(const Kinds& kinds) {
    auto best = kinds.begin();
    for (auto it = kinds.begin(); it != kinds.end(); ++it)
      if (it->second > best->second) best = it;
    return part(request_, "link_16_gbyte",
                fmt::format("\"bandwidth\": \"{}\", \"flight\": \"{}\"", best->first.first, best->first.second));
  }

  void finish() {
    if (of_hosts_.empty()) return;  // refused as a network without hosts
    if (of_hosts_.size() > 1)
      findings_.warn(source_.line(head_), "links of hosts differ; all have the rate and delay that most have");
    network_.router = part(request_, "generic_router");
    network_.wire = wire_like(of_cables_.empty() ? of_hosts_ : of_cables_);
    network_.terminal_wire = wire_like(of_hosts_);
    network_.terminal = "\"terminal\": " + part(request_, "generic_terminal");
    network_.notes = {
        "Format: topology of HPCC's ns-3 simulator. Rates and delays of links are the file's.",
        "Assumed: generic routers and terminals, whose buffers lend credits (ns-3: shared buffers, PFC or loss)."};
  }

  const Source& source_;
  const Request& request_;
  Findings& findings_;
  std::size_t line_ = 0;
  std::size_t head_ = 1;
  std::vector<std::string_view> words_;
  long nodes_ = 0, switches_ = 0, links_ = 0;
  FileNetwork network_;
  std::map<long, std::size_t> switch_of_;
  std::map<long, std::size_t> host_;  // where each is attached
  Kinds of_cables_, of_hosts_;
};

bool is_ns3(std::string_view text) {
  const Source source("", text.substr(0, 4096));
  const std::vector<std::string_view> words = words_of(source.line_text(1));
  long n = 0;
  bool numbers = words.size() == 3;
  for (const std::string_view word : words) numbers = numbers && parse_number(word, 10, 0, most_ns3_ids, n);
  return numbers;
}

Imported read_ns3(const Source& source, const Request& request, Findings& findings) {
  return Ns3Reader(source, request, findings).read();
}

}  // namespace

Format ns3_topology_format() {
  return {"ns3", "topology file of ns-3 (HPCC)", "a first line of three numbers: nodes switches links", is_ns3,
          read_ns3};
}

}  // namespace tsunagi::importing
