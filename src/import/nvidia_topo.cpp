// SPDX-License-Identifier: Apache-2.0
// The matrix of `nvidia-smi topo -m`: how GPUs and network cards reach each other, in seven words.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "import/formats.hpp"
#include "import/nvlink_layout.hpp"
#include "import/server_text.hpp"

namespace tsunagi::importing {

namespace {

constexpr std::size_t most_columns = 128;

/// Distances of its legend, from near to far. NVLink says nothing about PCIe: behind it the number of links.
enum class Way { self, one_bridge, bridges, host_bridge, numa_node, system, nvlink };

/// `links`: of NVLink.
bool read_way(std::string_view word, Way& out, long& links) {
  static const std::pair<std::string_view, Way> ways[] = {
      {"X", Way::self},         {"PIX", Way::one_bridge}, {"PXB", Way::bridges}, {"PHB", Way::host_bridge},
      {"NODE", Way::numa_node}, {"SOC", Way::system},     {"SYS", Way::system}};
  for (const auto& [name, way] : ways)
    if (word == name) {
      out = way;
      return true;
    }
  out = Way::nvlink;
  return word.substr(0, 2) == "NV" && parse_number(word.substr(2), 10, 1, 1000, links);
}

/// Text without what colours and underlines it on a terminal.
std::string plain(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      out += line[i];
      continue;
    }
    while (i < line.size() && line[i] != 'm') ++i;
  }
  return out;
}

/// Names of the columns of a matrix: all before "CPU Affinity".
std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> out;
  for (const std::string_view word : words_of(line)) {
    if (word == "CPU") break;
    out.emplace_back(word);
  }
  return out;
}

bool is_head(const std::string& line) {
  const std::vector<std::string_view> words = words_of(line);
  return !words.empty() && words.front() == "GPU0" &&
         std::none_of(words.begin(), words.end(), [](std::string_view w) { return w == "X"; });
}

/// Sets that are joined one by one.
class Groups {
 public:
  explicit Groups(std::size_t n) : of_(n) { std::iota(of_.begin(), of_.end(), std::size_t{0}); }
  std::size_t of(std::size_t i) const {
    while (of_[i] != i) i = of_[i];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = of(a), b = of(b);
    of_[std::max(a, b)] = std::min(a, b);  // by its first member
  }

 private:
  std::vector<std::size_t> of_;
};

class TopoReader {
 public:
  TopoReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  Server read() {
    std::size_t line = 1;
    while (line <= source_.line_count() && !is_head(plain(source_.line_text(line)))) ++line;
    if (line > source_.line_count()) {
      findings_.fail(source_.line(1), "has no line of columns GPU0, GPU1, ...");
      return {};
    }
    names_ = columns_of(plain(source_.line_text(line)));
    if (names_.size() > most_columns || std::map<std::string, int>(numbered()).size() != names_.size()) {
      findings_.fail(source_.line(line), fmt::format("has one column twice, or more than {}", most_columns));
      return {};
    }
    rows_.resize(names_.size());
    links_.resize(names_.size());
    numa_.assign(names_.size(), -1);
    places_.resize(names_.size());
    for (++line; line <= source_.line_count(); ++line) read_line(line);
    check();
    return findings_.failed() ? Server{} : server();
  }

 private:
  std::map<std::string, int> numbered() const {
    std::map<std::string, int> out;
    for (std::size_t i = 0; i < names_.size(); ++i) out.emplace(names_[i], static_cast<int>(i));
    return out;
  }

  /// A row of the matrix, or "NIC0: mlx5_0" of its legend; others say nothing.
  void read_line(std::size_t line) {
    const std::string text = plain(source_.line_text(line));
    const std::vector<std::string_view> words = words_of(text);
    if (words.empty() || findings_.is_full()) return;
    if (words.size() == 2 && words[0].back() == ':')
      legend_[std::string(words[0].substr(0, words[0].size() - 1))] = words[1];
    const auto row = std::find(names_.begin(), names_.end(), words[0]);
    if (row == names_.end()) return;
    const auto i = static_cast<std::size_t>(row - names_.begin());
    if (!rows_[i].empty()) return findings_.fail(source_.line(line), "a second row " + comment(*row));
    places_[i] = source_.line(line);
    for (std::size_t k = 0; k < names_.size(); ++k) {
      Way way{};
      long links = 0;
      if (k + 1 >= words.size() || !read_way(words[k + 1], way, links)) {
        findings_.fail(
            source_.line(line),
            fmt::format("row {}, column {}: \"{}\" is none of X, PIX, PXB, PHB, NODE, SYS, NV#", comment(*row),
                        comment(names_[k]), k + 1 < words.size() ? comment(words[k + 1]) : ""));
        rows_[i].assign(names_.size(), Way::system);
        links_[i].assign(names_.size(), 0);
        return;
      }
      rows_[i].push_back(way);
      links_[i].push_back(links);
    }
    const std::size_t numa_at = names_.size() + 2;  // behind the name, the matrix and the affinity of cores
    if (words.size() > numa_at) parse_number(words[numa_at], 10, 0, 1'000'000, numa_[i]);
  }

  void check() {
    for (std::size_t i = 0; i < names_.size() && !findings_.is_full(); ++i) {
      if (rows_[i].empty())
        findings_.fail(source_.line(1), "has no row " + comment(names_[i]));
      else if (rows_[i][i] != Way::self)
        findings_.fail(places_[i], comment(names_[i]) + " and itself are not X");
      for (std::size_t k = 0; k < i && !rows_[i].empty() && !rows_[k].empty(); ++k) {
        const std::string pair = comment(names_[k]) + " and " + comment(names_[i]);
        if (rows_[i][k] != rows_[k][i] || links_[i][k] != links_[k][i])
          findings_.fail(places_[i], pair + ": the two halves of the matrix differ");
        const bool near = rows_[i][k] < Way::numa_node;
        if (near && numa_[i] >= 0 && numa_[k] >= 0 && numa_[i] != numa_[k])
          findings_.fail(places_[i], pair + " are at one host bridge, but of different NUMA nodes");
        if (rows_[i][k] == Way::self) findings_.fail(places_[i], pair + ": X is of one device with itself");
      }
    }
  }

  /// All that are at most that far from each other.
  Groups joined(Way farthest) const {
    Groups out(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (rows_[i][k] <= farthest) out.join(i, k);
    return out;
  }

  /// By NUMA nodes, else by who is not across the system; what says neither is at the first socket.
  std::vector<std::size_t> sockets() const {
    Groups near = joined(Way::numa_node);
    std::map<long, std::size_t> by_numa;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (numa_[i] >= 0) near.join(by_numa.emplace(numa_[i], i).first->second, i);
    std::vector<std::size_t> out(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool across = std::count(rows_[i].begin(), rows_[i].end(), Way::system) != 0;
      out[i] = across || numa_[i] >= 0 || near.of(i) != i ? near.of(i) : 0;
    }
    for (std::size_t& of : out) of = out[of];
    return out;
  }

  /// Which GPUs have so many links, and whether switches join them: if there are more than any GPU has.
  void take_nvlink() {
    long most = 0, widest = 0;
    for (const std::vector<long>& row : links_) {
      most = std::max(most, std::accumulate(row.begin(), row.end(), 0L));
      for (const long links : row) widest = std::max(widest, links);
    }
    if (most == 0) return;
    const auto& rows = nvlink_rows();
    const int has = std::max_element(rows.begin(), rows.end(), [](const NvlinkRow& a, const NvlinkRow& b) {
                      return a.links < b.links;
                    })->links;
    switched_ = most > has;
    const long needed = switched_ ? widest : most;
    for (const NvlinkRow& row : rows)
      if (nvlink_ == nullptr || (nvlink_->links < needed && row.links > nvlink_->links)) nvlink_ = &row;
  }

  void add_nvlinks(std::size_t i, Card& c) const {
    if (nvlink_ == nullptr) return;
    const long most = *std::max_element(links_[i].begin(), links_[i].end());
    if (most == 0) return;
    c.model = nvlink_->model;
    if (switched_) return c.nvlinks.push_back({c.place, "", true, static_cast<int>(most)});
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (links_[i][k] > 0) c.nvlinks.push_back({c.place, names_[k], false, static_cast<int>(links_[i][k])});
  }

  Card card(std::size_t i) const {
    Card c;
    c.place = places_[i];
    c.address = names_[i];
    const std::string_view name = names_[i];
    long number = 0;
    if (name.substr(0, 3) == "GPU" && parse_number(name.substr(3), 10, 0, 1'000'000, number)) {
      c.role = Role::gpu;
      c.number = static_cast<int>(number);
      add_nvlinks(i, c);
    } else {
      const auto known = legend_.find(names_[i]);
      const std::string device = known == legend_.end() ? names_[i] : known->second;
      c.role = device.rfind("mlx", 0) == 0 ? Role::infiniband : Role::nic;
      c.model = device;
    }
    c.said = comment(names_[i]) + (c.model.empty() || c.model == names_[i] ? "" : " " + comment(c.model));
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (rows_[i][k] == Way::one_bridge || rows_[i][k] == Way::bridges)
        c.said += fmt::format(", {} {}", rows_[i][k] == Way::one_bridge ? "PIX" : "PXB", comment(names_[k]));
    return c;
  }

  Card bridge(std::size_t first, const char* said) const {
    Card c;
    c.place = places_[first];
    c.address = "the switch above " + names_[first];
    c.said = said;
    return c;
  }

  Server server() {
    const Groups switches = joined(Way::one_bridge), trees = joined(Way::bridges);
    const std::vector<std::size_t> socket_of = sockets();
    take_nvlink();
    Server out;
    std::map<std::size_t, std::size_t> number;  // of a socket, by its first member
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto [it, is_new] = number.emplace(socket_of[i], out.sockets.size());
      if (is_new) {
        out.sockets.emplace_back();
        out.sockets.back().place = places_[i];
        out.sockets.back().said = numa_[i] < 0 ? "a socket" : fmt::format("NUMA node {}", numa_[i]);
      }
      if (trees.of(i) != i) continue;
      out.sockets[it->second].cards.push_back(tree(i, switches, trees));
    }
    out.notes = {
        "Format: nvidia-smi topo -m, which is coarse. It does not say what the GPUs and cards are, how fast and wide "
        "any link",
        "is, which switches there are (assumed: one for all that are PIX, one above those that are PXB), or where two "
        "GPUs",
        "with NVLink (NV#) are on PCIe, unless a third device tells. NCCL's topology XML and lspci -vv say more."};
    if (nvlink_ != nullptr)
      out.notes.push_back(fmt::format("Assumed: GPUs with NVLink are {}, the first that have as many links{}.",
                                      nvlink_->model,
                                      switched_ ? ", joined by switches, as all together are more" : ""));
    return out;
  }

  /// All at one slot: a card, a switch, or a switch above several.
  Card tree(std::size_t first, const Groups& switches, const Groups& trees) const {
    std::vector<Card> below;
    for (std::size_t i = first; i < names_.size(); ++i) {
      if (trees.of(i) != first || switches.of(i) != i) continue;
      Card group = bridge(i, "assumed: a switch above what is PIX");
      for (std::size_t k = i; k < names_.size(); ++k)
        if (switches.of(k) == i) group.below.push_back(card(k));
      below.push_back(std::move(group));
    }
    if (below.size() == 1) return below.front().below.size() == 1 ? below.front().below.front() : below.front();
    Card upper = bridge(first, "assumed: a switch above what is PXB, and one above each card or what is PIX");
    upper.below = std::move(below);
    return upper;
  }

  const Source& source_;
  Findings& findings_;
  std::vector<std::string> names_;
  std::vector<std::vector<Way>> rows_;
  std::vector<std::vector<long>> links_;  // of NVLink
  const NvlinkRow* nvlink_ = nullptr;     // which GPUs these are taken to be
  bool switched_ = false;
  std::vector<long> numa_;
  std::vector<config::Place> places_;
  std::map<std::string, std::string> legend_;
};

bool is_topo(std::string_view text) {
  const Source source("", text.substr(0, 16 * 1024));
  for (std::size_t i = 1; i <= source.line_count(); ++i)
    if (is_head(plain(source.line_text(i)))) return true;
  return false;
}

Imported read_topo(const Source& source, const Request& request, Findings& findings) {
  const Server server = TopoReader(source, findings).read();
  if (server.sockets.size() > most_sockets)
    findings.fail(source.line(1), fmt::format("has more than {} sockets", most_sockets));
  return findings.failed() ? Imported{} : Imported{server_text(server, request, findings), "", {}};
}

}  // namespace

Format nvidia_topo_format() {
  return {"nvidia_topo", "nvidia-smi topo -m", "a line of columns that begins with GPU0", is_topo, read_topo};
}

}  // namespace tsunagi::importing
