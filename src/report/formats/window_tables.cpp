// SPDX-License-Identifier: Apache-2.0
#include "report/formats/window_tables.hpp"

namespace tsunagi::report {
namespace {

/// A measured share, in ppm, with one decimal of a percent, rounded down; an index with two.
std::int64_t coarse(std::int64_t share) { return share / 1000 * 1000; }
std::int64_t fine(std::int64_t share) { return (share + 50) / 100 * 100; }

std::string name_of(const WireUse& u) { return u.from + " > " + u.to; }

void add_latency(Row& row, const LatencyAccount& l) {
  row.count("messages", l.messages);
  for (std::size_t i = 0; i < l.times.size(); ++i) row.time(LatencyAccount::quantiles()[i].name, l.times[i]);
}

void add_accepted(Row& row, const ServiceAccount& s) {
  row.count("senders", s.senders).bytes("least", s.least.bytes).bytes("mean", s.mean).bytes("most", s.most.bytes);
  row.count("jain_ppm", fine(s.jain_ppm));
  row.count("least_rank", s.least.rank).count("most_rank", s.most.rank);
}

void add_wires(Row& row, const WireAccount& w) {
  row.count("directions", w.directions).count("idle", w.idle);
  row.count("mean_ppm", coarse(w.mean_ppm)).count("max_ppm", coarse(w.most_ppm()));
  row.text("busiest", w.busiest.empty() ? "-" : name_of(w.busiest.front()));
}

Rows busiest_wires(std::int64_t of, const WireAccount& w) {
  Rows out;
  for (const WireUse& u : w.busiest)
    out.rows.emplace_back().count("row", of).text("busiest wires", name_of(u)).count("use_ppm", coarse(w.ppm(u.busy)));
  return out;
}

}  // namespace

std::vector<Rows> window_tables(const Rows& rows) {
  std::vector<Rows> out(3);
  const auto line = [&](std::size_t table, std::int64_t i) -> Row& {
    return out[table].rows.emplace_back().count("row", i);
  };
  const WireAccount* busiest = nullptr;
  std::int64_t busiest_row = 0;
  std::int64_t i = 0;
  for (const Row& row : rows.rows) {
    const Accounts* a = row.accounts();
    if (a != nullptr && a->latency) add_latency(line(0, i), *a->latency);
    if (a != nullptr && a->accepted) add_accepted(line(1, i), *a->accepted);
    if (a != nullptr && a->wires) {
      add_wires(line(2, i), *a->wires);
      if (busiest == nullptr || a->wires->most_ppm() > busiest->most_ppm()) {
        busiest = &*a->wires;
        busiest_row = i;
      }
    }
    ++i;
  }
  if (busiest != nullptr) out.push_back(busiest_wires(busiest_row, *busiest));
  std::vector<Rows> told;
  for (Rows& table : out)
    if (!table.rows.empty()) told.push_back(std::move(table));
  return told;
}

}  // namespace tsunagi::report
