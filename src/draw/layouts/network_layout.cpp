// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "draw/blocks.hpp"
#include "draw/layouts/layouts.hpp"
#include "draw/layouts/spots.hpp"

namespace tsunagi::draw {
namespace {

using topo::Network;
using topo::Place;

/// Routers where their network has them, under each the nodes that are wired to it; where the routers are inside the
/// nodes, or belong to a further network over them, the nodes stand in rows, with further networks' routers below.
class NetworkLayout {
 public:
  NetworkLayout(Picture& picture, const topo::Graph& graph, Size room)
      : picture_(picture), graph_(graph), room_(room), blocks_(picture, graph, room) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      for (const Place& p : graph.nodes[n].places) {
        if (p.role == Place::Role::router && !p.network->router(p.number).config.empty())
          routers_[{p.network.get(), p.number}] = block_of(n);
        else if (p.role == Place::Role::terminal)
          terminals_[{p.network.get(), p.number}] = block_of(n);
      }
    // What leads out of nodes faces the routers, which are above them, or below if the first network has none of its
    // own.
    const bool above = !graph.networks.front()->router(0).config.empty();
    for (std::size_t g = 0; g < blocks_.groups().all.size(); ++g)
      blocks_.fill(static_cast<int>(g), above ? Side::top : Side::bottom);
  }

  void place() {
    if (const Network& first = *graph_.networks.front(); !first.router(0).config.empty()) place_cells(first);
    place_rest();
    for (const auto& network : graph_.networks) place_routers(*network);
    blocks_.add_frames();
    for (std::size_t l = 0; l < graph_.links.size(); ++l) join(l);
  }

 private:
  /// A router and what hangs below it.
  struct Cell {
    int router = -1;
    std::vector<int> nodes;
    int columns = 1;
    Size node;  // the largest one
    Size size;
    double above = 0;  // from its top to the router's middle
  };

  int block_of(std::size_t device) const { return blocks_.groups().of_node[device]; }
  bool is_placed(int block) const { return placed_.count(block) != 0; }

  Cell cell(const Network& network, int r) {
    Cell c;
    c.router = routers_.at({&network, r});
    for (int p = 0; p < network.ports(r); ++p) {
      const Network::Peer& peer = network.peer(r, p);
      if (peer.kind != Network::Peer::Kind::terminal) continue;
      const auto it = terminals_.find({&network, peer.number});
      if (it == terminals_.end() || !hung_.insert(it->second).second) continue;
      c.nodes.push_back(it->second);
      const Rect& o = blocks_.outline(it->second);
      c.node = {std::max(c.node.width, o.width), std::max(c.node.height, o.height)};
    }
    const Rect& router = blocks_.outline(c.router);
    const auto count = static_cast<double>(c.nodes.size());
    c.columns = std::max(1, static_cast<int>(count <= 4 ? count : std::ceil(std::sqrt(count))));
    const double rows = std::ceil(count / c.columns);
    c.size = {std::max(router.width, c.columns * (c.node.width + gap)),
              router.height + rows * (c.node.height + gap) + (rows > 0 ? room_.height / 2 : 0)};
    c.above = router.height / 2;
    return c;
  }

  void place_cells(const Network& network) {
    std::vector<Cell> cells;
    for (int r = 0; r < network.routers(); ++r) cells.push_back(cell(network, r));
    const std::vector<Point> spots = scaled(network, cells);
    for (std::size_t r = 0; r < cells.size(); ++r) {
      const Cell& c = cells[r];
      blocks_.put(c.router, spots[r]);
      placed_.insert(c.router);
      const double left = spots[r].x - c.columns * (c.node.width + gap) / 2;
      const double top = blocks_.outline(c.router).bottom() + room_.height / 2 + gap;
      for (std::size_t i = 0; i < c.nodes.size(); ++i) {
        const auto column = static_cast<double>(i % static_cast<std::size_t>(c.columns));
        const auto row = static_cast<double>(i / static_cast<std::size_t>(c.columns));
        blocks_.put(c.nodes[i], {left + (column + 0.5) * (c.node.width + gap),
                                 top + row * (c.node.height + gap) + c.node.height / 2});
        placed_.insert(c.nodes[i]);
      }
    }
  }

  std::vector<Point> scaled(const Network& network, const std::vector<Cell>& cells) const {
    std::vector<Extent> extents;
    for (const Cell& c : cells) extents.push_back({c.size, c.above});
    return spread(spots_of(network), extents, room_);
  }

  Rect drawn() const {
    Rect all;
    bool first = true;
    for (const int block : placed_) {
      all = first ? blocks_.outline(block) : united(all, blocks_.outline(block));
      first = false;
    }
    return all;
  }

  /// Whatever hangs at no router of the first network: in rows below it.
  void place_rest() {
    std::vector<int> rest;
    Size largest;
    for (std::size_t g = 0; g < blocks_.groups().all.size(); ++g) {
      const int block = static_cast<int>(g);
      const bool router =
          std::any_of(routers_.begin(), routers_.end(), [&](const auto& r) { return r.second == block; });
      if (router || is_placed(block)) continue;
      rest.push_back(block);
      const Rect& o = blocks_.outline(block);
      largest = {std::max(largest.width, o.width), std::max(largest.height, o.height)};
    }
    const auto columns = std::max<std::size_t>(
        1, rest.size() <= 8 ? rest.size() : static_cast<std::size_t>(std::ceil(2 * std::sqrt(rest.size()))));
    const Rect above = drawn();
    const double left = above.centre().x - static_cast<double>(columns) * (largest.width + room_.width) / 2;
    const double top = above.bottom() + room_.height;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rows_.resize(i / columns + 1);
      row_of_[rest[i]] = rows_.size() - 1;
      blocks_.put(rest[i], {left + (static_cast<double>(i % columns) + 0.5) * (largest.width + room_.width),
                            top + (static_cast<double>(i / columns) + 0.5) * (largest.height + 2 * room_.height)});
      placed_.insert(rest[i]);
      Rect& row = rows_.back();
      const Rect& o = blocks_.outline(rest[i]);
      row = row.width == 0 ? o : united(row, o);
    }
    step_ = largest.width + room_.width;
  }

  /// The only router of a further network: a bar as wide as the nodes, in turn below and above them.
  void place_bar(int router) {
    const Rect all = drawn();
    const bool below = bars_.size() % 2 == 0;
    blocks_.widen(router, all.width + step_);
    const double away = 3 * room_.height + blocks_.outline(router).height / 2;
    blocks_.put(router, {all.centre().x, below ? all.bottom() + away : all.y - away});
    placed_.insert(router);
    bars_.push_back(router);
  }

  void join(std::size_t l) {
    const topo::Link& link = graph_.links[l];
    const bool turned = row_of_.count(block_of(link.a.node)) == 0;
    const std::uint32_t node = turned ? link.b.node : link.a.node;
    const std::uint32_t router = turned ? link.a.node : link.b.node;
    const auto row = row_of_.find(block_of(node));
    Line& line = picture_.lines[l];
    if (row == row_of_.end() || row_of_.count(block_of(router)) != 0) {
      line.paths = {blocks_.clear_path(link, false)};
      return;
    }
    line.paths = {past_rows(picture_.boxes[node].at, row->second, block_of(router))};
    if (line.paths[0].empty())
      line.paths = {blocks_.clear_path(link, false)};
    else if (turned)
      std::reverse(line.paths[0].begin(), line.paths[0].end());
    line.corner = 8;
  }

  /// From a device of a row, through the gaps between the nodes of the rows before it, to a router below or above all
  /// of them. Empty if no row is in the way and the router is no bar.
  Path past_rows(const Rect& node, std::size_t row, int router) const {
    const Rect& to = blocks_.outline(router);
    const auto bar = std::find(bars_.begin(), bars_.end(), router);
    const bool down = to.y > node.y;
    const bool passes = down ? row + 1 < rows_.size() : row > 0;
    if (!passes && bar == bars_.end()) return {};
    const double side = down ? 1 : -1;  // of the node's middle, where its links to the rows beside it are
    double x = node.centre().x + side * node.width / 4;
    Path out{{x, down ? node.bottom() : node.y}};
    if (passes) {
      x = node.centre().x + side * step_ / 2;
      out.push_back({x, down ? rows_[row + 1].y - 6 : rows_[row - 1].bottom() + 6});
      out.push_back({x, down ? rows_.back().bottom() + 6 : rows_.front().y - 6});
    }
    if (bar == bars_.end()) x = to.centre().x + std::clamp(x - to.centre().x, -to.width / 3, to.width / 3);
    out.push_back({x, down ? to.y : to.bottom()});
    return out;
  }

  /// Routers of a further network, as wide as what is above them, the other way round: their terminals are up there.
  void place_routers(const Network& network) {
    if (network.router(0).config.empty() || is_placed(routers_.at({&network, 0}))) return;
    if (network.routers() == 1 && !rows_.empty()) {
      place_bar(routers_.at({&network, 0}));
      return;
    }
    std::vector<Cell> cells;
    for (int r = 0; r < network.routers(); ++r) {
      Cell c;
      c.router = routers_.at({&network, r});
      const Rect& o = blocks_.outline(c.router);
      c.size = {o.width, o.height};
      c.above = o.height / 2;
      cells.push_back(c);
    }
    std::vector<Point> spots = scaled(network, cells);
    double left = spots[0].x, right = spots[0].x, lowest = spots[0].y;
    for (const Point p : spots) {
      left = std::min(left, p.x);
      right = std::max(right, p.x);
      lowest = std::max(lowest, p.y);
    }
    const Rect above = drawn();
    const double top = above.bottom() + 5 * room_.height + cells[0].size.height;
    const double wide = right - left;
    const double stretch = wide > 0 ? std::max(1.0, 0.8 * above.width / wide) : 1;
    for (std::size_t r = 0; r < cells.size(); ++r) {
      blocks_.put(cells[r].router,
                  {above.centre().x + (spots[r].x - (left + right) / 2) * stretch, top + (lowest - spots[r].y)});
      placed_.insert(cells[r].router);
    }
  }

  static constexpr double gap = 10;
  using Key = std::pair<const Network*, int>;

  Picture& picture_;
  const topo::Graph& graph_;
  Size room_;
  Blocks blocks_;
  std::map<Key, int> routers_;  // looked up by network, never walked in that order
  std::map<Key, int> terminals_;
  std::set<int> hung_;      // nodes that have their place under a router
  std::set<int> placed_;    // blocks
  std::vector<Rect> rows_;  // of nodes that hang at no router of the first network
  std::map<int, std::size_t> row_of_;
  std::vector<int> bars_;
  double step_ = 0;  // from node to node in a row
};

}  // namespace

void place_network(Picture& picture, const topo::Graph& graph, Size room) {
  NetworkLayout(picture, graph, room).place();
}

}  // namespace tsunagi::draw
