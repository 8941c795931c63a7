// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "explain/account.hpp"
#include "explain/text.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::explain {
namespace {

constexpr std::size_t most_columns = 16;  // of a channel: four of them and the names fit 100

/// Lines of cells: the first is the row's name, the others stand right-aligned below the channels.
class Table {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], report::width(row[i]));
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line = fmt::format("{:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string rate_text(double bytes_per_second) {
  return bytes_per_second <= 0 ? "-" : fmt::format("{:.3f} GB/s", bytes_per_second * 1e-9);
}

template <class F>
std::vector<std::string> cells(const std::string& name, const std::vector<Account>& accounts, F&& cell) {
  std::vector<std::string> out{name};
  for (const Account& a : accounts) out.push_back(cell(a));
  return out;
}

Time time_of(const Account& a, const std::string& use) {
  const auto u = std::find_if(a.uses.begin(), a.uses.end(), [&](const Use& v) { return v.name == use; });
  return u == a.uses.end() ? Time::zero() : u->time;
}

/// Names of the uses of all accounts, each once: those that took time anywhere.
std::vector<std::string> names_of(const std::vector<Account>& accounts, bool busy) {
  std::vector<std::string> names;
  for (const Account& a : accounts)
    for (const Use& u : a.uses)
      if (u.busy == busy && u.time > Time::zero() && std::find(names.begin(), names.end(), u.name) == names.end())
        names.push_back(u.name);
  return names;
}

}  // namespace

std::string account_table(const History& history, const std::vector<Account>& accounts) {
  if (accounts.empty()) return "";
  Table table;
  const auto info = [&](const Account& a) -> const net::ChannelInfo& { return history.channels()[a.channel]; };
  const auto end = [](const std::string& text) { return shortened(text, most_columns); };
  table.row(
      cells("from", accounts, [&](const Account& a) { return end(info(a).from_device + "." + info(a).from_port); }));
  table.row(cells("to", accounts, [&](const Account& a) { return end(info(a).to_device + "." + info(a).to_port); }));
  for (const bool busy : {true, false}) {
    const auto all = [&](const Account& a) { return busy ? a.busy : a.to - a.from - a.busy; };
    table.row(
        cells(busy ? "busy" : "idle", accounts, [&](const Account& a) { return percent(all(a), a.to - a.from); }));
    for (const std::string& name : names_of(accounts, busy))
      table.row(
          cells("  " + name, accounts, [&](const Account& a) { return percent(time_of(a, name), a.to - a.from); }));
  }
  table.row(cells("payload rate", accounts, [](const Account& a) { return rate_text(a.payload_rate()); }));
  table.row(cells("its ceiling", accounts, [&](const Account& a) { return rate_text(a.payload_ceiling(info(a))); }));
  return table.text();
}

nlohmann::ordered_json to_json(const History& history, const Account& a) {
  nlohmann::ordered_json out{{"wire", history.wire(a.channel)},
                             {"from_fs", a.from.fs()},
                             {"to_fs", a.to.fs()},
                             {"busy_fs", a.busy.fs()},
                             {"payload_bytes", a.payload.count()},
                             {"payload_bytes_per_second", a.payload_rate()},
                             {"payload_ceiling_bytes_per_second", a.payload_ceiling(history.channels()[a.channel])}};
  for (const bool busy : {true, false}) {
    auto& uses = out[busy ? "busy" : "idle"] = nlohmann::ordered_json::object();
    for (const Use& u : a.uses)
      if (u.busy == busy) uses[u.name] = u.time.fs();
  }
  return out;
}

}  // namespace tsunagi::explain
