// SPDX-License-Identifier: Apache-2.0
#include "report/accounts/rows_accounts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace tsunagi::report {
namespace {

using Json = nlohmann::ordered_json;

/// The beginning of a line about one row, or about the run.
Row& line(Rows& table, std::optional<std::int64_t> of, const char* account, const std::string& name) {
  Row& row = table.rows.emplace_back();
  if (of) row.count("row", *of);
  return row.text("account", account).text("name", name);
}

void add_window(Rows& table, std::optional<std::int64_t> of, const Accounts& a) {
  if (a.wires) {
    const WireAccount& w = *a.wires;
    line(table, of, "wires", "idle").count("calls", w.idle);
    line(table, of, "wires", "mean").count("calls", w.directions).count("ppm", w.mean_ppm);
    for (const WireUse& u : w.busiest)
      line(table, of, "wire", u.from + " > " + u.to).time("total", u.busy).count("ppm", w.ppm(u.busy));
  }
  if (a.latency)
    for (std::size_t i = 0; i < a.latency->times.size(); ++i)
      line(table, of, "latency", LatencyAccount::quantiles()[i].name).time("total", a.latency->times[i]);
  if (a.accepted) {
    line(table, of, "accepted", "least").bytes("bytes", a.accepted->least.bytes);
    line(table, of, "accepted", "mean").count("calls", a.accepted->senders).bytes("bytes", a.accepted->mean);
    line(table, of, "accepted", "most").bytes("bytes", a.accepted->most.bytes);
    line(table, of, "accepted", "jain").count("ppm", a.accepted->jain_ppm);
  }
}

void add(Rows& table, std::optional<std::int64_t> of, const Accounts& a) {
  for (const StepAccount& s : longest_first(a.steps))
    line(table, of, "step", s.step).count("calls", s.calls).time("mean", s.mean()).time("total", s.total);
  line(table, of, "messages", "sent").count("calls", a.messages).bytes("bytes", a.payload);
  line(table, of, "copies", "by cores").count("calls", a.by_core.copies).bytes("bytes", a.by_core.bytes);
  line(table, of, "copies", "by DMA").count("calls", a.by_dma.copies).bytes("bytes", a.by_dma.bytes);
  add_window(table, of, a);
}

}  // namespace

std::vector<StepAccount> longest_first(std::vector<StepAccount> steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const StepAccount& a, const StepAccount& b) { return a.total > b.total; });
  return steps;
}

Json rows_accounts_to_json(const Rows& rows) {
  if (!rows.accounts) return {};
  Json out = accounts_to_json(*rows.accounts);
  const bool any =
      std::any_of(rows.rows.begin(), rows.rows.end(), [](const Row& r) { return r.accounts() != nullptr; });
  if (!any) return out;
  Json& each = out["rows"] = Json::array();
  for (const Row& row : rows.rows)
    each.push_back(row.accounts() == nullptr ? Json() : accounts_to_json(*row.accounts()));
  return out;
}

void rows_accounts_from_json(const Json& in, Rows& rows) {
  if (in.is_null()) return;
  rows.accounts = accounts_from_json(in);
  if (!in.contains("rows")) return;
  std::size_t i = 0;
  for (Row& row : rows.rows)
    if (const Json& one = in.at("rows").at(i++); !one.is_null()) row.account(accounts_from_json(one));
}

Rows accounts_table(const Rows& rows) {
  Rows out;
  if (rows.accounts) add(out, std::nullopt, *rows.accounts);
  std::int64_t i = 0;
  for (const Row& row : rows.rows) {
    if (row.accounts() != nullptr) add(out, i, *row.accounts());
    ++i;
  }
  return out;
}

}  // namespace tsunagi::report
