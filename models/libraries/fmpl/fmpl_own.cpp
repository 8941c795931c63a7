// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_own.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::libraries {

void FmplOwn::meet(Fiber& f, int rank) {
  End& me = ends_[rank];
  for (auto s = me.sends.begin(); s != me.sends.end(); ++s)
    for (auto r = me.receives.begin(); r != me.receives.end(); ++r) {
      if (!r->pattern().takes(s->envelope)) continue;
      const FmplPending from = *s;
      FmplPending to = *r;
      me.sends.erase(s);
      me.receives.erase(r);
      copy(f, rank, from, to);
      return;
    }
}

void FmplOwn::copy(Fiber& f, int rank, const FmplPending& from, FmplPending& to) {
  if (from.bytes.size > to.bytes.size)
    throw std::runtime_error(fmt::format("truncated: rank {} sends {} to itself and receives {}", rank,
                                         to_string(from.bytes.size), to_string(to.bytes.size)));
  comm::Buffer into = to.bytes;
  into.size = from.bytes.size;
  comm::Buffer out = from.bytes;
  out.offset = Bytes(static_cast<std::int64_t>(one_copy_.source_of(rank, from) - one_copy_.user_base(rank)));
  step_(f, rank, "copy to itself", [&] { processor_.copy(f, rank, into, out); });
  step_.copied(comm::Copier::core, into.size);
  carried_.arrives(from.envelope, rank, to.bytes);
  to.request.set_status({rank, from.envelope.tag, into.size});
  if (from.kept) one_copy_.give_back(rank, from);
  from.request.reach(comm::Milestone::started, f.now());
  from.request.reach(comm::Milestone::delivered, f.now());
  if (!from.kept) from.request.reach(comm::Milestone::completed, f.now());
  for (const comm::Milestone m : {comm::Milestone::started, comm::Milestone::delivered, comm::Milestone::completed})
    to.request.reach(m, f.now());
  witness_.received(from.envelope, rank, into.method, to.request.at(comm::Milestone::posted), f.now());
}

}  // namespace tsunagi::libraries
