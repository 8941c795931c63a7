// SPDX-License-Identifier: Apache-2.0
#include "comm/accounts.hpp"

#include <map>
#include <string_view>

namespace tsunagi::comm {

std::size_t Accounts::add(const char* name) {
  if (2 * ++used_ > table_.size()) {
    std::vector<Step> before(2 * table_.size());
    before.swap(table_);
    for (const Step& s : before) {
      if (s.name == nullptr) continue;
      std::size_t i = place(s.name);
      while (table_[i].name != nullptr) i = (i + 1) & (table_.size() - 1);
      table_[i] = s;
    }
  }
  std::size_t i = place(name);
  while (table_[i].name != nullptr) i = (i + 1) & (table_.size() - 1);
  table_[i].name = name;
  return i;
}

void Accounts::add(const Accounts& other) {
  for (const Step& s : other.table_)
    if (s.name != nullptr) step(s.name, s.total, s.calls);
  sent(other.payload_, other.messages_);
  for (const Copier by : {Copier::core, Copier::dma}) copied(by, other.copies(by).bytes, other.copies(by).copies);
}

std::vector<Accounts::Step> Accounts::steps() const {
  std::map<std::string_view, Step> by_text;  // equal literals may lie at several addresses
  for (const Step& s : table_) {
    if (s.name == nullptr) continue;
    Step& sum = by_text.emplace(s.name, Step{s.name, 0, {}}).first->second;
    sum.calls += s.calls;
    sum.total = Time::max() - sum.total < s.total ? Time::max() : sum.total + s.total;
  }
  std::vector<Step> out;
  for (const auto& [text, s] : by_text) out.push_back(s);
  return out;
}

}  // namespace tsunagi::comm
