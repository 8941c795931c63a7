// SPDX-License-Identifier: Apache-2.0
#include "comm/messages/two_sided.hpp"

#include <stdexcept>

#include "comm/world/start_line.hpp"

namespace tsunagi::comm {

namespace {

[[noreturn]] void cannot_look(int rank) {
  throw std::runtime_error("rank " + std::to_string(rank) +
                           " looks for messages that it has not received, which this library does not show");
}

}  // namespace

void TwoSided::stand_by(Fiber& f, int /*rank*/, Event& told, const std::function<bool()>& /*over*/) {
  f.wait(told, StartLine::why);
}

void TwoSided::finalize(Fiber& f, int rank, Finale& all) {
  finish(f, rank);
  all.rests(true);
}

void TwoSided::progress_until(Fiber& /*f*/, int rank, const std::vector<Request>& /*waited*/,
                              const std::function<bool()>& /*done*/) {
  cannot_look(rank);
}

bool TwoSided::there(int rank, const Pattern& /*p*/) { cannot_look(rank); }

std::optional<Status> TwoSided::probe(Fiber& /*f*/, int rank, const Pattern& /*p*/) { cannot_look(rank); }

Status TwoSided::wait_probe(Fiber& /*f*/, int rank, const Pattern& /*p*/) { cannot_look(rank); }

}  // namespace tsunagi::comm
