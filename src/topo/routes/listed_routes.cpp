// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/listed_routes.hpp"

#include <utility>

#include "config/error_at.hpp"

namespace tsunagi::topo {

namespace {

using Peer = Network::Peer;

/// Where an entry leads.
struct Out {
  std::vector<int> ports;  // one, or all to the next router
  int of(int terminal) const { return ports[static_cast<std::size_t>(terminal) % ports.size()]; }
};

class Listing {
 public:
  Listing(const Network& network, const NetworkNames& names, const std::vector<std::string>& entries,
          std::string pointer)
      : network_(network),
        names_(names),
        entries_(entries),
        pointer_(std::move(pointer)),
        table_(network.routers(), network.terminals()),
        defaults_(static_cast<std::size_t>(network.routers())),
        default_entry_(static_cast<std::size_t>(network.routers()), -1) {}

  RouteTable read() {
    for (std::size_t i = 0; i < entries_.size(); ++i) read(i);
    for (int r = 0; r < network_.routers(); ++r)
      for (int t = 0; t < network_.terminals(); ++t) {
        if (network_.router_of(t) == r)
          table_.set(r, t, network_.attachment(t).port);
        else if (const Out& out = defaults_[static_cast<std::size_t>(r)]; table_.port(r, t) < 0 && !out.ports.empty())
          table_.set(r, t, out.of(t));
      }
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(std::size_t entry, const std::string& text) const {
    throw config::error_at(pointer_ + "/" + std::to_string(entry), text);
  }

  void read(std::size_t i) {
    const std::vector<std::string> words = words_of(entries_[i]);
    if (words.size() != 3)
      fail(i, "\"" + entries_[i] + "\" is no route: it must say router, terminal, and port or next router");
    const int router = names_.router(words[0]);
    if (router < 0) fail(i, names_.no_router(words[0]));
    if (words[1] == "*") {
      if (default_entry_[static_cast<std::size_t>(router)] >= 0)
        twice(i, router, "all others", static_cast<std::size_t>(default_entry_[static_cast<std::size_t>(router)]));
      default_entry_[static_cast<std::size_t>(router)] = static_cast<int>(i);
      defaults_[static_cast<std::size_t>(router)] = out_of(i, router, words[2]);
      if (const Peer& peer = network_.peer(router, defaults_[static_cast<std::size_t>(router)].of(0));
          peer.kind != Peer::Kind::router)
        fail(i, leads_wrong(router, words[2], peer, "all others"));
      return;
    }
    const int terminal = names_.terminal(words[1]);
    if (terminal < 0) fail(i, names_.no_terminal(words[1]));
    if (table_.port(router, terminal) >= 0) twice(i, router, words[1], first_of(router, terminal));
    const int port = out_of(i, router, words[2]).of(terminal);
    const Peer& peer = network_.peer(router, port);
    if (peer.kind != Peer::Kind::router && (peer.kind == Peer::Kind::nothing || peer.number != terminal))
      fail(i, leads_wrong(router, words[2], peer, names_.terminal_name(terminal)));
    if (network_.router_of(terminal) == router && peer.kind == Peer::Kind::router)
      fail(i, names_.terminal_name(terminal) + " is attached to " + network_.router_name(router) + ", by " +
                  network_.port_name(router, network_.attachment(terminal).port));
    table_.set(router, terminal, port);
  }

  /// The ports that a word names: a port of the router, or the next router.
  Out out_of(std::size_t i, int router, const std::string& word) const {
    Out out;
    for (int p = 0; p < network_.ports(router); ++p)
      if (network_.port_name(router, p) == word) return {{p}};
    const int next = names_.router(word);
    if (next >= 0)
      for (int p = 0; p < network_.ports(router); ++p)
        if (const Peer& peer = network_.peer(router, p); peer.kind == Peer::Kind::router && peer.number == next)
          out.ports.push_back(p);
    if (!out.ports.empty()) return out;
    if (next >= 0) fail(i, "no cable joins " + network_.router_name(router) + " and " + network_.router_name(next));
    std::string ports;
    for (int p = 0; p < network_.ports(router); ++p)
      ports += (ports.empty() ? "" : ", ") + network_.port_name(router, p);
    fail(i,
         network_.router_name(router) + " has no port \"" + word + "\" and there is no such router; ports: " + ports);
  }

  std::string leads_wrong(int router, const std::string& port, const Peer& peer, const std::string& wanted) const {
    const std::string to = peer.kind == Peer::Kind::terminal ? names_.terminal_name(peer.number) : "nothing";
    return network_.router_name(router) + "." + port + " leads to " + to + ", which is no way to " + wanted;
  }

  [[noreturn]] void twice(std::size_t i, int router, const std::string& terminal, std::size_t first) const {
    fail(i, "a second route from " + network_.router_name(router) + " to " + terminal + "; the first one is entry " +
                std::to_string(first) + ": \"" + entries_[first] + "\"");
  }

  /// The entry that said a route.
  std::size_t first_of(int router, int terminal) const {
    for (std::size_t i = 0;; ++i) {
      const std::vector<std::string> words = words_of(entries_[i]);
      if (names_.router(words[0]) == router && names_.terminal(words[1]) == terminal) return i;
    }
  }

  const Network& network_;
  const NetworkNames& names_;
  const std::vector<std::string>& entries_;
  std::string pointer_;
  RouteTable table_;
  std::vector<Out> defaults_;       // by router
  std::vector<int> default_entry_;  // by router, -1: none
};

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t end = 0;;) {
    const std::size_t begin = text.find_first_not_of(' ', end);
    if (begin == std::string::npos) return out;
    end = std::min(text.find(' ', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
  }
}

RouteTable listed_routes(const Network& network, const NetworkNames& names, const std::vector<std::string>& entries,
                         const std::string& pointer) {
  return Listing(network, names, entries, pointer).read();
}

}  // namespace tsunagi::topo
