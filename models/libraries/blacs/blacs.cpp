// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/messages/messages.hpp"
#include "config/error_at.hpp"
#include "models/libraries/blacs/blacs_messages.hpp"
#include "models/libraries/catalog.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

struct BlacsConfig : BlacsMessagesConfig {
  config::AnyConfig over;
};

constexpr Bytes whole_page = 4_KiB;

std::unique_ptr<comm::Library> library_below(const BlacsConfig& c, Machine& m) {
  if (c.over.empty())
    throw config::error_at("/library/over", "library blacs needs another one that it runs over (\"over\")");
  std::unique_ptr<comm::Library> out = build(c.over, m);
  if (out->halo() != nullptr) throw config::error_at("/library/over", "library blacs does not run over combined");
  if (!out->has_messages())
    throw config::error_at("/library/over", "library " + c.over.kind() +
                                                " has no two-sided messages, of which those of blacs could be made");
  return out;
}

std::vector<host::Core*> cores_of(const comm::Library& library, const Machine& m) {
  const std::vector<host::Core*> all = m.all<host::Core>();
  std::vector<host::Core*> out;
  for (int rank = 0; rank < library.ranks(); ++rank) {
    const std::string place = library.place(rank);
    const auto core = std::find_if(all.begin(), all.end(), [&](const host::Core* c) { return c->name() == place; });
    if (core == all.end())
      throw config::error_at("/library/over", "library blacs runs on cores, but rank " + std::to_string(rank) +
                                                  " of the library below on " + place);
    out.push_back(*core);
  }
  return out;
}

/// What the buffers leave of a rank's memory.
Bytes window_of(const BlacsConfig& c, const comm::Library& below) {
  const Bytes all = below.largest_message();
  const int buffers = BlacsMessages::buffers_of(c);
  const Bytes left = all - c.pack_buffer * buffers;
  if (left < whole_page)
    throw config::error_at("/library/pack_buffer", std::to_string(buffers) + " of " + to_string(c.pack_buffer) +
                                                       " do not fit the " + to_string(all) + " of a rank's memory");
  return whole_page * (left / whole_page);
}

void describe(BlacsConfig& c, config::Describer& d) {
  d.any("over", c.over, "library", "the library whose messages it makes its own of");
  describe(static_cast<BlacsMessagesConfig&>(c), d);
}

/// BLACS, the communication layer of ScaLAPACK, over another library (paper 002, 5.3): MPIBLACS, which packs what it
/// sends, whatever lies how, and BLACS-FMPL, which packs what does not lie in one piece. Both send and receive areas of
/// matrices and wait until that is done. Collectives are those of the library below. What it packs into lies at the end
/// of the ranks' memory.
class Blacs final : public comm::Library, private comm::Protocols {
 public:
  Blacs(const BlacsConfig& c, Machine& m);
  std::string place(int rank) const override { return below_->place(rank); }
  int ranks() const override { return below_->ranks(); }
  std::vector<std::string> methods() const override { return below_->methods(); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override {
    return below_->message_ceilings(from, to, comm::in_one_piece(b));
  }
  Bytes largest_message() const override { return window_; }
  bool direct() const override { return false; }
  bool takes_shapes() const override { return true; }
  void check(int from, int to, const comm::Buffer& b) const override;
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const override {
    return below_->choice(ranks, c);
  }
  comm::Processor& processor() override { return below_->processor(); }
  int hops(int rank) const override { return below_->hops(rank); }
  std::string advice() const override { return below_->advice(); }
  std::int64_t lost() const override { return below_->lost(); }
  comm::Accounts& accounts() override { return below_->accounts(); }
  void set_listener(comm::Listener& l) override;

 private:
  std::vector<std::string> places(int rank) const override { return below_->required<comm::Protocols>().places(rank); }
  std::vector<Bytes> limits() const override { return below_->required<comm::Protocols>().limits(); }
  comm::Protocol protocol(int from, int to, const comm::Buffer& b) const override;
  std::unique_ptr<comm::Library> below_;
  std::unique_ptr<comm::Messages> over_transport_;  // where the library below has no two-sided messages of its own
  comm::Steps steps_;                               // counted with those of the library below
  Bytes window_;
  std::unique_ptr<BlacsMessages> messages_;
};

Blacs::Blacs(const BlacsConfig& c, Machine& m)
    : below_(library_below(c, m)), steps_(below_->accounts()), window_(window_of(c, *below_)) {
  comm::TwoSided* messages = below_->facet<comm::TwoSided>();
  if (messages == nullptr) {
    over_transport_ = std::make_unique<comm::Messages>(*below_->facet<comm::Transport>(), below_->processor(), ranks(),
                                                       below_->accounts());
    messages = over_transport_.get();
  }
  messages_ = std::make_unique<BlacsMessages>(c, *messages, below_->processor(), cores_of(*below_, m), steps_, window_);
  if (below_->facet<comm::Protocols>() != nullptr) add_facet<comm::Protocols>(*this);
  add_facet<comm::TwoSided>(*messages_);
  // What those of the library below travel by, whose ranks may need each other between calls.
  add_facets_of<comm::Transport, comm::HardwareCollectives, comm::SoftwareCollectives>(*below_);
}

comm::Protocol Blacs::protocol(int from, int to, const comm::Buffer& b) const {
  comm::Protocol p = below_->required<comm::Protocols>().protocol(from, to, b);
  if (!messages_->packs(b)) return p;
  p.name = "packed, " + p.name;
  p.by_core += 2;
  p.because += "; blacs packs and unpacks (\"packing\")";
  return p;
}

void Blacs::check(int from, int to, const comm::Buffer& b) const {
  if (const std::string why = messages_->refusal(b); !why.empty()) throw config::error_at("/scenario", why);
  if (b.offset + comm::extent(b) > window_)
    throw config::error_at("/scenario", to_string(comm::extent(b)) + " at " + to_string(b.offset) + " are beyond the " +
                                            to_string(window_) + " of a rank's memory");
  below_->check_message(from, to, comm::in_one_piece(b));
}

void Blacs::set_listener(comm::Listener& l) {
  Library::set_listener(l);
  steps_.set_listener(l);
  below_->set_listener(l);
}

}  // namespace

LibraryKind blacs_library() {
  return library<Blacs, BlacsConfig>("blacs",
                                     "BLACS over another library: areas of matrices, packed where that needs it");
}

}  // namespace tsunagi::libraries
