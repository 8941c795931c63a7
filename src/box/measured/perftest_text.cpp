// SPDX-License-Identifier: Apache-2.0
#include "box/measured/perftest_text.hpp"

#include <algorithm>
#include <charconv>

#include "box/matrix.hpp"
#include "box/words.hpp"

namespace tsunagi::box {
namespace {

constexpr std::string_view perftest_verbs[] = {"RDMA_Write", "RDMA_Read", "Send", "Atomic"};

std::optional<double> positive(std::string_view word) {
  const auto out = number_of(word);
  return out && *out > 0 ? out : std::nullopt;
}

/// The number behind what the line says.
std::optional<std::size_t> number_behind(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t out = 0;
  const char* begin = line.data() + at + what.size();
  if (std::from_chars(begin, line.data() + line.size(), out).ec != std::errc()) return std::nullopt;
  return out;
}

/// 3 of "Device         : mlx5_3".
std::optional<std::size_t> device_in(std::string_view line) {
  if (!says(line, "Device ")) return std::nullopt;
  const auto device = number_behind(line, ": mlx5_");
  return device ? device : number_behind(line, ": mlx4_");
}

/// The n-th place of a kind.
std::optional<std::size_t> nth(const Plan& plan, Place::Kind kind, std::size_t n) {
  for (std::size_t i = 0; i < plan.server.places.size(); ++i)
    if (plan.server.places[i].kind == kind && n-- == 0) return i;
  return std::nullopt;
}

}  // namespace

bool is_perftest_title(std::string_view line) {
  const auto words = words_of(line);
  return words.size() >= 3 && words.size() <= 4 && words.back() == "Test" &&
         (words[words.size() - 2] == "BW" || words[words.size() - 2] == "Latency") &&
         std::find(std::begin(perftest_verbs), std::end(perftest_verbs), words.front()) != std::end(perftest_verbs);
}

PerftestText::PerftestText(const Plan& plan) : plan_(plan) {}

void PerftestText::begin(std::string_view title, int number) {
  finish();
  Table t;
  t.name = std::string(title);
  t.line = number;
  const bool writes = says(title, "RDMA_Write");
  t.reads = says(title, "RDMA_Read");
  const bool both = says(title, "Bidirectional");
  if (says(title, "Latency") && writes)
    t.what = What::latency;
  else if (says(title, " BW ") && (writes || t.reads) && !(both && t.reads))
    t.what = both ? What::both_ways : t.reads ? What::read : What::one_way;
  table_ = std::move(t);
}

void PerftestText::columns(std::string_view line) {
  const bool is_latency = table_->what == What::latency;
  table_->column = is_latency ? 4 : 3;
  if (is_latency)
    table_->unit = says(line, "t_typical[usec]") ? 1e-6 : 0;
  else if (says(line, "BW average[Gb/sec]"))
    table_->unit = 1e9 / 8;
  else if (says(line, "BW average[MB/sec]") || says(line, "BW average[MiB/sec]"))
    table_->unit = 1024.0 * 1024.0;
}

void PerftestText::row(std::string_view line, int number) {
  const auto words = words_of(line);
  if (words.size() <= table_->column) return;
  const auto size = positive(words[0]);
  const auto value = positive(words[table_->column]);
  if (!size || !value) return;
  const bool is_latency = table_->what == What::latency;
  const double wanted = is_latency ? 8 : 64 * 1024;
  const bool is_first = !table_->size;
  const bool nearer = !is_first && (is_latency ? *size < *table_->size : *size > *table_->size);
  if (is_first || *size == wanted || (nearer && *table_->size != wanted)) {
    table_->size = size;
    table_->value = *value * table_->unit;
    table_->value_line = number;
  }
}

void PerftestText::line(std::string_view text, int number) {
  if (says(text, "Waiting for client to connect")) {
    finish();
    waited_ = true;
  } else if (const auto gpu = number_behind(text, "Picking device No. ")) {
    gpu_ = gpu;
  } else if (is_perftest_title(text)) {
    begin(text, number);
  } else if (const auto device = device_in(text)) {
    device_ = *device;
  } else if (table_ && says(text, "#bytes")) {
    columns(text);
  } else if (table_ && table_->unit > 0) {
    row(text, number);
  }
}

std::string PerftestText::why_not(std::optional<std::size_t>& from, std::optional<std::size_t>& to) const {
  if (!table_->what) return "the matrix has no such cells";
  if (!table_->size) return "it has no line of a size";
  to = nth(plan_, Place::Kind::adapter, device_);
  if (!to) return "the machine has no such adapter";
  const Place* near = plan_.server.memory_of(plan_.server.places[*to]);
  if (gpu_)
    from = nth(plan_, Place::Kind::gpu, *gpu_);
  else if (near != nullptr)
    from = static_cast<std::size_t>(near - plan_.server.places.data());
  if (!from) return gpu_ ? "the machine has no such GPU" : "the adapter's socket has no memory";
  if (waited_ != table_->reads) std::swap(from, to);
  const Cell* c = find(plan_, *from, *to, *table_->what);
  return c == nullptr || !c->reading ? "the matrix has no such cell" : "";
}

void PerftestText::finish() {
  if (!table_) return;
  std::optional<std::size_t> from;
  std::optional<std::size_t> to;
  const std::string why = why_not(from, to);
  if (why.empty())
    cells_.push_back({*from, *to, *table_->what, table_->value, table_->value_line});
  else
    left_out_.push_back({table_->line, table_->name, why});
  table_.reset();
  device_ = 0;
  gpu_.reset();
  waited_ = false;
}

}  // namespace tsunagi::box
