// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generator.hpp"

#include <algorithm>
#include <limits>

#include "config/fields/scalars.hpp"
#include "units/checked.hpp"

namespace tsunagi::fuzz {

namespace detail = config::detail;
using nlohmann::ordered_json;

namespace {

/// The lowest or highest value that a field takes.
template <class T>
T bound(const std::optional<double>& given, T otherwise) {
  return given ? detail::made_from_base<T>(*given) : otherwise;
}

}  // namespace

/// Between the two, small ones and both ends more often than by their share.
std::int64_t Generator::drawn(std::int64_t low, std::int64_t high) {
  if (low >= high) return low;
  switch (random_.below(6)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return std::min(high, low < high - 16 ? low + random_.below(17) : high);
    default:
      break;
  }
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const auto bits = static_cast<unsigned>(random_.below(64));
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (random_.bits() >> bits) % (span | 1));
}

std::int64_t Generator::whole(const Spec& s) {
  if (!s.one_of.empty())
    return s.one_of[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(s.one_of.size())))];
  const std::int64_t low = s.narrow ? std::numeric_limits<int>::min() : std::numeric_limits<std::int64_t>::min();
  const std::int64_t high = s.narrow ? std::numeric_limits<int>::max() : std::numeric_limits<std::int64_t>::max();
  return drawn(bound<std::int64_t>(s.low, low), bound<std::int64_t>(s.high, high));
}

Bytes Generator::size(const Spec& s) {
  if (!s.one_of.empty()) return Bytes(whole(s));
  return Bytes(drawn(bound(s.low, Bytes::zero()).count(), bound(s.high, largest_given).count()));
}

std::string Generator::word() {
  static const std::vector<std::string> words{"a",   "node0", "node0.rc", "gpu0", "peach2", "dma",    "30 %", "pio",
                                              "x.y", "",      "host",     "繋ぎ", "a b/c",  "2 GB/s", "core", "memory"};
  return words[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(words.size())))];
}

ordered_json Generator::part(Generator& drawn) {
  broken.insert(broken.end(), drawn.broken.begin(), drawn.broken.end());
  return std::move(drawn.json);
}

void Generator::require(bool ok, std::string_view message) {
  if (!ok) broken.emplace_back(message);
}

void Generator::draw(const Spec& s, bool& v) {
  if (!wanted(s)) return;
  v = random_.below(2) == 0;
  put(s, v);
}

void Generator::draw(const Spec& s, std::int64_t& v) {
  if (!wanted(s)) return;
  v = whole(s);
  put(s, v);
}

void Generator::draw(const Spec& s, double& v) {
  if (!wanted(s)) return;
  const double low = s.low.value_or(-1e6);
  const double high = s.high.value_or(1e6);
  v = std::min(high, low + (high - low) * static_cast<double>(random_.below(1001)) / 1000);
  put(s, v);
}

void Generator::draw(const Spec& s, std::string& v) {
  if (!wanted(s)) return;
  v = word();
  put(s, v);
}

void Generator::draw(const Spec& s, Time& v) {
  if (!wanted(s)) return;
  v = Time::from_fs(drawn(bound(s.low, Time::zero()).fs(), bound(s.high, Time::max()).fs()));
  put(s, random_.below(2) == 0 ? detail::show(v) : std::to_string(v.fs()) + " fs");
}

void Generator::draw(const Spec& s, Bytes& v) {
  if (!wanted(s)) return;
  v = size(s);
  put(s, random_.below(2) == 0 ? detail::show(v) : std::to_string(v.count()) + "B");
}

void Generator::draw(const Spec& s, Rate& v) {
  if (!wanted(s)) return;
  if (detail::takes_infinite(s, v) && random_.below(5) == 0) {
    v = Rate::infinite();
  } else {
    const Rate low = bound(s.low, Rate::bytes_per_second(1));
    const Rate drawn_rate = Rate::bytes_in(1 + (random_.below(1 << 20)), 1 + random_.below(std::int64_t{1} << 40));
    v = detail::less(drawn_rate, low) ? low : drawn_rate;
  }
  put(s, detail::show(v));
}

void Generator::draw(const Spec& s, Frequency& v) {
  if (!wanted(s)) return;
  v = Frequency(drawn(bound(s.low, Frequency(1)).hz(), bound(s.high, Frequency(1'000'000'000'000)).hz()));
  put(s, random_.below(2) == 0 ? detail::show(v) : std::to_string(v.hz()) + " T/s");
}

void Generator::draw(const Spec& s, TransferRate& v) {
  if (!wanted(s)) return;
  const std::int64_t low = bound(s.low, TransferRate(1)).per_second();
  v = TransferRate(drawn(low, bound(s.high, TransferRate(1'000'000'000'000)).per_second()));
  put(s, random_.below(2) == 0 ? detail::show(v) : std::to_string(v.per_second()) + " Hz");
}

void Generator::draw(const Spec& s, Length& v) {
  if (!wanted(s)) return;
  v = Length(drawn(bound(s.low, Length::zero()).um(), bound(s.high, 1_km).um()));
  put(s, random_.below(2) == 0 ? detail::show(v) : std::to_string(v.um()) + "um");
}

void Generator::draw(const Spec& s, std::vector<std::string>& v) {
  if (!wanted(s)) return;
  v.assign(static_cast<std::size_t>(random_.below(4)), {});
  for (std::string& one : v) one = word();
  put(s, detail::write(v));
}

void Generator::draw(const Spec& s, std::vector<std::int64_t>& v) {
  if (!wanted(s)) return;
  v.assign(static_cast<std::size_t>(random_.below(4)), 0);
  for (std::int64_t& one : v) one = whole(s);
  put(s, detail::write(v));
}

void Generator::draw(const Spec& s, std::vector<Bytes>& v) {
  if (!wanted(s)) return;
  v.assign(static_cast<std::size_t>(random_.below(4)), {});
  for (Bytes& one : v) one = size(s);
  put(s, detail::write(v));
}

void Generator::enumeration(const Spec& s, std::int64_t& v, const std::vector<config::Choice>& choices) {
  if (!wanted(s)) return;
  const auto& choice = choices[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(choices.size())))];
  v = choice.value;
  put(s, std::string(choice.name));
}

void Generator::nested(const Spec& s, const std::function<void(Describer&)>& body) {
  if (!wanted(s)) return;
  Generator inner(random_, kinds_, depth_ + 1);
  body(inner);
  put(s, part(inner));
}

void Generator::array(const Spec& s, std::size_t, const std::function<void(std::size_t, Describer&)>& element,
                      const std::function<void(std::size_t)>& restart) {
  if (!wanted(s)) return;
  const auto size = static_cast<std::size_t>(random_.below(4));
  restart(size);
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < size; ++i) {
    Generator inner(random_, kinds_, depth_ + 1);
    element(i, inner);
    list.push_back(part(inner));
  }
  put(s, std::move(list));
}

config::AnyConfig Generator::any_of(std::string_view family, ordered_json& out) {
  const config::KindTable& table = *kinds_.find(family);
  const config::Kind* kind = nullptr;
  do {
    kind = &table.kinds[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(table.kinds.size())))];
  } while (depth_ > 6 && kind->name == "group");  // devices in devices
  std::shared_ptr<config::ConfigObject> object = kind->make();
  Generator inner(random_, kinds_, depth_ + 1);
  inner.json["kind"] = kind->name;
  object->describe(inner);
  out = part(inner);
  return {kind->name, std::move(object)};
}

void Generator::polymorphic(const Spec& s, std::string_view family, config::AnyConfig& v) {
  if (!wanted(s)) return;
  ordered_json out;
  v = any_of(family, out);
  put(s, std::move(out));
}

void Generator::polymorphic_map(const Spec& s, std::string_view family,
                                std::vector<std::pair<std::string, config::AnyConfig>>& v) {
  if (!wanted(s)) return;
  v.clear();
  ordered_json map = ordered_json::object();
  for (std::int64_t i = random_.below(depth_ > 4 ? 2 : 4); i > 0; --i) {
    std::string name = word() + std::to_string(i);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || c == ' '; }, '-');
    config::AnyConfig device = any_of(family, map[name]);
    v.emplace_back(name, std::move(device));
  }
  put(s, std::move(map));
}

}  // namespace tsunagi::fuzz
