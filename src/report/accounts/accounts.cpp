// SPDX-License-Identifier: Apache-2.0
#include "report/accounts/accounts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tsunagi::report {
namespace {

using Json = nlohmann::ordered_json;

CopyAccount since(const CopyAccount& later, const CopyAccount& earlier) {
  return {later.copies - earlier.copies, later.bytes - earlier.bytes};
}

Json copies_to_json(const CopyAccount& c) { return {{"copies", c.copies}, {"bytes", c.bytes.count()}}; }

CopyAccount copies_from_json(const Json& in) {
  return {in.at("copies").get<std::int64_t>(), Bytes(in.at("bytes").get<std::int64_t>())};
}

/// A quotient that stands for itself: none of nothing.
Json a_message(std::int64_t of, std::int64_t messages) {
  return messages == 0 ? Json() : Json(static_cast<double>(of) / static_cast<double>(messages));
}

}  // namespace

const StepAccount* Accounts::find(std::string_view step) const {
  const auto it = std::find_if(steps.begin(), steps.end(), [&](const StepAccount& s) { return s.step == step; });
  return it == steps.end() ? nullptr : &*it;
}

Accounts since(const Accounts& later, const Accounts& earlier) {
  Accounts out = later;
  for (StepAccount& s : out.steps)
    if (const StepAccount* before = earlier.find(s.step)) {
      s.calls -= before->calls;
      s.total -= before->total;
    }
  out.steps.erase(std::remove_if(out.steps.begin(), out.steps.end(), [](const StepAccount& s) { return s.calls == 0; }),
                  out.steps.end());
  out.messages -= earlier.messages;
  out.payload -= earlier.payload;
  out.by_core = since(later.by_core, earlier.by_core);
  out.by_dma = since(later.by_dma, earlier.by_dma);
  return out;
}

Json accounts_to_json(const Accounts& a) {
  Json out;
  Json& steps = out["steps"] = Json::array();
  for (const StepAccount& s : a.steps)
    steps.push_back({{"step", s.step}, {"calls", s.calls}, {"mean_fs", s.mean().fs()}, {"total_fs", s.total.fs()}});
  Json& copies = out["copies"];
  copies["messages"] = a.messages;
  copies["payload_bytes"] = a.payload.count();
  copies["by_core"] = copies_to_json(a.by_core);
  copies["by_dma"] = copies_to_json(a.by_dma);
  copies["copies_per_message"] = a_message(a.by_core.copies + a.by_dma.copies, a.messages);
  copies["copied_bytes_per_message"] = a_message((a.by_core.bytes + a.by_dma.bytes).count(), a.messages);
  if (a.wires) out["wires"] = wires_to_json(*a.wires);
  if (a.latency) out["latency"] = latencies_to_json(*a.latency);
  if (a.accepted) out["accepted"] = service_to_json(*a.accepted);
  return out;
}

Accounts accounts_from_json(const Json& in) {
  Accounts out;
  for (const Json& s : in.at("steps"))
    out.steps.push_back({s.at("step").get<std::string>(), s.at("calls").get<std::int64_t>(),
                         Time::from_fs(s.at("total_fs").get<std::int64_t>())});
  const Json& copies = in.at("copies");
  out.messages = copies.at("messages").get<std::int64_t>();
  out.payload = Bytes(copies.at("payload_bytes").get<std::int64_t>());
  out.by_core = copies_from_json(copies.at("by_core"));
  out.by_dma = copies_from_json(copies.at("by_dma"));
  if (in.contains("wires")) out.wires = wires_from_json(in.at("wires"));
  if (in.contains("latency")) out.latency = latencies_from_json(in.at("latency"));
  if (in.contains("accepted")) out.accepted = service_from_json(in.at("accepted"));
  return out;
}

}  // namespace tsunagi::report
