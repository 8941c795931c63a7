// SPDX-License-Identifier: Apache-2.0
// BookSim's anynet files: "router 0 node 0 node 1 router 1 5", what a router is joined to, channels with their latency
// in cycles behind them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "import/formats.hpp"
#include "import/network_text.hpp"

namespace tsunagi::importing {

namespace {

constexpr long most_anynet_ids = 1'000'000, most_cycles = 100'000;

class AnynetReader {
 public:
  AnynetReader(const Source& source, const Request& request, Findings& findings)
      : source_(source), request_(request), findings_(findings) {}

  Imported read() {
    for (line_ = 1; line_ <= source_.line_count() && !findings_.is_full(); ++line_) read_line();
    if (network_.routers.empty() && !findings_.failed()) findings_.fail(source_.line(1), "has no router");
    if (findings_.failed()) return {};
    network_.router = part(request_, "generic_router");
    network_.wire = part(request_, "link_16_gbyte");
    network_.terminal = "\"terminal\": " + part(request_, "generic_terminal");
    network_.notes = {
        "Format: anynet file of BookSim, whose channels have latencies in cycles: here a nanosecond each.",
        "Assumed: generic routers, 16 GB/s a link; both directions of a channel are alike."};
    return network_text(network_, request_, findings_);
  }

 private:
  struct End {
    bool is_router = false;
    long id = 0;
  };

  void fail(std::string text) { findings_.fail(source_.line(line_), std::move(text)); }

  void read_line() {
    const std::string_view text = source_.line_text(line_);
    const std::vector<std::string_view> words = words_of(text.substr(0, text.find("//")));
    if (words.empty() || words.front().front() == '#') return;
    std::optional<End> from;
    for (std::size_t i = 0; i < words.size();) {
      End end;
      if (i + 1 == words.size() || (words[i] != "router" && words[i] != "node") ||
          !parse_number(words[i + 1], 10, 0, most_anynet_ids, end.id))
        return fail(fmt::format("\"{}\" is no \"router ID\" or \"node ID\"{}", comment(words[i]),
                                i == 0 ? "" : " with or without a latency in cycles behind it"));
      end.is_router = words[i] == "router";
      i += 2;
      long cycles = 1;
      if (i < words.size() && words[i] != "router" && words[i] != "node") {
        if (!parse_number(words[i], 10, 1, most_cycles, cycles))
          return fail(fmt::format("\"{}\" is no latency from 1 to {} cycles", comment(words[i]), most_cycles));
        ++i;
      }
      if (end.is_router) router(end.id);
      if (from)
        join(*from, end, cycles);
      else
        from = end;
    }
  }

  std::size_t router(long id) {
    const auto [it, is_new] = routers_.emplace(id, network_.routers.size());
    if (is_new) {
      FileNetwork::Router r;
      r.place = source_.line(line_);
      r.id = std::to_string(id);
      r.said = fmt::format("router {}", id);
      network_.routers.push_back(std::move(r));
    }
    return it->second;
  }

  void join(const End& from, const End& to, long cycles) {
    if (!from.is_router && !to.is_router) return fail("a node at a node");
    if (from.is_router && to.is_router) return join_routers(from.id, to.id, cycles);
    const long node = from.is_router ? to.id : from.id;
    const std::size_t at = router(from.is_router ? from.id : to.id);
    const auto [it, is_new] = nodes_.emplace(node, at);
    if (!is_new && it->second != at) return fail(fmt::format("node {} at a second router", node));
    if (is_new) network_.routers[at].terminals.push_back(fmt::format("node {}", node));
    if (cycles != 1) findings_.warn(source_.line(line_), "latencies between nodes and routers are left out");
  }

  /// Both directions may be told.
  void join_routers(long a, long b, long cycles) {
    if (a == b) return fail(fmt::format("a channel from router {} to itself", a));
    const auto [it, is_new] = channels_.emplace(std::minmax(a, b), std::pair(network_.cables.size(), cycles));
    if (is_new) {
      network_.cables.push_back({source_.line(line_), router(a), router(b), fmt::format("{} ns", cycles)});
    } else if (it->second.second != cycles) {
      findings_.warn(source_.line(line_), "two directions of a channel differ: the first that is told holds for both");
    }
  }

  const Source& source_;
  const Request& request_;
  Findings& findings_;
  std::size_t line_ = 0;
  FileNetwork network_;
  std::map<long, std::size_t> routers_;
  std::map<long, std::size_t> nodes_;
  std::map<std::pair<long, long>, std::pair<std::size_t, long>> channels_;
};

bool is_anynet(std::string_view text) {
  const Source source("", text.substr(0, 4096));
  for (std::size_t i = 1; i <= source.line_count(); ++i) {
    const std::vector<std::string_view> words = words_of(source.line_text(i));
    if (words.empty() || words.front().front() == '#' || words.front().substr(0, 2) == "//") continue;
    long id = 0;
    return words.size() >= 4 && (words[0] == "router" || words[0] == "node") &&
           parse_number(words[1], 10, 0, most_anynet_ids, id);
  }
  return false;
}

Imported read_anynet(const Source& source, const Request& request, Findings& findings) {
  return AnynetReader(source, request, findings).read();
}

}  // namespace

Format anynet_format() {
  return {"anynet", "BookSim's anynet", "lines \"router 0 node 0 router 1\"", is_anynet, read_anynet};
}

}  // namespace tsunagi::importing
