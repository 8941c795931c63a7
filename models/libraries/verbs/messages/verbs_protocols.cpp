// SPDX-License-Identifier: Apache-2.0
// Which way VerbsMessages takes for which message, as a table tells it: by the same predicates by which they go.
#include "models/libraries/verbs/messages/verbs_messages.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using comm::Protocol;

namespace {

const char* const ready = "ready to send";
const char* const clear = "clear to send";

/// Where a message of `b` goes to.
comm::Buffer target_of(const comm::Buffer& b) {
  comm::Buffer out = b;
  out.place = b.target;
  return out;
}

std::string limit(const char* field, Bytes value) { return "\"" + std::string(field) + "\" is " + to_string(value); }

}  // namespace

std::vector<Bytes> VerbsMessages::limits() const {
  std::vector<Bytes> out{config_.eager_limit, config_.r3_limit, config_.stripe_above, engine_.most_in_slot()};
  if (devices() != nullptr)
    for (const Bytes b : devices()->limits()) out.push_back(b);
  return out;
}

Protocol VerbsMessages::protocol(const comm::Buffer& b) const {
  const comm::Buffer there = target_of(b);
  return b.size <= config_.eager_limit && eager_from(b) ? eager_protocol(b, there) : long_protocol(b, there);
}

Protocol VerbsMessages::eager_protocol(const comm::Buffer& b, const comm::Buffer& there) const {
  Protocol p{"eager", 0, 0, {}, limit("eager_limit", config_.eager_limit)};
  if (b.size <= engine_.most_in_slot()) {
    p.name = "eager, fast path";
    p.because = "fits a slot of \"fast_path\", which a peer has after " + std::to_string(config_.fast_path.after) +
                " messages; eager before";
  }
  for (const comm::Buffer* end : {&b, &there}) {
    const MessageCopy copy = memory_.message_copy(*end);
    p.by_core += copy.by_core;
    p.by_dma += copy.by_dma;
    if (!copy.how.empty() && p.because.find(copy.how) == std::string::npos) p.because += "; " + copy.how;
  }
  return p;
}

Protocol VerbsMessages::long_protocol(const comm::Buffer& b, const comm::Buffer& there) const {
  const bool reads = memory_.card_reads(b);
  std::string why = b.size > config_.eager_limit ? "longer than \"eager_limit\"" : "the card reads it in the device";
  const std::string rails = engine_.cut(b.size) ? " over " + std::to_string(engine_.rails()) + " rails" : "";
  if (offers(b) && fetches(there)) return {"rendezvous get" + rails, 0, 1, {ready, "fetched"}, why};
  const Into in = into(there);
  if (in == Into::pieces) {
    if (config_.rendezvous != LongMessages::r3) why += ", " + limit("r3_limit", config_.r3_limit);
    Protocol p{"rendezvous in pieces", 0, 0, {ready, clear, "pieces taken"}, why};
    for (const comm::Buffer* end : {&b, &there}) {
      p.by_core += memory_.message_copy(*end).by_core;
      p.by_dma += memory_.message_copy(*end).by_dma;
    }
    return p;
  }
  if (in == Into::place && reads) return {"rendezvous put" + rails, 0, 1, {ready, clear, "finished"}, why};
  // Staged: at the sender unless it is host memory, at the receiver if blocks come there.
  Protocol p{"staged in blocks", 0, 1, {ready}, why};
  p.by_dma += (comm::is_host(b.place) ? 0 : 1) + (in == Into::blocks ? 1 : 0);
  p.control.emplace_back(in == Into::blocks ? "clear to send, with blocks" : clear);
  p.control.emplace_back(in == Into::blocks ? "block filled" : "finished");
  p.because += "; " + devices()->staging_limit(in == Into::blocks);
  if (in == Into::place) p.name = "staged at the sender";
  return p;
}

}  // namespace tsunagi::libraries
