// SPDX-License-Identifier: Apache-2.0
#include "trace/vcd_names.hpp"

#include <algorithm>
#include <set>

namespace tsunagi::trace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::vector<std::string> scopes_of(const net::ChannelInfo& channel) {
  std::vector<std::string> scopes;
  const std::string_view device = channel.from_device;
  for (std::size_t at = 0; at <= device.size();) {
    const std::size_t dot = std::min(device.find('.', at), device.size());
    scopes.push_back(identifier(device.substr(at, dot - at)));
    at = dot + 1;
  }
  scopes.push_back(identifier(channel.from_port));
  return scopes;
}

}  // namespace

std::string signal_code(std::size_t n) {
  constexpr std::size_t base = 94;
  std::string code;
  for (++n; n > 0; n = (n - 1) / base) code += static_cast<char>('!' + (n - 1) % base);
  return code;
}

std::string identifier(std::string_view name) {
  std::string out;
  if (name.empty() || is_digit(name.front())) out = "_";
  for (const char c : name) out += is_letter(c) || is_digit(c) ? c : '_';
  return out;
}

std::vector<std::vector<std::string>> channel_scopes(const std::vector<net::ChannelInfo>& channels) {
  std::vector<std::vector<std::string>> paths;
  std::set<std::vector<std::string>> taken;
  for (const net::ChannelInfo& channel : channels) {
    std::vector<std::string> scopes = scopes_of(channel);
    const std::string port = scopes.back();
    for (int n = 2; !taken.insert(scopes).second; ++n) scopes.back() = port + "_" + std::to_string(n);
    paths.push_back(std::move(scopes));
  }
  return paths;
}

}  // namespace tsunagi::trace
