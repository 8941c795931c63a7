// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/blacs/blacs_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "comm/messages/who.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

/// Of the numbers of messages of collectives, which the library below counts by itself.
constexpr std::uint64_t below_numbers = std::uint64_t{1} << 63;

bool of_collectives(int context) { return context % 2 != 0; }

bool over(const comm::Request& r, Time now) { return r.at(comm::Milestone::completed) <= now; }

}  // namespace

void describe(BlacsMessagesConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  d.choice("packing", c.packing,
           {{"whole", static_cast<std::int64_t>(Packing::whole),
             "everything, by a derived data type that is made for it, as MPIBLACS does"},
            {"pieces", static_cast<std::int64_t>(Packing::pieces),
             "areas that are not contiguous, by way of two buffers in turn, as BLACS-FMPL does"}},
           "what is packed");
  d.field("pack_buffer", c.pack_buffer, "a buffer that is packed into; \"whole\": the longest message",
          within(64_B, 16_GiB));
  d.field("call_cycles", c.call_cycles, "core cycles of a send's or a receive's own: context, process grid, checks",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("type_cycles", c.type_cycles, "core cycles to make a derived data type, at each send and receive",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.require(c.packing == Packing::whole || c.type_cycles == 0, "\"type_cycles\" are of packing \"whole\" alone");
}

void BlacsMessages::Filter::call(const comm::Call& c) {
  if (!of_collectives(c.context)) return;
  comm::Call named = c;
  named.message |= below_numbers;
  above->call(named);
}

void BlacsMessages::Filter::wait(const comm::Wait& w) {
  comm::Wait named = w;
  if (named.message != 0) named.message |= below_numbers;
  above->wait(named);
}

BlacsMessages::BlacsMessages(const BlacsMessagesConfig& c, comm::TwoSided& below, comm::Processor& processor,
                             std::vector<host::Core*> cores, const comm::Steps& step, Bytes buffers)
    : config_(c),
      below_(below),
      processor_(processor),
      cores_(std::move(cores)),
      step_(step),
      buffers_(buffers),
      receives_(cores_.size()) {}

void BlacsMessages::set_listener(comm::Listener& l) {
  TwoSided::set_listener(l);
  filter_.above = &l;
  below_.set_listener(filter_);
}

void BlacsMessages::set_ledger(comm::Ledger* l) {
  ledger_ = l;
  below_.set_ledger(l);
}

std::string BlacsMessages::refusal(const comm::Buffer& b) const {
  if (b.block != Bytes::zero()) {
    if (b.block < Bytes::zero() || b.every < b.block)
      return fmt::format("blocks of {}, {} from start to start, are no area", to_string(b.block), to_string(b.every));
    if (b.size.count() % b.block.count() != 0)
      return fmt::format("an area of {} is not whole blocks of {}", to_string(b.size), to_string(b.block));
  }
  if (packs(b) && !(comm::is_host(b.place) && comm::is_host(b.target)))
    return "a core packs host memory, not \"" + (comm::is_host(b.place) ? b.target : b.place) + "\"";
  if (config_.packing == Packing::whole && b.size > config_.pack_buffer)
    return fmt::format("a message of {} does not fit the {} that blacs packs into (\"pack_buffer\")", to_string(b.size),
                       to_string(config_.pack_buffer));
  return {};
}

void BlacsMessages::begin_call(Fiber& f, int rank) {
  if (config_.call_cycles > 0)
    step_(f, rank, "BLACS call", [&] { core(rank).execute(f, "BLACS call", config_.call_cycles); });
  if (config_.packing == Packing::whole && config_.type_cycles > 0)
    step_(f, rank, "make a data type", [&] { core(rank).execute(f, "make a data type", config_.type_cycles); });
}

comm::Request BlacsMessages::isend(Fiber& f, int from, int to, int context, int tag, const comm::Buffer& b) {
  if (of_collectives(context)) return below_.isend(f, from, to, context, tag, b);
  if (const std::string why = refusal(b); !why.empty())
    throw std::runtime_error(fmt::format("rank {} sends to rank {}: {}", from, to, why));
  if (from == to)
    throw std::runtime_error(fmt::format("rank {} sends to itself by BLACS, which waits until that is received", from));
  comm::Request request = requests_.make(f.now());
  comm::Envelope e;
  e.source = from;
  e.context = context;
  e.tag = tag;
  e.size = b.size;
  e.sequence = sent_[{from, to}]++;
  witness_.begins(e, to, request);
  under_way_[{from, to, context, tag}].push_back(e);
  begin_call(f, from);
  const Way way{from, to, context, tag};
  config_.packing == Packing::whole ? send_whole(f, way, b) : send_pieces(f, way, b);
  request.reach(comm::Milestone::started, f.now());
  request.reach(comm::Milestone::completed, f.now());
  witness_.sent(e, to, b.method, request, f.now());
  return request;
}

comm::Request BlacsMessages::irecv(Fiber& f, int rank, const comm::Pattern& p, const comm::Buffer& b) {
  if (of_collectives(p.context)) return below_.irecv(f, rank, p, b);
  if (p.source == comm::any_source || p.tag == comm::any_tag)
    throw std::runtime_error(fmt::format("rank {} receives from {}: BLACS names who sends what", rank, comm::who(p)));
  if (const std::string why = refusal(b); !why.empty())
    throw std::runtime_error(fmt::format("rank {} receives from rank {}: {}", rank, p.source, why));
  const comm::Request request = requests_.make(f.now());
  receives_[static_cast<std::size_t>(rank)].push_back({p, b, request});
  return request;
}

void BlacsMessages::receive(Fiber& f, int rank, const Receive& r) {
  begin_call(f, rank);
  const Way way{rank, r.from.source, r.from.context, r.from.tag};
  const Bytes came = config_.packing == Packing::whole ? receive_whole(f, way, r.into) : receive_pieces(f, way, r.into);
  const comm::Envelope e = under_way(way).front();
  under_way(way).pop_front();
  if (came != e.size)
    throw std::runtime_error(
        fmt::format("rank {} gets {} of {} from rank {}: their areas lie differently and do not fit the "
                    "{} that blacs packs into (\"pack_buffer\")",
                    rank, to_string(came), to_string(e.size), e.source, to_string(config_.pack_buffer)));
  comm::Request request = r.request;
  request.set_status({e.source, e.tag, e.size});
  request.reach(comm::Milestone::started, f.now());
  request.reach(comm::Milestone::delivered, f.now());
  request.reach(comm::Milestone::completed, f.now());
  witness_.received(e, rank, r.into.method, request.at(comm::Milestone::posted), f.now());
}

void BlacsMessages::copy(Fiber& f, int rank, const char* name, const comm::Buffer& to, const comm::Buffer& from) {
  step_(f, rank, name, [&] { processor_.copy(f, rank, to, from); });
  step_.copied(comm::Copier::core, from.size);
  if (ledger_ != nullptr) ledger_->write(rank, to, ledger_->read(rank, from));
}

comm::Buffer BlacsMessages::buffer(std::size_t number, Bytes n) const {
  return {buffers_ + config_.pack_buffer * static_cast<std::int64_t>(number), n, {}, {}};
}

void BlacsMessages::send_whole(Fiber& f, const Way& w, const comm::Buffer& b) {
  const comm::Buffer packed = buffer(0, b.size);
  copy(f, w.rank, "pack", packed, b);
  below_.wait_all(f, w.rank, {below_.isend(f, w.rank, w.peer, w.context, w.tag, packed)});
}

Bytes BlacsMessages::receive_whole(Fiber& f, const Way& w, const comm::Buffer& b) {
  const comm::Request r = below_.irecv(f, w.rank, {w.peer, w.tag, w.context}, buffer(0, b.size));
  below_.wait_all(f, w.rank, {r});
  const Bytes came = r.status().size;
  comm::Buffer first = b;
  first.size = came;
  copy(f, w.rank, "unpack", first, buffer(0, came));
  return came;
}

std::vector<BlacsMessages::Piece> BlacsMessages::pieces_of(const comm::Buffer& b) const {
  std::vector<Piece> out;
  const Bytes room = config_.pack_buffer;
  for (Bytes done; done < b.size;) {
    const Bytes most = b.block <= room ? b.block * (room / b.block) : std::min(room, comm::stretch_at(b, done).size);
    out.push_back({done, std::min(most, b.size - done), {}});
    done += out.back().size;
  }
  return out;
}

comm::Buffer BlacsMessages::area_of(const comm::Buffer& b, const Piece& p) const {
  const comm::Stretch first = comm::stretch_at(b, p.begin);
  comm::Buffer out = b;
  out.offset = first.offset;
  out.size = p.size;
  return p.size <= first.size ? comm::in_one_piece(out) : out;
}

void BlacsMessages::send_pieces(Fiber& f, const Way& w, const comm::Buffer& b) {
  if (comm::is_contiguous(b)) {
    below_.wait_all(f, w.rank, {below_.isend(f, w.rank, w.peer, w.context, 2 * w.tag, comm::in_one_piece(b))});
    return;
  }
  std::vector<Piece> all = pieces_of(b);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t turn = i % 2;
    if (i >= 2) below_.wait_all(f, w.rank, {all[i - 2].request});
    const comm::Buffer packed = buffer(turn, all[i].size);
    copy(f, w.rank, "pack", packed, area_of(b, all[i]));
    all[i].request = below_.isend(f, w.rank, w.peer, w.context, 2 * w.tag + static_cast<int>(turn), packed);
  }
  std::vector<comm::Request> last;
  for (std::size_t i = all.size() < 2 ? 0 : all.size() - 2; i < all.size(); ++i) last.push_back(all[i].request);
  below_.wait_all(f, w.rank, last);
}

Bytes BlacsMessages::receive_pieces(Fiber& f, const Way& w, const comm::Buffer& b) {
  const auto post = [&](std::size_t turn, const comm::Buffer& into) {
    return below_.irecv(f, w.rank, {w.peer, 2 * w.tag + static_cast<int>(turn), w.context}, into);
  };
  if (comm::is_contiguous(b)) {
    const comm::Request r = post(0, comm::in_one_piece(b));
    below_.wait_all(f, w.rank, {r});
    return r.status().size;
  }
  std::vector<Piece> all = pieces_of(b);
  for (std::size_t i = 0; i < std::min<std::size_t>(2, all.size()); ++i)
    all[i].request = post(i, buffer(i, all[i].size));
  Bytes came;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t turn = i % 2;
    below_.wait_all(f, w.rank, {all[i].request});
    if (const Bytes sent = under_way(w).front().size; sent != b.size)
      throw std::runtime_error(fmt::format("rank {} receives {} in blocks from rank {}, which sends {}", w.rank,
                                           to_string(b.size), w.peer, to_string(sent)));
    came += all[i].request.status().size;
    copy(f, w.rank, "unpack", area_of(b, all[i]), buffer(turn, all[i].size));
    if (i + 2 < all.size()) all[i + 2].request = post(turn, buffer(turn, all[i + 2].size));
  }
  return came;
}

std::list<BlacsMessages::Receive>::iterator BlacsMessages::find(int rank, const comm::Request& r) {
  std::list<Receive>& all = receives_[static_cast<std::size_t>(rank)];
  return std::find_if(all.begin(), all.end(), [&](const Receive& o) { return o.request == r; });
}

void BlacsMessages::wait_all(Fiber& f, int rank, const std::vector<comm::Request>& all) {
  std::list<Receive>& receives = receives_[static_cast<std::size_t>(rank)];
  std::vector<comm::Request> others;
  for (const comm::Request& r : all)
    if (!over(r, f.now()) && find(rank, r) == receives.end()) others.push_back(r);
  if (!others.empty()) below_.wait_all(f, rank, others);
  for (const comm::Request& r : all) {
    const auto at = find(rank, r);
    if (at == receives.end()) continue;
    const Receive its = *at;
    receives.erase(at);
    receive(f, rank, its);
  }
}

bool BlacsMessages::test(Fiber& f, int rank, const comm::Request& r) {
  if (over(r, f.now())) return true;
  if (find(rank, r) != receives_[static_cast<std::size_t>(rank)].end())
    throw std::runtime_error(fmt::format("rank {} asks whether it has received: receives of BLACS block", rank));
  return below_.test(f, rank, r);
}

std::size_t BlacsMessages::wait_any(Fiber& f, int rank, const std::vector<comm::Request>& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (over(all[i], f.now())) return i;
  for (const comm::Request& r : all)
    if (find(rank, r) != receives_[static_cast<std::size_t>(rank)].end())
      throw std::runtime_error(fmt::format("rank {} waits for any of several: receives of BLACS block", rank));
  return below_.wait_any(f, rank, all);
}

std::vector<std::string> BlacsMessages::leftovers() const {
  std::vector<std::string> out = below_.leftovers();
  for (std::size_t rank = 0; rank < receives_.size(); ++rank)
    for (const Receive& r : receives_[rank])
      out.push_back(fmt::format("rank {} never waited for what it receives from {}", rank, comm::who(r.from)));
  return out;
}

}  // namespace tsunagi::libraries
