// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"
#include "config/describe.hpp"

namespace tsunagi::comm {

/// One line of the catalog.
struct Algorithm {
  Collective kind;
  const char* name;
  const char* doc;
  void (*run)(Participant& me, const CollectiveCall& c);
  /// Memory beside the buffers that the rank which needs most of it needs.
  Bytes (*scratch)(int ranks, const CollectiveCall& c) = none;
  /// Why it cannot do such a call with so many ranks ("2, 4, 8, ... ranks only"); empty if it can.
  std::string (*refusal)(int ranks, const CollectiveCall& c) = nothing;
  /// Whether the order of partners can be chosen (CollectiveCall::order).
  bool orders = false;

  static Bytes none(int /*ranks*/, const CollectiveCall& /*c*/) { return {}; }
  static std::string nothing(int /*ranks*/, const CollectiveCall& /*c*/) { return {}; }
};

/// All algorithms of messages, listed by hand in catalog.cpp; of each collective the first is one for any size and
/// number of ranks.
const std::vector<Algorithm>& algorithms();

/// What a call has beside its messages.
struct Means {
  Bytes scratch;                                     ///< memory of each rank beside the buffers
  std::string hardware = "the library has no such";  ///< why not by the library's hardware; empty: it offers it
  std::string software = "the library has no such";  ///< why not by what it does itself beside that
  std::optional<Choice> preferred = {};              ///< by the library, if no algorithm is named; none: MPICH's choice
};
/// Those of a call of these world ranks.
Means means(const World& w, const std::vector<int>& ranks, const CollectiveCall& c);

/// The one of that name; "hardware", "software": the library's own. Empty: the first of these that it offers, else the
/// one that it prefers, else by size and number of ranks as MPICH does, among those that can (preference.cpp). Throws
/// std::invalid_argument, which lists the algorithms, if there is none, it cannot do the call, or it needs more memory
/// than there is.
const Algorithm& choose(int ranks, const CollectiveCall& c, const std::string& name, const Means& m);
/// The segments and the radix of the call are those that the library prefers, if `choose` took what it prefers; so is
/// the order of partners, if the call has none.
void adopt(CollectiveCall& c, const Algorithm& chosen, const std::string& name, const Means& m);
/// Whether there is an algorithm of messages of that name whose order of partners can be chosen.
bool orders(Collective kind, const std::string& name);
/// How configs say an order of partners.
std::vector<config::Choice> partner_orders();
/// Why there is no algorithm of messages of that name, with those that there are; empty: there is.
std::string unknown(Collective kind, const std::string& name);
/// Why `choose` refuses; empty if it does not. Before time 0: of a call as its root would make it.
std::string refusal(int ranks, const CollectiveCall& c, const std::string& name, const Means& m);
/// Memory beside the buffers for the algorithm of that name, or for the one that is chosen if there is enough, whatever
/// `m` has.
Bytes scratch_need(int ranks, const CollectiveCall& c, const std::string& name, Means m = {});
/// Whether a call combines what does not lie in host memory: it does so with copies there (as MVAPICH2 1.9 does with
/// buffers in GPUs), for which a rank needs that much memory.
bool combines_aside(const CollectiveCall& c);
inline Bytes aside_need(const CollectiveCall& c) { return combines_aside(c) ? c.in.size * 2 : Bytes::zero(); }
/// What `Group::split` needs.
Bytes split_scratch(int ranks);
/// The name of the algorithm that MPICH takes.
const char* preference(int ranks, const CollectiveCall& c);

}  // namespace tsunagi::comm
